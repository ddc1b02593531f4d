import { phrase } from '../text/phrase.ts';
import * as v from 'valibot';
import { messageSchema, type Message } from '../model/message.ts';
import { tryParse } from '../text/json-value.ts';
import { messageFromBlocks, TranscriptError, type TranscriptSink } from './transcript-message.ts';

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

/** Imports a session exported by Threadkeeper. Only the branch that ends with the last message is kept. */
export function exportedSessionImporter(sink: TranscriptSink) {
  const positions = new Map<string | null, TranscriptSink['position']>();
  return {
    record(record: unknown): void {
      const message = parseExportedMessage(record);
      if (!message) return sink.skip(phrase('invalid line in an exported session'));
      const { id, parent, role, content, at, model, usage, attachments = [] } = message;
      if (positions.has(id)) return sink.skip(phrase('duplicate message'));
      sink.position = positions.get(parent);
      sink.add({ ...messageFromBlocks(role, content, { at, usage }), ...(model !== undefined && { model }) });
      positions.set(id, sink.position);
      for (const { kind } of attachments) sink.skipAttachment(kind);
    },
  };
}
