import { phrase } from '../text/phrase.ts';
import type { ContentBlock } from '../model/message.ts';
import { readContent, toolCall, toolResult } from './content-parts.ts';
import { isList, isObject, objectsAt, textAt, tryParse, valueAt, type JsonObject } from '../text/json-value.ts';
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
    else history.put(record);
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
  const all = readContent(message['content'], sink).map((one) =>
    role === 'user' && one.type === 'text' ? { ...one, text: withoutAddedText(one.text) } : one,
  );
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

/** A message; with `isSummary`, the summary that a compaction added. */
interface Entry {
  message: JsonObject;
  readonly isSummary?: true;
}

/**
 * The messages of a Gemini CLI session, including those that Gemini CLI no longer sends. When the history changes, it
 * stores the new history as a whole, often with new IDs and with shortened tool outputs.
 */
class GeminiHistory {
  #items: Entry[] = [];
  /** The same message may have several IDs. */
  readonly #byId = new Map<string, Entry>();

  get items(): readonly Readonly<Entry>[] {
    return this.#items;
  }

  /** Adds a message, or replaces the one with the same ID. */
  put(message: JsonObject): void {
    const id = textAt(message, 'id');
    const known = id === undefined ? undefined : this.#byId.get(id);
    if (known) {
      known.message = message;
      return;
    }
    const entry = { message };
    this.#items.push(entry);
    if (id !== undefined) this.#byId.set(id, entry);
  }

  /** Removes the message with this ID and everything after it. */
  rewindTo(id: string): void {
    const entry = this.#byId.get(id);
    const at = entry ? this.#items.indexOf(entry) : -1;
    if (at >= 0) this.#items.splice(at);
  }

  /**
   * Applies a new history. Messages that are only in the old one were undone if nothing follows them, or else replaced
   * by a summary, which is the first new message.
   */
  replace(history: readonly JsonObject[]): void {
    if (this.#items.length === 0) return history.forEach((message) => this.put(message));
    const entries = this.#items.filter(({ isSummary }) => !isSummary);
    const matched = this.#match(entries, history);
    const kept = new Set(matched.values());
    const ids = new Set(history.map(({ id }) => id));
    // Gemini CLI may store copies of messages before it stores the new history.
    const copies = new Set(entries.filter((entry) => !kept.has(entry) && ids.has(entry.message['id'])));
    const missing = new Set(entries.filter((entry) => !kept.has(entry) && !copies.has(entry)));
    this.#remove(copies);
    const lastMissing = this.#items.findLastIndex((item) => missing.has(item));
    const summary = lastMissing < 0 ? undefined : this.#summaryOf(history, matched, lastMissing);
    if (summary) {
      this.#remove(new Set(summary.entries));
      this.#items.splice(lastMissing + 1, 0, { message: summary.message, isSummary: true });
    } else if (lastMissing === this.#items.length - 1) this.#remove(missing);
    this.#insert(history, matched, new Set(summary?.messages));
  }

  /** Maps messages of a new history to their old entries, from the newest message back. */
  #match(entries: readonly Entry[], history: readonly JsonObject[]): Map<JsonObject, Entry> {
    const named = history.map((message) => this.#byId.get(textAt(message, 'id') ?? ''));
    if (named.every((entry, index) => entry !== undefined && entry === entries[index]))
      return new Map(history.map((message, index) => [message, entries[index]!]));
    const positions = new Map<string, number[]>();
    for (const [at, { message }] of entries.entries()) {
      const name = fingerprint(message);
      const list = positions.get(name);
      if (list) list.push(at);
      else positions.set(name, [at]);
    }
    positions.delete('');
    const ids = new Set(history.map(({ id }) => id));
    const matched = new Map<JsonObject, Entry>();
    let end = entries.length;
    for (const [index, message] of [...history.entries()].reverse()) {
      const list = positions.get(fingerprint(message)) ?? [];
      while (list.length > 0 && list.at(-1)! >= end) list.pop();
      // If the newest candidate is a copy of this message, an earlier one is the original.
      while (list.length > 1 && ids.has(entries[list.at(-1)!]!.message['id'])) list.pop();
      const at = list.pop();
      const entry = at === undefined ? named[index] : entries[at];
      if (at !== undefined) end = at;
      if (!entry) continue;
      matched.set(message, entry);
      if (typeof message['id'] === 'string') this.#byId.set(message['id'], entry);
    }
    return matched;
  }

  /** The summary, which is the first new message, with the model's answer to it, and their entries if stored before. */
  #summaryOf(history: readonly JsonObject[], matched: ReadonlyMap<JsonObject, Entry>, lastMissing: number) {
    const isNew = (message: JsonObject | undefined): boolean => {
      const entry = message && matched.get(message);
      return message !== undefined && (!entry || this.#items.indexOf(entry) > lastMissing);
    };
    const at = history.findIndex((message) => message['type'] === 'user' && !isAddedContext(message));
    const message = history[at];
    if (!message || !isNew(message)) return undefined;
    if (matched.has(message) && !contentText(message).includes('<state_snapshot>')) return undefined;
    const answer = history[at + 1];
    const messages = [message, ...(answer && answer['type'] !== 'user' && isNew(answer) ? [answer] : [])];
    return { message, messages, entries: messages.flatMap((one) => matched.get(one) ?? []) };
  }

  /** Inserts each new message after the one that it follows. */
  #insert(history: readonly JsonObject[], matched: ReadonlyMap<JsonObject, Entry>, summary: Set<JsonObject>): void {
    const answered = new Set(this.#items.flatMap(({ message, isSummary }) => (isSummary ? [] : resultIds(message))));
    let after: Entry | undefined;
    for (const message of history) {
      const known = matched.get(message);
      if (known) after = known;
      if (known || summary.has(message) || responseIds(message).some((id) => answered.has(id))) continue;
      const entry = { message };
      const at = after ? this.#items.indexOf(after) : -1;
      this.#items.splice(at < 0 ? this.#items.length : at + 1, 0, entry);
      if (typeof message['id'] === 'string') this.#byId.set(message['id'], entry);
      after = entry;
    }
  }

  #remove(entries: ReadonlySet<Entry>): void {
    this.#items = this.#items.filter((item) => !entries.has(item));
  }
}

/** The beginnings of user messages that Gemini CLI adds as context, and its request to continue. */
const ADDED_CONTEXT =
  /^\s*(?:<(?:session_context|hook_context)>|# Initial Context\s+(?:---|<)|System: Please continue\.$)/;
/** What Gemini Code Assist appends to the user's text. Messages of an earlier session follow the last heading. */
const IDE_CONTEXT =
  /\n(?=Current File Path:\n|User Selected Files:\n|\n{3} PRIOR CHAT HISTORY: )(?:Current File Path:\n```.*\n.*\n```\s{0,9})?(?:User Selected Files:\n(?:- .*\n)+\s{0,9})?(?:\s{0,9}PRIOR CHAT HISTORY: [^]*)?$/;
/** What the user wrote while the model was working, with instructions for the model. */
const HINT = /^User hints:\n<user_input>\n([^]*)\n<\/user_input>\n\nInternal instruction: [^]*$/;

/** Whether this is context that Gemini CLI added as a user message. */
const isAddedContext = (message: JsonObject): boolean =>
  message['type'] === 'user' && ADDED_CONTEXT.test(contentText(message));

function withoutAddedText(text: string): string {
  const start = text.search(IDE_CONTEXT);
  return (start < 0 ? text : text.slice(0, start).trimEnd()).replace(HINT, '$1');
}

const partsOf = ({ content }: JsonObject): readonly JsonObject[] =>
  isList(content) ? content.filter(isObject) : isObject(content) ? [content] : [];

function contentText(message: JsonObject): string {
  if (typeof message['content'] === 'string') return message['content'];
  return partsOf(message)
    .filter((part) => part['thought'] !== true)
    .map((part) => textAt(part, 'text') ?? '')
    .join('');
}

/** The IDs of the calls that a message answers in Google's format. */
const responseIds = (message: JsonObject): string[] =>
  partsOf(message).flatMap((part) => textAt(part, 'functionResponse', 'id') ?? []);

/** The IDs of the calls whose results a message contains. */
const resultIds = (message: JsonObject): string[] => [
  ...responseIds(message),
  ...objectsAt(message, 'toolCalls').flatMap((call) => (isList(call['result']) ? (textAt(call, 'id') ?? []) : [])),
];

/** Equal for a message and its copies, which may have other IDs and shortened outputs; '' without content. */
function fingerprint(message: JsonObject): string {
  const calls = [
    ...objectsAt(message, 'toolCalls').map((call) => textAt(call, 'id') ?? ''),
    ...partsOf(message).flatMap((part) => textAt(valueAt(part, 'functionCall'), 'id') ?? []),
  ];
  const content = [
    contentText(message).trim(),
    ...new Set(calls.sort()),
    ...responseIds(message).map((id) => `→${id}`),
  ];
  return content.every((one) => one === '') ? '' : JSON.stringify([message['type'], ...content]);
}
