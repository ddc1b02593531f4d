import { phrase } from '../text/phrase.ts';
import type { ContentBlock } from '../model/message.ts';
import { readContent, toolCall, toolResult } from './content-parts.ts';
import { isList, isObject, objectsAt, textAt, tryParse, valueAt, type JsonObject } from '../text/json-value.ts';
import { contentText, GeminiHistory, isAddedContext } from './gemini-history.ts';
import { parseTimestamp, usageOf, type TranscriptSink } from './transcript-message.ts';

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
 * session (`$set`), which may replace the messages, and rewinds (`$rewindTo`).
 */
export function importGemini(source: string | JsonObject, sink: TranscriptSink): void {
  const document = typeof source === 'string' ? tryParse(source) : source;
  let session: JsonObject = {};
  const history = new GeminiHistory();
  const putMessage = (message: unknown): void => {
    if (isObject(message)) history.put(message);
    else sink.skip(phrase('invalid record'));
  };
  const updateSession = (value: JsonObject): void => {
    session = { ...session, ...value };
    const { messages } = value;
    if (!isList(messages)) return;
    for (const message of messages) if (!isObject(message)) sink.skip(phrase('invalid record'));
    history.replace(messages.filter(isObject));
  };
  const lines =
    typeof source === 'string' && document === undefined ? source.split('\n').filter((line) => line.trim() !== '') : [];
  if (isObject(document)) updateSession(document);
  for (const line of lines) {
    const record = tryParse(line);
    if (!isObject(record)) sink.skip(phrase('invalid JSON line'));
    else if (isObject(record['$set'])) updateSession(record['$set']);
    else if (typeof record['$rewindTo'] === 'string') history.rewindTo(record['$rewindTo']);
    else if (isGemini(record)) updateSession(record);
    else putMessage(record);
  }
  const createdAt = parseTimestamp(session['startTime']);
  sink.addFacts({ id: textAt(session, 'sessionId'), title: textAt(session, 'summary'), createdAt });
  const answered = new Set<string>();
  for (const { message, isSummary } of history.items) {
    if (!isSummary) addMessage(message, answered, sink);
    else sink.addCompaction({ summary: contentText(message), at: parseTimestamp(message['timestamp']) });
  }
}

/** Adds a message and the results of its calls. `answered`: IDs of the calls whose results were added. */
function addMessage(message: JsonObject, answered: Set<string>, sink: TranscriptSink): void {
  const type = textAt(message, 'type') ?? 'unknown';
  const role = ROLE_BY_TYPE[type];
  if (role === undefined) return sink.skipRecord(type);
  if (isAddedContext(message)) return sink.skip(phrase('context added by the tool'));
  const at = parseTimestamp(message['timestamp']);
  const all = readContent(message['content'], sink);
  const content = all.filter(
    (one) =>
      (one.type !== 'text' || one.text !== '') &&
      (one.type !== 'tool_result' || !answered.has(one.callId) || one.callId === ''),
  );
  // Content in Google's format contains the calls as well.
  const callIds = new Set(content.map((one) => (one.type === 'tool_call' ? one.callId : '')));
  const calls = objectsAt(message, 'toolCalls');
  const others = calls.filter(({ id }) => typeof id !== 'string' || !callIds.has(id));
  const blocks = [...content, ...others.map((call) => toolCall(call['id'], call['name'], call['args']))];
  if (isList(message['thoughts']) && message['thoughts'].length > 0) sink.skipReasoning();
  const count = (name: string): unknown => valueAt(message, 'tokens', name);
  const usage = usageOf({
    input: count('input'),
    output: withThoughts(count('output'), count('thoughts')),
    cached: count('cached'),
    reasoning: count('thoughts'),
  });
  if (blocks.length > 0) sink.addMessage(role, blocks, { at, model: textAt(message, 'model'), usage });
  else if (all.length === 0 || all.some(({ type }) => type !== 'tool_result'))
    sink.skip(phrase('message without readable content'));
  const results = calls.flatMap((call) => resultOf(call, sink));
  for (const one of [...content, ...results]) if (one.type === 'tool_result') answered.add(one.callId);
  sink.addMessage('tool', results, { at });
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
