import { phrase } from '../text/phrase.ts';
import { toolCall, toolResult } from './content-parts.ts';
import type { ContentBlock, Role } from '../model/message.ts';
import { isList, isObject, objectsAt, textAt, tryParse, valueAt, type JsonObject } from '../text/json-value.ts';
import { parseTimestamp, usageOf, type TranscriptSink, TranscriptError } from './transcript-message.ts';

/** Whether this is the JSON of VS Code's “Chat: Export Chat…”. */
export function isVsCodeChat(value: unknown): value is JsonObject & { readonly requests: readonly unknown[] } {
  if (!isObject(value) || !isList(value['requests'])) return false;
  return 'responderUsername' in value || value['requests'].some((one) => isObject(one) && 'message' in one);
}

/**
 * Imports VS Code's chat export (`IExportableChatData` in microsoft/vscode, chatModel.ts). Each request has the user's
 * message and the response as a list of parts: Markdown (without `kind`), tool invocations, references, edits, and UI.
 */
export function importVsCodeChat(
  chat: JsonObject & { readonly requests: readonly unknown[] },
  sink: TranscriptSink,
): void {
  const createdAt = parseTimestamp(chat['creationDate']);
  sink.addFacts({ id: textAt(chat, 'sessionId'), title: textAt(chat, 'customTitle'), createdAt });
  for (const request of chat.requests) {
    if (!isObject(request)) sink.skip(phrase('invalid request'));
    else if (isRemovedRequest(request)) sink.skip(phrase('hidden message'));
    else importRequest(request, sink);
  }
}

function importRequest(request: JsonObject, sink: TranscriptSink): void {
  const at = parseTimestamp(request['timestamp']);
  const prompt = userText(request['message']);
  if (prompt === undefined) sink.skip(phrase('request without a message'));
  // VS Code itself continues a chat, for example when a command in the background has ended.
  else sink.add({ role: request['isSystemInitiated'] === true ? 'tool' : 'user', text: prompt, at });
  // The export contains the URIs of attachments, but not their text.
  for (const { kind } of objectsAt(request, 'variableData', 'variables')) sink.skipAttachment(kind);
  new ResponseImporter(sink).import(request, at);
}

/**
 * Whether VS Code hides a request because the user went back to an earlier one, and removes it when the next request is
 * sent. With `afterUndoStop`, only the end of the response is hidden.
 */
function isRemovedRequest(request: JsonObject): boolean {
  const removed = request['shouldBeRemovedOnSend'];
  return isObject(removed) && removed['afterUndoStop'] === undefined;
}

function userText(message: unknown): string | undefined {
  const text = textAt(message) ?? textAt(message, 'text');
  if (text !== undefined || !isList(valueAt(message, 'parts'))) return text;
  return objectsAt(message, 'parts')
    .map((part) => textAt(part, 'text') ?? '')
    .join('');
}

/** Imports a response. Text and the following call become an assistant message, and each result a tool message. */
class ResponseImporter {
  readonly #sink: TranscriptSink;
  readonly #messages: { readonly role: Role; readonly blocks: readonly ContentBlock[] }[] = [];
  #text = '';

  constructor(sink: TranscriptSink) {
    this.#sink = sink;
  }

  import(request: JsonObject, at: number | undefined): void {
    const response = request['response'];
    const parts = isList(response) ? response : response === undefined ? [] : [response];
    const results = toolResults(request['result']);
    for (const part of parts) {
      if (typeof part === 'string') this.#text += part;
      else if (isObject(part)) this.#part(part, results);
    }
    const error = textAt(request, 'result', 'errorDetails', 'message');
    if (error !== undefined) this.#text += `${this.#text === '' ? '' : '\n\n'}${error}`;
    this.#flush([]);
    const metadata = valueAt(request, 'result', 'metadata');
    const usage = usageOf({ input: valueAt(metadata, 'promptTokens'), output: valueAt(metadata, 'outputTokens') });
    for (const [index, { role, blocks }] of this.#messages.entries()) {
      const model = role === 'assistant' ? textAt(request, 'modelId') : undefined;
      // This is the usage of the whole request, so only the last message gets it.
      this.#sink.addMessage(role, blocks, {
        at,
        model,
        usage: index === this.#messages.length - 1 ? usage : undefined,
      });
    }
    const summary = textAt(metadata, 'summary', 'text');
    if (summary !== undefined) this.#sink.addCompaction({ summary, at });
  }

  #part(part: JsonObject, results: ReadonlyMap<string, string>): void {
    const kind = textAt(part, 'kind');
    switch (kind) {
      case undefined:
        this.#text += markdownText(part);
        return;
      case 'markdownContent':
      case 'markdownVuln':
        this.#text += markdownText(part['content'] ?? part);
        return;
      case 'inlineReference':
        this.#text += referenceText(part);
        return;
      case 'toolInvocationSerialized':
      case 'toolInvocation':
        return this.#tool(part, results);
      case 'textEditGroup':
      case 'notebookEditGroup':
        return this.#flush([toolCall('', 'edit_file', { path: uriPath(part['uri']), edits: part['edits'] ?? [] })]);
      case 'thinking':
        return this.#sink.skipReasoning();
      default: {
        const asked = askedQuestion(part);
        if (asked) this.#asked(asked);
        else this.#sink.skipContent(kind);
      }
    }
  }

  /** A question is part of the response, and its answer becomes a user message. */
  #asked({ question, answer }: AskedQuestion): void {
    this.#text += `\n\n${question}`;
    if (answer === '') return;
    this.#flush([]);
    this.#messages.push({ role: 'user', blocks: [{ type: 'text', text: answer }] });
  }

  #tool(part: JsonObject, results: ReadonlyMap<string, string>): void {
    const callId = textAt(part, 'toolCallId') ?? '';
    const description = markdownText(part['pastTenseMessage'] ?? part['invocationMessage']);
    const toolData = (name: string): unknown => valueAt(part, 'toolSpecificData', name);
    const input =
      textAt(part, 'resultDetails', 'input') ?? toolData('rawInput') ?? toolData('commandLine') ?? toolData('command');
    this.#flush([toolCall(callId, part['toolId'], input ?? { message: description })]);
    const stored = results.get(callId) ?? '';
    const result = stored === '' ? (outputText(valueAt(part, 'resultDetails', 'output')) ?? description) : stored;
    const isError = valueAt(part, 'resultDetails', 'isError') === true;
    if (result !== '') this.#messages.push({ role: 'tool', blocks: [toolResult(callId, result, isError)] });
  }

  #flush(calls: readonly ContentBlock[]): void {
    const text = this.#text.trim();
    this.#text = '';
    const blocks: ContentBlock[] = [...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls];
    if (blocks.length > 0) this.#messages.push({ role: 'assistant', blocks });
  }
}

/** A question in a response, and the user's answer, which is empty if there is none. */
interface AskedQuestion {
  readonly question: string;
  readonly answer: string;
}

const markdownText = (value: unknown): string => textAt(value) ?? textAt(value, 'value') ?? '';

/**
 * The question in a part of a response (`IChatQuestionCarousel`, `IChatPlanReview`, and
 * `IChatElicitationRequestSerialized` in microsoft/vscode, chatService.ts). Undefined for other parts and for forms
 * that weren't filled in.
 */
function askedQuestion(part: JsonObject): AskedQuestion | undefined {
  const { kind, title, message, content } = part;
  if (kind === 'questionCarousel') {
    const questions = objectsAt(part, 'questions').map((question) => ({
      text: markdownText(question['message']) || markdownText(question['title']),
      answer: chosen(valueAt(part, 'data', String(question['id'])), question),
    }));
    const answers = questions.filter(({ answer }) => answer !== '');
    return {
      question: paragraphs(markdownText(message), ...questions.map(({ text }) => text)),
      answer: answers.map(({ text, answer }) => (questions.length === 1 ? answer : `${text}: ${answer}`)).join('\n'),
    };
  }
  if (kind === 'planReview') {
    const answer = textAt(part, 'data', 'feedback') || (textAt(part, 'data', 'action') ?? '');
    return { question: paragraphs(markdownText(title), markdownText(content)), answer };
  }
  const { acceptedResult } = part;
  if (kind !== 'elicitation' && kind !== 'elicitationSerialized') return undefined;
  if (!isObject(acceptedResult)) return undefined;
  const fields = Object.entries(acceptedResult).map(([name, value]) => `${name}: ${[value].flat().join(', ')}`);
  return { question: paragraphs(markdownText(title), markdownText(message)), answer: fields.join('\n') };
}

const paragraphs = (...texts: readonly string[]): string => texts.filter((text) => text !== '').join('\n\n');

/** The labels of the selected options, and the text that the user entered. */
function chosen(answer: unknown, question: JsonObject): string {
  if (!isObject(answer) && !isList(answer)) return textAt(answer) ?? '';
  const {
    selectedValue,
    selectedValues = selectedValue,
    freeformValue,
  } = isObject(answer) ? answer : { selectedValue: answer };
  const options = objectsAt(question, 'options');
  const labelOf = (value: unknown): unknown => options.find((option) => option['value'] === value)?.['label'] ?? value;
  return [...[selectedValues].flat().map(labelOf), freeformValue].flatMap((value) => textAt(value) || []).join(', ');
}

function referenceText(part: JsonObject): string {
  const target = isObject(part['inlineReference']) ? part['inlineReference'] : {};
  const { uri } = target;
  const file = uriPath(isObject(uri) ? uri : (target['location'] ?? target));
  const text = textAt(part, 'name') ?? textAt(target, 'name') ?? file.slice(file.lastIndexOf('/') + 1);
  return text === '' ? '' : `\`${text}\``;
}

function uriPath(uri: unknown): string {
  const direct = textAt(uri) ?? textAt(uri, 'fsPath') ?? textAt(uri, 'path');
  return direct ?? (isObject(valueAt(uri, 'uri')) ? uriPath(valueAt(uri, 'uri')) : '');
}

function outputText(output: unknown): string | undefined {
  if (!isList(output)) return textAt(output);
  return output.map((one) => textAt(one, 'value') ?? textAt(one, 'text') ?? '').join('\n');
}

/** The results of tools by call ID, from `result.metadata.toolCallResults`, if the participant stored them. */
function toolResults(result: unknown): ReadonlyMap<string, string> {
  const all = valueAt(result, 'metadata', 'toolCallResults');
  const entries = Object.entries(isObject(all) ? all : {});
  return new Map(entries.map(([callId, answer]) => [callId, outputText(valueAt(answer, 'content')) ?? '']));
}

/** Whether this is the first record of a chat that VS Code stores as a log of changes (`chatSessions/*.jsonl`). */
export const isVsCodeChatLog = (record: unknown): record is JsonObject =>
  isObject(record) && record['kind'] === 0 && isObject(record['v']) && 'requests' in record['v'];

/**
 * Replays a chat's log of changes (`objectMutationLog.ts` in microsoft/vscode): kind 0 is the whole object, 1 sets the
 * value at a path, 2 truncates a list at `i` and appends to it, and 3 deletes a value. An incomplete last line is
 * ignored. Throws `TranscriptError`.
 */
export function replayVsCodeChatLog(text: string): unknown {
  const lines = text.trimEnd().split('\n');
  let state: unknown;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const entry = tryParse(line);
    if (entry === undefined && index === lines.length - 1 && index > 0) break;
    const next = isObject(entry) ? applyChange(state, entry) : undefined;
    if (!next)
      throw new TranscriptError(phrase('The chat can’t be read because line {0} of the file is damaged.', index + 1));
    state = next.state;
  }
  return state;
}

type Change = (before: unknown) => unknown;

/** The changed state; undefined if the change is invalid. */
function applyChange(before: unknown, { kind, k: path, v: value, i: at }: JsonObject) {
  if (kind === 0) return { state: value };
  if (!isList(path) || !path.every((key) => typeof key === 'string' || typeof key === 'number')) return undefined;
  if (!canSet(before, path)) return undefined;
  const setAs = (change: Change): { readonly state: unknown } => ({ state: setAt(before, path, change) });
  if (kind === 1) return setAs(() => value);
  if (kind === 3) return setAs(() => undefined);
  if (kind !== 2) return undefined;
  return setAs((list) => [
    ...(isList(list) ? list.slice(0, typeof at === 'number' ? at : undefined) : []),
    ...(isList(value) ? value : []),
  ]);
}

/** Whether no index of a path lies beyond the end of its list, because a large one could take all memory. */
function canSet(target: unknown, [key, ...rest]: readonly (string | number)[]): boolean {
  if (key === undefined) return true;
  if (typeof key === 'string') return canSet(valueAt(target, key), rest);
  const list = isList(target) ? target : [];
  return Number.isInteger(key) && key >= 0 && key <= list.length && canSet(list[key], rest);
}

function setAt(target: unknown, [key, ...rest]: readonly (string | number)[], change: Change): unknown {
  if (key === undefined) return change(target);
  if (typeof key === 'number') {
    const list = isList(target) ? [...target] : [];
    list[key] = setAt(list[key], rest, change);
    return list;
  }
  return { ...(isObject(target) && target), [key]: setAt(valueAt(target, key), rest, change) };
}
