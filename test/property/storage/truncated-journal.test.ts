import assert from 'node:assert/strict';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { decodeLine } from '../../../src/storage/journal-line.ts';
import { SessionState } from '../../../src/core/state/session-state.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { messageAdded, testClock } from '../../unit/storage/test-store.ts';
import { anyEvent } from './sessions.ts';
import { visibleState } from '../promises/checks.ts';
import { unflushed } from './unflushed.ts';
import { folderForAllTests } from '../../support/per-test.ts';

const RUNS = process.env['THREADKEEPER_LONG'] ? 2_000 : 60;

/** Folds the events whose complete text is on disk, with or without a final line break. */
function foldOf(bytes: Buffer): SessionState {
  const state = new SessionState();
  for (const line of bytes.toString().split('\n')) {
    const decoded = decodeLine(line);
    if (decoded.kind === 'event') state.apply(decoded.envelope.body, decoded.envelope.at);
  }
  return state;
}

/** A journal can end anywhere after its first line, including right before a line break. */
const cuts = fc.oneof(
  fc.double({ min: 0, max: 1, noNaN: true }).map((share) => (whole: Buffer): number => {
    const least = whole.indexOf('\n') + 1;
    return least + Math.round(share * (whole.length - least));
  }),
  fc.nat().map((pick) => (whole: Buffer): number => {
    const ends = Array.from(whole.entries()).flatMap(([at, byte]) => (byte === 0x0a ? [at] : []));
    return ends[pick % ends.length]!;
  }),
);

describe('a window killed at any byte while writing', () => {
  let folder = '';
  folderForAllTests((made) => (folder = made));

  it('leaves exactly the complete events, even with an old checkpoint, and the journal stays writable', async () => {
    const batches = fc.array(fc.array(anyEvent, { maxLength: 6 }), { minLength: 1, maxLength: 5 });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(batches, fc.nat(), cuts, async (parts, kept, cutOf) => {
        const clock = testClock();
        const place = join(folder, String(++run));
        const open = (writer: string): FileSessionStore =>
          new FileSessionStore({ folder: place, clock, writer, openForAppend: unflushed });
        let store = open('a');
        let journal = await store.create('Any', 'w');
        const path = join(place, `${journal.id}.jsonl`);
        const checkpoint = path.replace(/\.jsonl$/, '.checkpoint.json');
        // The checkpoint of a window that was closed in between.
        for (const [at, part] of parts.entries()) {
          await journal.append(...part);
          if (at !== kept % parts.length) continue;
          await store.close();
          await mkdir(join(place, 'kept'));
          await copyFile(checkpoint, join(place, 'kept', 'checkpoint'));
          store = open(`b${at}`);
          journal = await store.open(journal.id);
        }
        await store.close();

        const whole = await readFile(path);
        const torn = whole.subarray(0, cutOf(whole));
        await writeFile(path, torn);
        await copyFile(join(place, 'kept', 'checkpoint'), checkpoint);
        const expected = foldOf(torn);

        const after = open('c');
        const again = await after.open(journal.id);
        assert.deepEqual(visibleState(again.state), visibleState(expected), 'only the files count');
        await again.append(messageAdded(100));
        expected.apply(messageAdded(100), 0);
        await after.close();
        const last = open('d');
        assert.deepEqual(
          visibleState((await last.open(journal.id)).state),
          visibleState(expected),
          'the later messages are there',
        );
        await last.close();
        await rm(place, { recursive: true, force: true });
      }),
      { numRuns: RUNS },
    );
  }).timeout(240_000 + RUNS * 1_500);
});
