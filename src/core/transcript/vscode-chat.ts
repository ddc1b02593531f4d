import { phrase } from '../text/phrase.ts';
import { toolCall, toolResult } from './content-parts.ts';
import type { ContentBlock } from '../model/message.ts';
import { isList, isObject, stringOf, type JsonObject, tryParse } from './json-value.ts';
import {
  addCompaction,
  messageOfBlocks,
  parseMoment,
  usageOf,
  type MessageFacts,
  type TranscriptMessage,
  type TranscriptSink,
  TranscriptError,
} from './transcript-message.ts';

/** True for the JSON that VS Code's “Chat: Export Chat…” writes. */
export function isVsCodeChat(value: unknown): value is JsonObject & { readonly requests: readonly unknown[] } {
  if (!isObject(value) || !isList(value['requests'])) return false;
  return 'responderUsername' in value || value['requests'].some((one) => isObject(one) && 'message' in one);
}

/**
 * VS Code's chat export (`IExportableChatData` in microsoft/vscode, chatModel.ts). Each request is the user's message
 * and a list of response parts: markdown without a kind, tool invocations, references, edits and screen furniture.
 */
export function importVsCodeChat(
  chat: JsonObject & { readonly requests: readonly unknown[] },
  sink: TranscriptSink,
): void {
  tellOf(chat, sink);
  for (const request of chat.requests) {
    if (!isObject(request)) {
      sink.skip(phrase('invalid request'));
      continue;
    }
    const at = parseMoment(request['timestamp']);
    const asked = userText(request['message']);
    if (asked === undefined) sink.skip(phrase('request without a message'));
    else sink.add({ role: 'user', text: asked, at });
    skipAttachments(request['variableData'], sink);
    new Reply(sink, factsOf(request, at)).read(request);
  }
}

function tellOf(chat: JsonObject, sink: TranscriptSink): void {
  const [id, title] = [stringOf(chat['sessionId']), stringOf(chat['customTitle'])];
  const createdAt = parseMoment(chat['creationDate']);
  sink.about?.({ id, title, createdAt });
}

function factsOf(request: JsonObject, at: number | undefined): MessageFacts {
  const result = isObject(request['result']) ? request['result'] : {};
  const metadata = isObject(result['metadata']) ? result['metadata'] : {};
  const usage = usageOf({ input: metadata['promptTokens'], output: metadata['outputTokens'] });
  return { at, model: stringOf(request['modelId']), usage };
}

/** The export names what was attached by its address, without its text. */
function skipAttachments(data: unknown, sink: TranscriptSink): void {
  const attached = isObject(data) && isList(data['variables']) ? data['variables'].filter(isObject) : [];
  for (const { kind } of attached) sink.skip(phrase('attachment of type “{0}”', stringOf(kind) ?? 'unknown'));
}

function userText(message: unknown): string | undefined {
  if (typeof message === 'string') return message;
  if (!isObject(message)) return undefined;
  const text = stringOf(message['text']);
  if (text !== undefined || !isList(message['parts'])) return text;
  return message['parts'].map((part) => (isObject(part) ? (stringOf(part['text']) ?? '') : '')).join('');
}

/** One reply: runs of text and calls become the assistant's messages, each result a message of the tool after it. */
class Reply {
  readonly #sink: TranscriptSink;
  readonly #facts: MessageFacts;
  #text = '';
  #last: TranscriptMessage | undefined;

  constructor(sink: TranscriptSink, facts: MessageFacts) {
    this.#sink = sink;
    this.#facts = facts;
  }

  read(request: JsonObject): void {
    const response = request['response'];
    const parts = isList(response) ? response : response === undefined ? [] : [response];
    const results = toolResults(request['result']);
    for (const part of parts) {
      if (typeof part === 'string') this.#text += part;
      else if (isObject(part)) this.#part(part, results);
    }
    const error = isObject(request['result']) ? request['result']['errorDetails'] : undefined;
    if (isObject(error) && typeof error['message'] === 'string') {
      this.#text += `${this.#text === '' ? '' : '\n\n'}${error['message']}`;
    }
    this.#flush([]);
    // What the provider counted is of the whole request: its last message carries it.
    if (this.#last) this.#sink.add({ ...this.#last, ...(this.#facts.usage && { usage: this.#facts.usage }) });
    const metadata = isObject(request['result']) ? request['result']['metadata'] : undefined;
    const summary =
      isObject(metadata) && isObject(metadata['summary']) ? stringOf(metadata['summary']['text']) : undefined;
    if (summary !== undefined)
      addCompaction(this.#sink, { summary, ...(this.#facts.at !== undefined && { at: this.#facts.at }) });
  }

  #part(part: JsonObject, results: ReadonlyMap<string, string>): void {
    const kind = stringOf(part['kind']);
    switch (kind) {
      case undefined:
        this.#text += markdown(part);
        return;
      case 'markdownContent':
      case 'markdownVuln':
        this.#text += markdown(part['content'] ?? part);
        return;
      case 'inlineReference':
        this.#text += reference(part);
        return;
      case 'toolInvocationSerialized':
      case 'toolInvocation':
        this.#tool(part, results);
        return;
      case 'textEditGroup':
      case 'notebookEditGroup':
        this.#flush([toolCall('', 'edit_file', { path: path(part['uri']), edits: part['edits'] ?? [] })]);
        return;
      case 'thinking':
        this.#sink.skip(phrase('model reasoning'));
        return;
      default:
        this.#sink.skip(phrase('content of type “{0}”', kind));
    }
  }

  #tool(part: JsonObject, results: ReadonlyMap<string, string>): void {
    const callId = stringOf(part['toolCallId']) ?? '';
    const details = isObject(part['resultDetails']) ? part['resultDetails'] : {};
    const specific = isObject(part['toolSpecificData']) ? part['toolSpecificData'] : undefined;
    const said = markdown(part['pastTenseMessage'] ?? part['invocationMessage']);
    const input =
      stringOf(details['input']) ?? specific?.['rawInput'] ?? specific?.['commandLine'] ?? specific?.['command'];
    this.#flush([toolCall(callId, stringOf(part['toolId']) ?? 'tool', input ?? { message: said })]);
    const result = results.get(callId) ?? outputOf(details['output']) ?? said;
    if (result !== '') {
      const blocks = [toolResult(callId, result, details['isError'] === true)];
      this.#add('tool', blocks);
    }
  }

  #flush(calls: readonly ContentBlock[]): void {
    const text = this.#text.trim();
    this.#text = '';
    const blocks: ContentBlock[] = [...(text === '' ? [] : [{ type: 'text', text } as const]), ...calls];
    if (blocks.length > 0) this.#add('assistant', blocks);
  }

  #add(role: 'assistant' | 'tool', blocks: readonly ContentBlock[]): void {
    if (this.#last) this.#sink.add(this.#last);
    const { at, model } = this.#facts;
    this.#last = messageOfBlocks(role, blocks, { at, ...(role === 'assistant' && { model }) });
  }
}

function markdown(value: unknown): string {
  if (typeof value === 'string') return value;
  return isObject(value) ? (stringOf(value['value']) ?? '') : '';
}

function reference(part: JsonObject): string {
  const name = stringOf(part['name']);
  const target = isObject(part['inlineReference']) ? part['inlineReference'] : {};
  const symbol = stringOf(target['name']);
  const file = path(isObject(target['uri']) ? target['uri'] : (target['location'] ?? target));
  const text = name ?? symbol ?? file.slice(file.lastIndexOf('/') + 1);
  return text === '' ? '' : `\`${text}\``;
}

function path(uri: unknown): string {
  if (typeof uri === 'string') return uri;
  if (!isObject(uri)) return '';
  return stringOf(uri['fsPath']) ?? stringOf(uri['path']) ?? (isObject(uri['uri']) ? path(uri['uri']) : '');
}

function outputOf(output: unknown): string | undefined {
  if (typeof output === 'string') return output;
  if (!isList(output)) return undefined;
  return output.map((one) => (isObject(one) ? (stringOf(one['value']) ?? stringOf(one['text']) ?? '') : '')).join('\n');
}

/** `result.metadata.toolCallResults` holds what each tool answered, where the participant kept it. */
function toolResults(result: unknown): ReadonlyMap<string, string> {
  const metadata = isObject(result) ? result['metadata'] : undefined;
  const all = isObject(metadata) ? metadata['toolCallResults'] : undefined;
  const found = new Map<string, string>();
  if (!isObject(all)) return found;
  for (const [callId, answer] of Object.entries(all)) {
    const text = isObject(answer) ? outputOf(answer['content']) : undefined;
    if (text !== undefined && text !== '') found.set(callId, text);
  }
  return found;
}

/** True for the first line of a chat session that VS Code keeps as a log of changes (`chatSessions/*.jsonl`). */
export function isVsCodeChatLog(record: unknown): record is JsonObject {
  return isObject(record) && record['kind'] === 0 && isObject(record['v']) && 'requests' in record['v'];
}

type Path = readonly (string | number)[];

/**
 * The session that a log of changes stands for (`objectMutationLog.ts` in microsoft/vscode): kind 0 is the whole
 * object, 1 sets the value at a path, 2 cuts a list at `i` and appends to it, 3 deletes. The last line may still be in
 * the middle of being written. Throws `TranscriptError`.
 */
export function replayVsCodeChatLog(text: string): unknown {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  let state: unknown;
  for (const [index, line] of lines.entries()) {
    const entry = tryParse(line);
    if (entry === undefined && index === lines.length - 1 && index > 0) break;
    const kind = isObject(entry) ? entry['kind'] : undefined;
    const path = isObject(entry) ? pathOf(entry['k']) : undefined;
    if (!isObject(entry))
      throw new TranscriptError(phrase('The chat can’t be read because line {0} of the file is damaged.', index + 1));
    if (kind === 0) state = entry['v'];
    else if (kind === 1 && path) state = setAt(state, path, () => entry['v']);
    else if (kind === 2 && path) state = setAt(state, path, (list) => spliced(list, entry['v'], entry['i']));
    else if (kind === 3 && path) state = setAt(state, path, () => undefined);
    else
      throw new TranscriptError(phrase('The chat can’t be read because line {0} of the file is damaged.', index + 1));
  }
  return state;
}

function pathOf(value: unknown): Path | undefined {
  if (!isList(value)) return undefined;
  const keys = value.filter((key) => typeof key === 'string' || typeof key === 'number');
  return keys.length === value.length ? keys : undefined;
}

function spliced(list: unknown, added: unknown, at: unknown): unknown[] {
  const kept = isList(list) ? list.slice(0, typeof at === 'number' ? at : undefined) : [];
  return [...kept, ...(isList(added) ? added : [])];
}

function setAt(target: unknown, [key, ...rest]: Path, change: (before: unknown) => unknown): unknown {
  if (key === undefined) return change(target);
  if (typeof key === 'number') {
    const list = isList(target) ? [...target] : [];
    list[key] = setAt(list[key], rest, change);
    return list;
  }
  const object = isObject(target) ? target : {};
  return { ...object, [key]: setAt(object[key], rest, change) };
}
