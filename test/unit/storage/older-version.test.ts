import assert from 'node:assert/strict';
import { cp, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Library } from '../../../src/app/library/library.ts';
import type { UserMessage } from '../../../src/app/user-message.ts';
import { sessionEventSchema } from '../../../src/core/journal/schema.ts';
import { keyEventId, messageId, nodeId, sessionId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { SessionState } from '../../../src/core/state/session-state.ts';
import { Drafts } from '../../../src/host/chat/drafts.ts';
import { QueuedMessages } from '../../../src/host/chat/queued-messages.ts';
import { CHECKPOINT_VERSION } from '../../../src/storage/checkpoint.ts';
import { nativeChecksum } from '../../../src/storage/checksum.ts';
import { LibraryCopies } from '../../../src/storage/library-copies.ts';
import { MemoryFile } from '../../../src/storage/memory-file.ts';
import { folderForEachTest } from '../../support/per-test.ts';
import { storeIn } from './test-store.ts';

const FIXTURE = new URL('../../fixtures/formats/older-version', import.meta.url);
const SESSION = sessionId('id1');
const FIRST = messageId('id3');

/** What the older version showed of the session. */
function assertSession(state: SessionState): void {
  const { title, pinned, task, path: branch, frontier, events } = state;
  assert.deepEqual([title, pinned, branch.length, events.size], ['Boats', true, 16, 10]);
  assert.equal(branch.join(' ').replaceAll(/filled-\d+-/g, ''), 'id3 id4 0 1 2 3 4 5 6 7 8 9 id7 id8 id9 id10');
  assert.deepEqual(state.childrenOf(messageId('filled-11-9')), ['filled-12-10', 'id7']);
  const [first, edited, interrupted] = [FIRST, 'id7', 'id10'].map((id) => state.messages.get(messageId(id)));
  assert.deepEqual(first?.attachments?.[0]?.lines, [1, 1]);
  assert.equal(edited && messageText(edited), 'Edited question?');
  assert.deepEqual([interrupted?.ending, interrupted && messageText(interrupted)], ['interrupted', 'Half an answer']);
  const statuses = task?.steps.map(({ status }) => status);
  assert.deepEqual([task?.goal, statuses], ['Build the boat table', ['done', 'in_progress']]);
  const covered = frontier.map(({ node, from, to }) => [node.id, node.detailed, from, to]);
  assert.deepEqual(covered, [['id5', 'Edited by hand.', 0, 10]]);
  assert.equal(events.get(keyEventId('id3:0-26'))?.pinned, true);
  assert.ok(state.isRemoved(keyEventId('id4:0-25')));
}

describe('files of an older version', () => {
  let folder: string;
  folderForEachTest((made) => (folder = made));
  beforeEach(() => cp(FIXTURE, folder, { recursive: true }));

  const sessions = (): string => path.join(folder, 'sessions');
  const warn = (message: string): void => assert.fail(message);

  async function opened(id: string) {
    const store = storeIn(sessions());
    const journal = await store.open(sessionId(id));
    assert.deepEqual([journal.notice, journal.readOnly], [undefined, undefined]);
    return { state: journal.state, journal, [Symbol.asyncDispose]: () => store.close() };
  }

  it('show their sessions unchanged, with and without a checkpoint', async () => {
    const store = storeIn(sessions());
    const listed = (await store.list()).map(({ id, title, messages }) => [id, title, messages]);
    await store.close();
    assert.deepEqual(listed.sort(), [
      ['id1', 'Boats', 18],
      ['lost', 'old was here', 5],
    ]);
    for (let times = 0; times < 2; times++) {
      await using session = await opened('id1');
      assertSession(session.state);
    }
    for (const name of await readdir(sessions()))
      if (name.endsWith('.checkpoint.json')) await rm(path.join(sessions(), name));
    await using session = await opened('id1');
    assertSession(session.state);
  });

  it('don’t hide what only later versions know, because such a checkpoint isn’t used', async () => {
    await using session = await opened('lost');
    assert.equal(session.state.title, 'old was here');
    assert.equal(session.state.nodes.get(nodeId('n1'))?.isLost, true);
  });

  it('have drafts and queued messages', async () => {
    await using session = await opened('id1');
    const { journal } = session;
    const drafts = new Drafts({ folder: sessions(), warn });
    assert.deepEqual([drafts.get(SESSION), drafts.editsOf(SESSION)], ['My draft', { [FIRST]: 'My edit' }]);
    const restored: UserMessage[] = [];
    const queue = { unsent: [], restore: (messages: readonly UserMessage[]) => restored.push(...messages) };
    const queued = new QueuedMessages({ folder: sessions(), warn, reportCut: () => assert.fail('cut') });
    queued.restoreAndWatch({ journal, queue: queue as never, onUpdate: () => ({ dispose: () => undefined }) });
    const attachments = [{ kind: 'paste', name: 'Paste', text: 'let a;' }];
    assert.deepEqual(restored, [{ text: 'And then?', attachments }]);
  });

  it('have the workspace memory', async () => {
    const memory = new MemoryFile(path.join(folder, 'memory'), 'folder:file:///w', warn);
    assert.deepEqual(await memory.read(), [{ id: 'm1', kind: 'preference', text: 'Use tabs', at: 5 }]);
  });

  it('have copies of chats from other tools, in which words are found', async () => {
    const library = await Library.open(new LibraryCopies(path.join(folder, 'all-chats')));
    const [chat] = library.sessions();
    const texts = (await library.read(chat ?? assert.fail())).messages.map(({ text }) => text);
    assert.deepEqual(texts, ['Which port has the zanzibar server?', 'It listens on 8080.']);
    const hits = await library.index.search(library.sessions(), { text: 'zanzibar', limit: 5 });
    assert.deepEqual([hits.length, hits[0]?.message], [1, 0]);
  });
});

describe('checkpoints', () => {
  it('get a new version when an event gets a new field, because older versions’ checkpoints lack it', () => {
    const fields = JSON.stringify(sessionEventSchema, (key, value: unknown) => (key === '~standard' ? 0 : value));
    assert.deepEqual([CHECKPOINT_VERSION, nativeChecksum(fields)], [4, '608b2edf']);
  });
});
