import { phrase } from '../text/phrase.ts';
import { readContent } from './content-parts.ts';
import { isList, isObject, stringOf, type JsonObject } from './json-value.ts';
import { addBlocks } from './role-content.ts';
import { addCompaction, parseMoment, usageOf, type TranscriptSink } from './transcript-message.ts';

/** True for a record of a Qwen Code session: Claude Code's envelope around a message in Google's shape. */
export function isQwen(record: unknown): record is JsonObject & { readonly message: JsonObject } {
  return (
    isObject(record) &&
    typeof record['type'] === 'string' &&
    isObject(record['message']) &&
    isList(record['message']['parts'])
  );
}

/** A Qwen Code session (`projects/<folder>/chats/<id>.jsonl`), record by record. */
export class QwenImporter {
  readonly #sink: TranscriptSink;

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  record(record: unknown): void {
    if (!isObject(record)) {
      this.#sink.skip(phrase('invalid record'));
      return;
    }
    const at = parseMoment(record['timestamp']);
    const [id, workspace] = [stringOf(record['sessionId']), stringOf(record['cwd'])];
    this.#sink.about?.({ id, workspace });
    if (record['subtype'] === 'chat_compression') {
      addCompaction(this.#sink, { summary: summaryOf(record['systemPayload']), at });
      return;
    }
    if (!isQwen(record) || record['type'] === 'system') {
      this.#sink.skip(phrase('record of type “{0}”', stringOf(record['type']) ?? 'unknown'));
      return;
    }
    const role = record['type'] === 'assistant' || record['message']['role'] === 'model' ? 'assistant' : 'user';
    const blocks = readContent(record['message']['parts'], this.#sink);
    const counted = isObject(record['usageMetadata']) ? record['usageMetadata'] : {};
    const usage = usageOf({
      input: counted['promptTokenCount'],
      output: counted['candidatesTokenCount'],
      cached: counted['cachedContentTokenCount'],
      reasoning: counted['thoughtsTokenCount'],
    });
    if (blocks.length > 0) addBlocks(role, blocks, { at, model: stringOf(record['model']), usage }, this.#sink);
  }
}

/** The compressed history begins with the summary, in the user's role. */
function summaryOf(payload: unknown): string {
  const history = isObject(payload) && isList(payload['compressedHistory']) ? payload['compressedHistory'] : [];
  const [first] = history;
  if (!isObject(first) || !isList(first['parts'])) return '';
  return first['parts'].map((part) => (isObject(part) ? (stringOf(part['text']) ?? '') : '')).join('\n');
}
