import assert from 'node:assert/strict';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { messageId, type SessionId } from '../../../src/core/model/ids.ts';
import { workspaceHistory } from '../../../src/host/search/workspace-history.ts';
import type { FileSessionStore } from '../../../src/storage/session-store.ts';
import { storeIn, testClock } from '../storage/test-store.ts';
import { keyEvent } from '../../support/key-events.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { sessionMessage } from '../../support/session-messages.ts';

describe('workspace archive', () => {
  let folder: string;
  let store: FileSessionStore;
  folderForEachTest((made) => (folder = made));
  beforeEach(() => (store = storeIn(folder)));
  afterEach(() => store.close());

  async function sessionWithDecision(title: string): Promise<SessionId> {
    const journal = await store.create(title, 'here');
    const quote = `We bill each slot in ${title}.`;
    const id = messageId(`${title}-1`);
    await journal.append(
      { type: 'message_added', message: sessionMessage(id, quote) },
      { type: 'event_added', event: keyEvent(quote, { message: id, kind: 'decision', importance: 3 }) },
    );
    await journal.close();
    return journal.id;
  }

  it('skips a session that can’t be read in searches and decisions, and includes it once it can', async () => {
    const broken = await sessionWithDecision('Booking');
    await sessionWithDecision('Billing');
    const listed = await store.list();
    const faults: unknown[] = [];
    const { recall, search } = workspaceHistory({
      store: { list: () => Promise.resolve(listed) },
      folder,
      clock: testClock(),
      workspace: 'here',
      openConversations: { get: () => undefined } as never,
      memory: { load: () => Promise.resolve(), entries: [] } as never,
      searchChats: () => Promise.reject(new Error('The copies can’t be read.')),
      describe: (error) => faults.push(error),
    });
    const found = async () => (await search({ query: 'slot', limit: 5 }))?.map(({ title }) => title).sort();
    const decided = async () => (await recall.decisions(() => false)).decisions.map(({ session }) => session).sort();
    const file = path.join(folder, `${broken}.jsonl`);
    await rename(file, `${file}.away`);
    // Opening a folder succeeds, and reading it fails.
    await rename(await mkdtemp(path.join(folder, 'unreadable-')), file);
    assert.deepEqual(await found(), ['Billing']);
    assert.deepEqual(await decided(), ['Billing']);
    assert.equal(faults.length, 2);
    assert.equal((await recall.recall('slot', 5, () => false))?.length, 1);
    assert.ok(faults.some((fault) => /The copies can’t be read/.test(String(fault))));
    await rm(file, { recursive: true });
    await rename(`${file}.away`, file);
    assert.deepEqual(await found(), ['Billing', 'Booking']);
    assert.deepEqual(await decided(), ['Billing', 'Booking']);
  });
});
