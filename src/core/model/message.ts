import * as v from 'valibot';
import {
  messageIdSchema,
  amountSchema,
  countSchema,
  readonlyList,
  timestampSchema,
  type ReadonlyOutput,
} from './field-schemas.ts';

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const;
export type Role = (typeof ROLES)[number];

/** A block of a message's content. `json` is a tool call's input exactly as received. */
const block = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }),
  v.object({ type: v.literal('tool_call'), callId: v.string(), name: v.string(), json: v.string() }),
  v.object({ type: v.literal('tool_result'), callId: v.string(), text: v.string(), isError: v.boolean() }),
]);
export type ContentBlock = ReadonlyOutput<typeof block>;
export type ImageBlock = Extract<ContentBlock, { readonly type: 'image' }>;

/** Text attached to a user message: a file, a selection, problems, a paste. Line numbers are 1-based and inclusive. */
export const attachmentSchema = v.object({
  kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste']),
  name: v.string(),
  text: v.string(),
  uri: v.optional(v.string()),
  lines: v.optional(v.pipe(v.tuple([countSchema, countSchema]), v.readonly())),
});
export type Attachment = ReadonlyOutput<typeof attachmentSchema>;

/**
 * Tokens as reported by the provider. `cachedInput` is the part of `input` that was read from its prompt cache, and
 * `reasoning` the part of `output` that is thinking.
 */
export const usageSchema = v.object({
  input: amountSchema,
  output: amountSchema,
  reasoning: v.optional(amountSchema),
  cachedInput: v.optional(amountSchema),
  cacheWrite: v.optional(amountSchema),
  /** The part of `cacheWrite` that is cached for an hour, at a higher price. */
  cacheWriteHour: v.optional(amountSchema),
  /** US dollars that the provider says it charges. */
  costUsd: v.optional(amountSchema),
});
export type Usage = ReadonlyOutput<typeof usageSchema>;

/** Why a response ended: `interrupted` by an error, a reload, or a shutdown; `stopped` by the user. */
export const endingSchema = v.picklist(['complete', 'length', 'stopped', 'interrupted']);
export type Ending = ReadonlyOutput<typeof endingSchema>;

/** A message of a session. A second one with the same `parent` starts a branch. `at` is in ms since the epoch. */
export const messageSchema = v.object({
  id: messageIdSchema,
  parent: v.nullable(messageIdSchema),
  role: v.picklist(ROLES),
  content: readonlyList(block),
  at: timestampSchema,
  attachments: v.optional(readonlyList(attachmentSchema)),
  /** The pasted ranges of a user's text, as UTF-16 offsets in `messageText`. */
  pasted: v.optional(readonlyList(v.object({ start: countSchema, end: countSchema }))),
  model: v.optional(v.string()),
  /** Invalid usage is dropped, so that the message can still be read. */
  usage: v.fallback(v.optional(usageSchema), undefined),
  ending: v.optional(endingSchema),
});
export type Message = ReadonlyOutput<typeof messageSchema>;

/** The model of the local provider's replies. */
const LOCAL_CHAT_MODEL = 'local';

/** Whether the local provider wrote a message: it only quotes other messages and states that no model is configured. */
export const isLocalReply = ({ model }: Pick<Message, 'model'>): boolean => model === LOCAL_CHAT_MODEL;

/** The text, tool calls, and tool results of a message, joined by newlines. Offsets of key events refer to it. */
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
