import { phrase } from '../text/phrase.ts';
import * as v from 'valibot';
import { messageSchema, type Message, messageText } from '../model/message.ts';
import { tryParse } from './json-value.ts';
import { TranscriptError, type TranscriptSink } from './transcript-message.ts';

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

/**
 * Reads this project's own export, in which every message names the one before it: what is kept is the branch that ends
 * at the last message, and messages of other branches are counted.
 */
export class ExportedSessionImporter {
  readonly #sink: TranscriptSink;
  readonly #messages = new Map<string, Message>();
  #last: Message | undefined;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  record(record: unknown): void {
    const message = readMessage(record);
    if (!message) {
      this.#sink.skip(phrase('invalid line in an exported session'));
      return;
    }
    if (this.#messages.has(message.id)) {
      this.#sink.skip(phrase('duplicate message'));
      return;
    }
    this.#messages.set(message.id, message);
    this.#last = message;
  }

  /** The branch that is in use shows at the end. */
  readonly isSettled = false;

  end(): void {
    const branch: Message[] = [];
    for (let one = this.#last; one; one = one.parent === null ? undefined : this.#messages.get(one.parent)) {
      branch.push(one);
      // A line that names itself, or one after it, would never end.
      this.#messages.delete(one.id);
    }
    for (const { role, content, at } of branch.reverse()) {
      const text = messageText({ content });
      const isPlain = content.length === 1 && content[0]?.type === 'text';
      this.#sink.add({ role, text, at, ...(!isPlain && { blocks: content }) });
    }
    for (let left = this.#messages.size; left > 0; left--) this.#sink.skip(phrase('message on another branch'));
    this.#messages.clear();
  }
}
