import assert from 'node:assert/strict';
import { join } from 'node:path';
import fc from 'fast-check';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { testClock } from '../../unit/storage/test-store.ts';
import { anyEvent } from './sessions.ts';
import { visibleState } from '../promises/checks.ts';
import { unflushed } from './unflushed.ts';
import { folderForAllTests } from '../../support/per-test.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 1_000 : 40;

describe('a session closed and reopened anywhere in its history', () => {
  let folder = '';
  folderForAllTests((made) => (folder = made));

  it('equals one that was never closed: in the writing window, in a following window, and in the list', async () => {
    let runs = 0;
    const batches = fc.array(fc.array(anyEvent, { maxLength: 8 }), { maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(batches, async (parts) => {
        const run = join(folder, String(++runs));
        const clock = testClock();
        const stores = new Map<string, FileSessionStore>();
        const window = (writer: string): FileSessionStore => {
          const known = stores.get(writer);
          const store = known ?? new FileSessionStore({ folder: run, clock, writer, openForAppend: unflushed });
          stores.set(writer, store);
          return store;
        };
        const straight = await window('a').create('Any', 'w');
        const made = await window('b').create('Any', 'w');
        await made.close();
        for (const part of parts) {
          await straight.append(...part);
          const again = await window('b').open(made.id);
          await again.append(...part);
          await again.close();
        }
        const follower = await window('c').open(straight.id);
        const last = await window('b').open(made.id);
        const expected = visibleState(straight.state);
        assert.deepEqual(visibleState(last.state), expected);
        assert.deepEqual(visibleState(follower.state), expected);
        const listed = (await window('d').list()).filter(({ id }) => id === made.id || id === straight.id);
        for (const entry of listed) {
          assert.equal(entry.title, straight.state.title);
          assert.equal(entry.messages, straight.state.counters.messagesEver);
        }
        for (const store of stores.values()) await store.close();
      }),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 1_500);
});
