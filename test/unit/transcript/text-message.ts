import { messageId } from '../../../src/core/model/ids.ts';
import type { Message } from '../../../src/core/model/message.ts';

/** A message with a text that is also its ID. */
export const textMessage = (role: Message['role'], words: string, more: Partial<Message> = {}): Message => ({
  id: messageId(words),
  parent: null,
  role,
  content: [{ type: 'text', text: words }],
  at: Date.UTC(2026, 2, 2, 9, 30),
  ...more,
});
