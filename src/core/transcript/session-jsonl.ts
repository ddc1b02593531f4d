import { phrase } from '../text/phrase.ts';
import * as v from 'valibot';
import { messageSchema, type Message } from '../model/message.ts';
import { tryParse } from './json-value.ts';
import { TranscriptError } from './transcript-message.ts';

/** As the journal has it; a message of one text block has its text as `content`. */
const record = v.object({ ...messageSchema.entries, content: v.union([v.string(), messageSchema.entries.content]) });

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
    if (!message) throw new TranscriptError(phrase('Line {0} isn’t a valid exported message.', index + 1));
    return message;
  });
}

/** The message that a line's JSON value stands for; undefined when it is none of an exported session. */
export function readMessage(value: unknown): Message | undefined {
  const parsed = v.safeParse(record, value);
  if (!parsed.success) return undefined;
  const { content, ...rest } = parsed.output;
  return { ...rest, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content };
}

/** True for a line's JSON value that is a message of an exported session, ids and all. */
export function isExportedMessage(value: unknown): boolean {
  return v.is(record, value);
}
