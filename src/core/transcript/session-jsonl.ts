import { phrase } from '../text/phrase.ts';
import * as v from 'valibot';
import { messageSchema, type Message, messageText } from '../model/message.ts';
import { tryParse } from '../text/json-value.ts';
import { skipAttachment, TranscriptError, type TranscriptSink } from './transcript-message.ts';

/** A message as in the journal, except that `content` may be a string. */
const exportedMessageSchema = v.object({
  ...messageSchema.entries,
  content: v.union([v.string(), messageSchema.entries.content]),
});

/**
 * Exports messages as JSONL, each line ending with a newline. A single text block becomes a string, so that programs
 * that read `{role, content}` can read the file. `sessionFromJsonl` restores every message exactly, and exporting it
 * again gives the same bytes.
 */
export function* sessionToJsonl(messages: Iterable<Message>): Generator<string> {
  for (const message of messages) {
    const onlyBlock = message.content.length === 1 ? message.content[0] : undefined;
    const { role, at, id, parent, model, ending, usage, pasted, attachments } = message;
    const content = onlyBlock?.type === 'text' ? onlyBlock.text : message.content;
    // JSON omits undefined values.
    yield `${JSON.stringify({ role, content, at, id, parent, model, ending, usage, pasted, attachments })}\n`;
  }
}

/** Parses exported messages. Throws `TranscriptError` with the number of the first invalid line. */
export function sessionFromJsonl(text: string): Message[] {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines.map((one, index) => {
    const message = parseExportedMessage(tryParse(one));
    if (!message) throw new TranscriptError(phrase('Line {0} isn’t a valid exported message.', index + 1));
    return message;
  });
}

/** The message of an exported line's JSON value; undefined if it's invalid. */
function parseExportedMessage(value: unknown): Message | undefined {
  const parsed = v.safeParse(exportedMessageSchema, value);
  if (!parsed.success) return undefined;
  const { content, ...rest } = parsed.output;
  return { ...rest, content: typeof content === 'string' ? [{ type: 'text', text: content }] : content };
}

/** Whether this is a message of an exported session, with IDs. */
export const isExportedMessage = (value: unknown): boolean => v.is(exportedMessageSchema, value);

/**
 * Imports a session exported by Threadkeeper, in which every message names its parent. Keeps the branch that ends at
 * the last message; messages on other branches are counted as skipped.
 */
export class ExportedSessionImporter {
  readonly #sink: TranscriptSink;
  readonly #messages = new Map<string, Message>();
  #last: Message | undefined;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  record(record: unknown): void {
    const message = parseExportedMessage(record);
    if (!message) return this.#sink.skip(phrase('invalid line in an exported session'));
    if (this.#messages.has(message.id)) return this.#sink.skip(phrase('duplicate message'));
    this.#messages.set(message.id, message);
    this.#last = message;
  }

  /** Messages are passed on at the end, when the branch is known. */
  readonly isSettled = false;

  end(): void {
    const branch: Message[] = [];
    for (let one = this.#last; one; one = one.parent === null ? undefined : this.#messages.get(one.parent)) {
      branch.push(one);
      // Prevents an endless loop if a message is its own ancestor.
      this.#messages.delete(one.id);
    }
    for (const { role, content, at, model, usage, attachments = [] } of branch.reverse()) {
      const text = messageText({ content });
      const isPlain = content.length === 1 && content[0]?.type === 'text';
      const facts = { ...(model !== undefined && { model }), ...(usage && { usage }) };
      this.#sink.add({ role, text, at, ...(!isPlain && { blocks: content }), ...facts });
      for (const { kind } of attachments) skipAttachment(this.#sink, kind);
    }
    for (let count = this.#messages.size; count > 0; count--) this.#sink.skip(phrase('message on another branch'));
    this.#messages.clear();
  }
}
