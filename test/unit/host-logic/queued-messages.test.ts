import assert from 'node:assert/strict';
import type { Memento } from 'vscode';
import type { UserMessage } from '../../../src/app/user-message.ts';
import { QueuedMessages } from '../../../src/host/chat/drafts.ts';
import { Harness } from '../app/harness.ts';

describe('messages queued when the window reloads', () => {
  const values = new Map<string, unknown>();
  const memento: Memento = {
    keys: () => [...values.keys()],
    get: (key: string) => values.get(key) as never,
    update: (key: string, value: unknown) => Promise.resolve(void values.set(key, value)),
  };

  /** Which of these messages exist after a reload, and whether the user is told about a loss. */
  async function reloaded(...messages: readonly UserMessage[]) {
    const harness = await Harness.open();
    const conversation = await harness.converse();
    new QueuedMessages(memento, () => undefined).restoreAndWatch(conversation);
    conversation.queue.restore(messages);
    let isTold = false;
    const again = await harness.reopen(conversation.journal.id);
    new QueuedMessages(memento, () => (isTold = true)).restoreAndWatch(again);
    await harness.close();
    return { isTold, messages: again.queue.items.map(({ message }) => message) };
  }

  it('keep their attachments', async () => {
    const message: UserMessage = {
      text: 'Why?',
      attachments: [{ kind: 'file', name: 'a.ts', text: 'let a;', uri: 'file:///a.ts', lines: [1, 1] }],
      images: [{ type: 'image', mediaType: 'image/png', base64: 'AAAA' }],
      pasted: ['Why?'],
    };
    assert.deepEqual(await reloaded(message), { isTold: false, messages: [message] });
  });

  it('keep only their text if the rest is too large, and the user is told', async () => {
    const large: UserMessage = { text: 'Why?', attachments: [{ kind: 'file', name: 'a', text: 'x'.repeat(300_000) }] };
    assert.deepEqual(await reloaded(large, { text: 'And?' }), {
      isTold: true,
      messages: [{ text: 'Why?', isCut: true }, { text: 'And?' }],
    });
  });
});
