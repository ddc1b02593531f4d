import * as v from 'valibot';
import { aMessageId, amount, count, list, time, type Read } from './fields.ts';

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

/** One block of a message's content. `json` is a tool call's input exactly as the provider gave it. */
const block = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }),
  v.object({ type: v.literal('tool_call'), callId: v.string(), name: v.string(), json: v.string() }),
  v.object({ type: v.literal('tool_result'), callId: v.string(), text: v.string(), isError: v.boolean() }),
]);
export type ContentBlock = Read<typeof block>;
export type ImageBlock = Extract<ContentBlock, { readonly type: 'image' }>;

/** Text that came with a user message: a file, a selection, problems, a paste. Line numbers are 1-based, inclusive. */
const attachment = v.object({
  kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste']),
  name: v.string(),
  text: v.string(),
  uri: v.optional(v.string()),
  lines: v.optional(v.pipe(v.tuple([count, count]), v.readonly())),
});
export type Attachment = Read<typeof attachment>;

/**
 * Tokens as the provider reported them. `cachedInput` is the part of `input` read from its prompt cache, `reasoning`
 * the part of `output` that the model thought.
 */
export const usageSchema = v.object({
  input: amount,
  output: amount,
  reasoning: v.optional(amount),
  cachedInput: v.optional(amount),
  cacheWrite: v.optional(amount),
  /** The part of `cacheWrite` that is kept for an hour, at a higher price. */
  cacheWriteHour: v.optional(amount),
});
export type Usage = Read<typeof usageSchema>;

/** Why a reply ended. `stopped` by the user; `interrupted` by a fault, a reload or a shutdown: its text is partial. */
const ending = v.picklist(['complete', 'length', 'stopped', 'interrupted']);
export type Ending = Read<typeof ending>;

/**
 * One message of a session. Messages form a tree by `parent`: a second child of the same parent is a new branch.
 * `at` is milliseconds since the epoch.
 */
export const messageSchema = v.object({
  id: aMessageId,
  parent: v.nullable(aMessageId),
  role: v.picklist(ROLES),
  content: list(block),
  at: time,
  attachments: v.optional(list(attachment)),
  /** What of a user's text was pasted, as offsets (UTF-16 units) into `messageText`. */
  pasted: v.optional(list(v.object({ start: count, end: count }))),
  model: v.optional(v.string()),
  /** What a server reports of its work never keeps the text from being kept. */
  usage: v.fallback(v.optional(usageSchema), undefined),
  ending: v.optional(ending),
});
export type Message = Read<typeof messageSchema>;

/** The text of a message's blocks, joined by a newline: what offsets of key events and citations count in. */
export function messageText(message: Pick<Message, 'content'>): string {
  const first = message.content[0];
  if (message.content.length === 1 && first?.type === 'text') return first.text;
  const parts: string[] = [];
  for (const block of message.content) {
    switch (block.type) {
      case 'text':
      case 'tool_result':
        parts.push(block.text);
        break;
      case 'tool_call':
        parts.push(`${block.name} ${block.json}`);
        break;
      case 'image':
        break;
    }
  }
  return parts.join('\n');
}
