import { phrase } from '../text/phrase.ts';
import type { ContentBlock } from '../model/message.ts';
import { readContent, toolCall, toolResult } from './content-parts.ts';
import {
  isList,
  isObject,
  objectsAt,
  stringOf,
  textAt,
  tryParse,
  valueAt,
  type JsonObject,
} from '../text/json-value.ts';
import {
  messageFromBlocks,
  parseTimestamp,
  skipReasoning,
  skipRecord,
  usageOf,
  type TranscriptSink,
} from './transcript-message.ts';

const ROLE_BY_TYPE: Readonly<Record<string, 'user' | 'assistant'>> = {
  user: 'user',
  gemini: 'assistant',
  model: 'assistant',
  qwen: 'assistant',
};

/** Whether this is a Gemini CLI session, or its first record if it's JSONL. */
export const isGemini = (value: unknown): value is JsonObject =>
  isObject(value) && typeof value['sessionId'] === 'string' && ('startTime' in value || 'projectHash' in value);

/**
 * Imports a Gemini CLI session (`tmp/<project>/chats/session-*`). Until 2025, it was a JSON document. Since then, it's
 * JSONL with three kinds of records: messages (a later record replaces an earlier one with the same ID), changes to the
 * session (`$set`), and rewinds (`$rewindTo`).
 */
export function importGemini(source: string | JsonObject, sink: TranscriptSink): void {
  const document = typeof source === 'string' ? tryParse(source) : source;
  let session: JsonObject = {};
  let messages = new Map<string, JsonObject>();
  const putMessage = (message: unknown): void => {
    if (isObject(message)) messages.set(stringOf(message['id']) ?? String(messages.size), message);
    else sink.skip(phrase('invalid record'));
  };
  const updateSession = (value: JsonObject): void => {
    session = { ...session, ...value };
    if (!isList(value['messages'])) return;
    messages = new Map();
    value['messages'].forEach(putMessage);
  };
  const lines =
    typeof source === 'string' && document === undefined ? source.split('\n').filter((line) => line.trim() !== '') : [];
  if (isObject(document)) updateSession(document);
  for (const line of lines) {
    const record = tryParse(line);
    if (!isObject(record)) sink.skip(phrase('invalid JSON line'));
    else if (isObject(record['$set'])) updateSession(record['$set']);
    else if (typeof record['$rewindTo'] === 'string') rewind(messages, record['$rewindTo']);
    else if (isGemini(record)) updateSession(record);
    else putMessage(record);
  }
  const createdAt = parseTimestamp(session['startTime']);
  sink.about?.({ id: textAt(session, 'sessionId'), title: textAt(session, 'summary'), createdAt });
  for (const message of messages.values()) addMessage(message, sink);
}

/** Removes the message with this ID and all messages after it. */
function rewind(messages: Map<string, JsonObject>, id: string): void {
  const ids = [...messages.keys()];
  const at = ids.indexOf(id);
  for (const id of at < 0 ? [] : ids.slice(at)) messages.delete(id);
}

function addMessage(message: JsonObject, sink: TranscriptSink): void {
  const type = textAt(message, 'type') ?? 'unknown';
  const role = ROLE_BY_TYPE[type];
  if (role === undefined) return skipRecord(sink, type);
  const at = parseTimestamp(message['timestamp']);
  const calls = objectsAt(message, 'toolCalls');
  const content = readContent(message['content'], sink).filter((one) => one.type !== 'text' || one.text !== '');
  const blocks = [...content, ...calls.map((call) => toolCall(call['id'], call['name'], call['args']))];
  if (isList(message['thoughts']) && message['thoughts'].length > 0) skipReasoning(sink);
  const count = (name: string): unknown => valueAt(message, 'tokens', name);
  const usage = usageOf({
    input: count('input'),
    output: withThoughts(count('output'), count('thoughts')),
    cached: count('cached'),
    reasoning: count('thoughts'),
  });
  if (blocks.length > 0) sink.add(messageFromBlocks(role, blocks, { at, model: textAt(message, 'model'), usage }));
  else sink.skip(phrase('message without readable content'));
  const results = calls.flatMap((call) => resultOf(call, sink));
  if (results.length > 0) sink.add(messageFromBlocks('tool', results, { at }));
}

/** Gemini CLI counts thoughts separately, but they are part of the output. */
const withThoughts = (output: unknown, thoughts: unknown): unknown =>
  typeof output === 'number' && typeof thoughts === 'number' ? output + thoughts : output;

function resultOf(call: JsonObject, sink: TranscriptSink): ContentBlock[] {
  const { result } = call;
  if (result === undefined || result === null) return [];
  const found = readContent(result, sink);
  const text = found.flatMap((one) => (one.type === 'text' || one.type === 'tool_result' ? [one.text] : [])).join('\n');
  const isError = call['status'] === 'error' || found.some((one) => one.type === 'tool_result' && one.isError);
  return [toolResult(call['id'], text, isError), ...found.filter(({ type }) => type === 'image')];
}
