import type { Conversation } from '../../src/app/conversation.ts';
import { messageId } from '../../src/core/model/ids.ts';
import { contentOf, type TranscriptMessage } from '../../src/core/transcript/transcript-message.ts';

/** Number of messages that are written at once. */
const BATCH = 500;

/** Appends messages to a session in their original order, like an import. */
export async function appendMessages(
  { journal, state }: Conversation,
  messages: readonly TranscriptMessage[],
): Promise<void> {
  let parent = state.head;
  const first = state.path.length;
  const events = messages.map((one, n) => {
    const id = messageId(`${journal.id}-${first + n}`);
    const message = { id, parent, role: one.role, content: contentOf(one), at: Date.now() };
    parent = id;
    return { type: 'message_added', message } as const;
  });
  for (let at = 0; at < events.length; at += BATCH) await journal.append(...events.slice(at, at + BATCH));
}
