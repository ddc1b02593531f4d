import type { ChatMessage } from '../../src/app/ports.ts';
import type { ContentBlock } from '../../src/core/model/message.ts';

export const image = (base64 = 'AAAA', mediaType = 'image/png'): ContentBlock => ({ type: 'image', mediaType, base64 });

export const toolCall = (callId: string, name = 'read_file', json = '{"path":"a"}'): ContentBlock => ({
  type: 'tool_call',
  callId,
  name,
  json,
});

export const toolResult = (callId: string, text: string, isError = false): ContentBlock => ({
  type: 'tool_result',
  callId,
  text,
  isError,
});

const messageBy =
  (role: ChatMessage['role']) =>
  (...content: readonly (string | ContentBlock)[]): ChatMessage => ({
    role,
    content: content.map((part) => (typeof part === 'string' ? { type: 'text', text: part } : part)),
  });

/** A message with these blocks; strings are text blocks. */
export const user = messageBy('user');
export const assistant = messageBy('assistant');
export const tool = messageBy('tool');
