import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { Sessions } from '../../../src/app/sessions.ts';
import { openSessionStore } from '../../../src/storage/session-store.ts';
import { inFolder, said, testClock } from '../storage/support.ts';

describe('the sessions of a workspace', () => {
  it('are left to other windows when they could not be opened, as with an invalid setting', () =>
    inFolder(async (folder) => {
      const store = openSessionStore({ folder, clock: testClock(), writer: 'w1' });
      const journal = await store.create('Build', 'w');
      const { id } = journal;
      await journal.append(said(0));
      await journal.close();
      const sessions = new Sessions({
        store,
        log: { event: () => undefined, warn: () => undefined },
        workspace: 'w',
        openConversation: (): Promise<Conversation> => Promise.reject(new Error('Invalid value for a setting')),
        snapshots: { entries: () => [], events: () => undefined },
      });
      for (let tries = 0; tries < 2; tries++) {
        await assert.rejects(sessions.open(id), /Invalid value/);
        await assert.rejects(sessions.currentOrLatest(), /Invalid value/);
      }
      const other = openSessionStore({ folder, clock: testClock('t'), writer: 'w2' });
      assert.equal((await other.open(id)).readOnly, undefined);
      await other.close();
      await store.close();
    }));
});
