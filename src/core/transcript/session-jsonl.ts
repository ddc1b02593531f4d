import { phrase } from '../text/phrase.ts';
import * as v from 'valibot';
import { messageId } from '../model/ids.ts';
import type { Message } from '../model/message.ts';
import { tryParse } from './json-value.ts';
import { TranscriptError } from './transcript-message.ts';

const count = v.pipe(v.number(), v.minValue(0));
const id = v.pipe(v.string(), v.minLength(1));
const line = v.pipe(v.number(), v.integer(), v.minValue(0));

const block = v.variant('type', [
  v.object({ type: v.literal('text'), text: v.string() }),
  v.object({ type: v.literal('image'), mediaType: v.string(), base64: v.string() }),
  v.object({ type: v.literal('tool_call'), callId: v.string(), name: v.string(), json: v.string() }),
  v.object({ type: v.literal('tool_result'), callId: v.string(), text: v.string(), isError: v.boolean() }),
]);

/** Keys in the order in which they are written: readers of `{role, content}` find what they know first. */
const record = v.object({
  role: v.picklist(['system', 'user', 'assistant', 'tool']),
  content: v.union([v.string(), v.array(block)]),
  at: v.number(),
  id,
  parent: v.nullable(id),
  model: v.optional(v.string()),
  ending: v.optional(v.picklist(['complete', 'length', 'stopped', 'interrupted'])),
  usage: v.optional(
    v.object({
      input: count,
      output: count,
      reasoning: v.optional(count),
      cachedInput: v.optional(count),
      cacheWrite: v.optional(count),
    }),
  ),
  pasted: v.optional(v.array(v.object({ start: line, end: line }))),
  attachments: v.optional(
    v.array(
      v.object({
        kind: v.picklist(['file', 'selection', 'problems', 'terminal', 'paste']),
        name: v.string(),
        text: v.string(),
        uri: v.optional(v.string()),
        lines: v.optional(v.tuple([line, line])),
      }),
    ),
  ),
});

/**
 * A session's messages as JSONL, a line each, ended by a newline. A message of one text block has its text as
 * `content`, so that whatever reads `{role, content}` reads the file; `sessionFromJsonl` gives every message back
 * exactly, and writing those again gives the same bytes.
 */
export function* sessionToJsonl(messages: Iterable<Message>): Generator<string> {
  for (const message of messages) {
    const only = message.content.length === 1 ? message.content[0] : undefined;
    const { role, at, id: own, parent, model, ending, usage, pasted, attachments } = message;
    const content = only?.type === 'text' ? only.text : message.content;
    // Keys whose value is undefined are not written.
    yield `${JSON.stringify({ role, content, at, id: own, parent, model, ending, usage, pasted, attachments })}\n`;
  }
}

/** The messages of a session's JSONL. Throws `TranscriptError` with the number of the first line that is not one. */
export function sessionFromJsonl(text: string): Message[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((one, index) => {
    const message = readMessage(tryParse(one));
    if (!message) throw new TranscriptError(phrase('Line {0} is no message of an exported session.', index + 1));
    return message;
  });
}

/** The message that a line's JSON value stands for; undefined when it is none of an exported session. */
export function readMessage(value: unknown): Message | undefined {
  const parsed = v.safeParse(record, value);
  if (!parsed.success) return undefined;
  const { content, id: own, parent, ...rest } = parsed.output;
  return {
    ...rest,
    id: messageId(own),
    parent: parent === null ? null : messageId(parent),
    content: typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  };
}

/** True for a line's JSON value that is a message of an exported session, ids and all. */
export function isExportedMessage(value: unknown): boolean {
  return v.is(record, value);
}

/** True when the text's first line is a message of an exported session, ids and all. */
export function isSessionJsonl(head: string): boolean {
  return isExportedMessage(tryParse(head.split('\n', 1)[0]!));
}
