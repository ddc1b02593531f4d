import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import type { SessionJournal, SessionStore } from '../../../src/app/ports.ts';
import { Sessions, type SessionsDeps } from '../../../src/app/sessions.ts';
import { taskId } from '../../../src/core/model/ids.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { messageAdded, testClock, inStore } from '../storage/test-store.ts';

const sessionsOf = (store: SessionStore, more: Partial<SessionsDeps> = {}): Sessions =>
  new Sessions({
    store,
    log: { event: () => undefined, warn: () => undefined },
    workspace: 'w',
    openConversation: (journal) => Promise.resolve(conversationOf(journal)),
    snapshots: { entries: () => [], events: () => undefined },
    lastShown: { get: () => undefined, set: () => undefined },
    ...more,
  });

/** The parts of a conversation that switching between sessions uses. */
function conversationOf(journal: SessionJournal, closed: string[] = []): Conversation {
  const close = (): Promise<void> => (closed.push(journal.id), journal.close());
  return { journal, state: journal.state, close } as unknown as Conversation;
}

describe('sessions of a workspace', () => {
  it('stay open when the current session is shown again', () =>
    inStore(async (store) => {
      const journal = await store.create('Build', 'w');
      const closed: string[] = [];
      const conversation = conversationOf(journal, closed);
      const sessions = sessionsOf(store, { openConversation: () => Promise.resolve(conversation) });
      for (let times = 0; times < 2; times++) assert.equal(await sessions.show(journal), conversation);
      assert.deepEqual(closed, []);
    }));

  it('are closed only if they are still shown', () =>
    inStore(async (store) => {
      const other = await store.create('Release', 'w');
      const sessions = sessionsOf(store);
      const deleted = await sessions.create('Build');
      await Promise.all([sessions.show(other), sessions.close(deleted)]);
      assert.equal((await sessions.currentOrLatest()).journal, other);
    }));

  it('are shown again after a restart, also if another one is newer', () =>
    inStore(async (store) => {
      let shown: string | undefined;
      const lastShown = { get: () => shown, set: (id: string) => void (shown = id) };
      const restart = () => sessionsOf(store, { lastShown });
      const sessions = restart();
      const { id } = (await sessions.create('Build')).journal;
      await sessions.create('Release');
      await sessions.open(id);
      await sessions.close();
      assert.equal((await restart().currentOrLatest()).state.title, 'Build');
    }));

  it('are not reused as new sessions if they are empty but have a task', () =>
    inStore(async (store) => {
      const journal = await store.create('', 'w');
      await journal.append({ type: 'task_set', task: { id: taskId('t'), goal: 'Tune the queues', steps: [] } });
      await journal.close();
      const sessions = sessionsOf(store);
      assert.equal((await sessions.openEmpty()).state.task, undefined);
    }));

  it('are listed as in their snapshot if their journal has no readable line', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', 'w');
      await journal.close();
      const list = await store.list();
      await writeFile(join(folder, `${journal.id}.jsonl`), '');
      const sessions = sessionsOf(store, { snapshots: { entries: () => list, events: () => undefined } });
      assert.deepEqual(await sessions.list(), list);
    }));

  it('are released to other windows if they cannot be opened, as with an invalid setting', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', 'w');
      const { id } = journal;
      await journal.append(messageAdded(0));
      await journal.close();
      const sessions = sessionsOf(store, {
        openConversation: () => Promise.reject(new Error('Invalid value for a setting')),
      });
      for (let tries = 0; tries < 2; tries++) {
        await assert.rejects(sessions.open(id), /Invalid value/);
        await assert.rejects(sessions.currentOrLatest(), /Invalid value/);
      }
      const other = new FileSessionStore({ folder, clock: testClock('t'), writer: 'w2' });
      assert.equal((await other.open(id)).readOnly, undefined);
      await other.close();
    }));
});
