import { messageText, type Message } from '../model/message.ts';
import { textHash } from '../text/hash.ts';

/** The part of a message that compression reads. */
export type SourceMessage = Pick<Message, 'id' | 'role' | 'content' | 'attachments' | 'model'>;

/** A range of messages, by position; both ends are inclusive. */
export interface MessageRange {
  readonly from: number;
  readonly to: number;
}

/** Whether a message is a tool result: by its role, or because all its blocks are tool results. */
export function isToolResult(message: Pick<Message, 'role' | 'content'>): boolean {
  if (message.role === 'tool') return true;
  return message.content.length > 0 && message.content.every((block) => block.type === 'tool_result');
}

/** A hash of roles, texts, and attachments that detects changed sources. See `textHash`. */
export const sourceHash = (messages: readonly Pick<Message, 'role' | 'content' | 'attachments'>[]): string =>
  textHash(
    messages.flatMap((message) => [
      message.role,
      messageText(message),
      ...(message.attachments ?? []).map(({ name, text }) => `${name}\n${text}`),
    ]),
  );
