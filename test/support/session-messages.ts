import { messageId } from '../../src/core/model/ids.ts';
import type { Message } from '../../src/core/model/message.ts';

/** A message with this text; by default, the user's and the first of its session. */
export const sessionMessage = (
  id: string,
  text: string,
  { parent = null, ...more }: Partial<Omit<Message, 'parent'>> & { readonly parent?: string | null } = {},
): Message => ({
  id: messageId(id),
  parent: parent === null ? null : messageId(parent),
  role: 'user',
  content: [{ type: 'text', text }],
  at: Date.UTC(2026, 2, 2, 9, 30),
  ...more,
});

/** A message with a text that is also its ID. */
export const textMessage = (role: Message['role'], text: string, more: Partial<Message> = {}): Message =>
  sessionMessage(text, text, { role, ...more });
