import { phrase } from '../text/phrase.ts';
import { readMessageContent } from './content-parts.ts';
import { isList, isObject, objectsAt, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { BeforeResumeError, parseTimestamp, usageOf, type TranscriptSink } from './transcript-message.ts';

/** Whether this is a record of a Qwen Code session: a record like Claude Code's with a message in Google's format. */
export const isQwen = (record: unknown): record is JsonObject =>
  textAt(record, 'type') !== undefined && isList(valueAt(record, 'message', 'parts'));

/** User messages that the tool wrote, for example about a background task or for a scheduled one. */
const NOTIFICATIONS: readonly unknown[] = ['notification', 'cron', 'goal_runtime'];

/**
 * Imports a Qwen Code session (`projects/<folder>/chats/<id>.jsonl`) record by record. Each record names the one before
 * it. When the user goes back, the tool adds a record of the type `rewind`, which names an earlier one.
 *
 * @param isSubagent whether the file is a subagent's session, whose records name the session that started it
 */
export function qwenImporter(sink: TranscriptSink, isSubagent = false, isResumed = false) {
  /** The positions after records, by their IDs. */
  const positions = new Map<unknown, TranscriptSink['position']>(isResumed ? [] : [[null, undefined]]);
  return {
    record(record: unknown): void {
      if (!isObject(record)) return sink.skip(phrase('invalid record'));
      const { uuid, parentUuid, subtype } = record;
      if (subtype === 'rewind') {
        if (positions.has(parentUuid)) sink.position = positions.get(parentUuid);
        else if (isResumed) throw new BeforeResumeError();
      }
      importRecord(record, sink, isSubagent);
      if (typeof uuid === 'string') positions.set(uuid, sink.position);
    },
  };
}

function importRecord(record: JsonObject, sink: TranscriptSink, isSubagent: boolean): void {
  const at = parseTimestamp(record['timestamp']);
  reportFacts(record, sink, isSubagent);
  if (record['isSidechain'] === true && !isSubagent) return sink.skip(phrase('subagent message'));
  if (record['subtype'] === 'chat_compression') {
    // The compressed history begins with the summary, as a user message.
    const [first] = objectsAt(record, 'systemPayload', 'compressedHistory');
    const summary = objectsAt(first, 'parts').map((part) => textAt(part, 'text') ?? '');
    return sink.addCompaction({ summary: summary.join('\n'), at });
  }
  if (!isQwen(record) || record['type'] === 'system') return sink.skipRecord(record['type']);
  const isReply = record['type'] === 'assistant' || textAt(record, 'message', 'role') === 'model';
  const blocks = readMessageContent(valueAt(record, 'message', 'parts'), sink);
  const count = (name: string): unknown => valueAt(record, 'usageMetadata', name);
  const usage = usageOf({
    input: count('promptTokenCount'),
    output: count('candidatesTokenCount'),
    cached: count('cachedContentTokenCount'),
    reasoning: count('thoughtsTokenCount'),
  });
  const facts = { at, model: textAt(record, 'model'), usage };
  const role = isReply ? 'assistant' : NOTIFICATIONS.includes(record['subtype']) ? 'tool' : 'user';
  sink.addMessage(role, blocks, facts);
}

function reportFacts(record: JsonObject, sink: TranscriptSink, isSubagent: boolean): void {
  const session = textAt(record, 'sessionId');
  const agent = isSubagent ? textAt(record, 'agentId') : undefined;
  const parent = agent === undefined ? textAt(record, 'systemPayload', 'parentSessionId') : session;
  const title = record['subtype'] === 'custom_title' ? textAt(record, 'systemPayload', 'customTitle') : undefined;
  sink.addFacts({ id: agent ?? session, parent, title, workspace: textAt(record, 'cwd') });
}
