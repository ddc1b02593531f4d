import assert from 'node:assert/strict';
import { ExternalChatJournal, externalChatSessionId } from '../../../src/app/library/external-chat-journal.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import type * as ChatsModule from '../../../src/host/external-chats/external-chat-commands.ts';
import { CHAT_ENTRY } from '../../support/external-chats.ts';
import { hostIn } from '../../support/fake-editor.ts';

describe('a chat from another tool', () => {
  it('is continued with a message that says what could not be read', async () => {
    const messages: string[] = [];
    const window = { showInformationMessage: (text: string) => void messages.push(text) };
    const load = hostIn({ window });
    const { continueHere } = await load<typeof ChatsModule>('external-chats/external-chat-commands.ts');
    const lost = [{ reason: phrase('invalid JSON line'), count: 3 }];
    const copy = { messages: [], compactions: [], lost };
    const journal = new ExternalChatJournal(externalChatSessionId('k', CHAT_ENTRY), CHAT_ENTRY, copy, (error) => {
      throw error;
    });
    const made = { journal: { id: 'made' }, state: { title: '' }, import: (work: () => unknown) => work() };
    const sessions = {
      current: { journal, state: journal.state } as object,
      create: () => Promise.resolve((sessions.current = made)),
      listChanged: () => undefined,
    };
    assert.equal(await continueHere({ sessions, panel: { open: () => undefined } } as never), true);
    assert.deepEqual(messages, [
      'Continued in a new session. The original chat wasn’t changed. ' +
        'Some of this chat couldn’t be read. Skipped: 3 × invalid JSON line.',
    ]);
  });
});
