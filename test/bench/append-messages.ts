import type { Conversation } from '../../src/app/conversation.ts';
import { messageId } from '../../src/core/model/ids.ts';
import { contentOf, type TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';

/** Appends a transcript to a session in bulk, like an import. */
export async function appendMessages(
  conversation: Conversation,
  messages: readonly TranscriptMessage[],
): Promise<void> {
  let parent = conversation.state.head;
  for (let at = 0; at < messages.length; at += 500) {
    const events = messages.slice(at, at + 500).map((one, n) => {
      const message = { id: messageId(`m${at + n}`), parent, role: one.role, content: contentOf(one), at: 0 };
      parent = message.id;
      return { type: 'message_added', message } as const;
    });
    await conversation.journal.append(...events);
  }
}
