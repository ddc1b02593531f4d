import { phrase } from '../text/phrase.ts';
import type { Role } from '../model/message.ts';
import { readContent, toolCall, toolResult } from './content-parts.ts';
import { isList, isObject, stringOf, tryParse, type JsonObject } from './json-value.ts';
import { addBlocks } from './role-content.ts';
import {
  addCompaction,
  messageOfBlocks,
  parseMoment,
  usageOf,
  type MessageFacts,
  type TranscriptMessage,
  type TranscriptSink,
} from './transcript-message.ts';

const LINE_TYPES: ReadonlySet<unknown> = new Set([
  'session_meta',
  'response_item',
  'event_msg',
  'turn_context',
  'compacted',
]);

/** Context that Codex writes as the user's words before the first real ones. */
const INJECTED = /^\s*(<environment_context>|<user_instructions>|<permissions |# AGENTS\.md instructions for )/;

/** True for a record of a Codex session: the envelope since 2025, or the bare head line of older files. */
export function isCodex(record: unknown): boolean {
  if (!isObject(record)) return false;
  if (isObject(record['payload']) && LINE_TYPES.has(record['type'])) return true;
  return record['record_type'] === 'state' || ('instructions' in record && 'id' in record && 'timestamp' in record);
}

/**
 * A Codex session (`rollout-*.jsonl`), record by record. `response_item` lines are the conversation; `event_msg`
 * lines repeat it for the screen and are left out, as is all bookkeeping. A reply's token count comes in a line after
 * it, so a reply waits for it.
 */
export class CodexImporter {
  readonly #sink: TranscriptSink;
  readonly #waiting: TranscriptMessage[] = [];
  readonly #send: (message: TranscriptMessage) => void;
  #model: string | undefined;

  constructor(sink: TranscriptSink, model?: string) {
    this.#model = model;
    this.#sink = {
      ...sink,
      add: (message) => {
        if (message.role !== 'tool') this.#flush();
        if (message.role === 'user') sink.add(message);
        else this.#waiting.push(message);
      },
    };
    this.#send = (message) => sink.add(message);
  }

  get isSettled(): boolean {
    return this.#waiting.length === 0;
  }

  record(record: unknown): void {
    if (!isObject(record)) {
      this.#sink.skip(phrase('invalid record'));
      return;
    }
    const payload = record['payload'];
    const at = parseMoment(record['timestamp']);
    if (isObject(payload)) {
      this.#tell(record['type'], payload, at);
      if (record['type'] === 'response_item') this.#item(payload, at);
      else if (record['type'] === 'compacted') {
        this.#flush();
        addCompaction(this.#sink, { summary: stringOf(payload['message']) ?? '', at });
      } else this.#sink.skip(phrase('record of type “{0}”', stringOf(record['type']) ?? 'unknown'));
    } else if (isCodex(record)) {
      this.#sink.skip(phrase('record of type “{0}”', 'session_meta'));
    } else {
      this.#item(record, at);
    }
  }

  end(): void {
    this.#flush();
  }

  #flush(): void {
    for (const message of this.#waiting.splice(0)) this.#send(message);
  }

  #tell(type: unknown, payload: JsonObject, at: number | undefined): void {
    if (type === 'turn_context') this.#model = stringOf(payload['model']) ?? this.#model;
    if (type === 'turn_context' && this.#model !== undefined) this.#sink.about?.({ model: this.#model });
    if (type === 'session_meta') {
      const [id, workspace, parent] = [payload['id'], payload['cwd'], parentOf(payload['source'])].map(stringOf);
      this.#sink.about?.({ id, workspace, parent, createdAt: at });
    }
    if (type !== 'event_msg' || payload['type'] !== 'token_count' || !isObject(payload['info'])) return;
    const last = payload['info']['last_token_usage'];
    const index = this.#waiting.findLastIndex(({ role }) => role === 'assistant');
    const usage = isObject(last)
      ? usageOf({
          input: last['input_tokens'],
          output: last['output_tokens'],
          cached: last['cached_input_tokens'],
          reasoning: last['reasoning_output_tokens'],
        })
      : undefined;
    if (usage && index >= 0) this.#waiting[index] = { ...this.#waiting[index]!, usage };
  }

  #item(item: JsonObject, at: number | undefined): void {
    const type = stringOf(item['type']) ?? (typeof item['role'] === 'string' ? 'message' : 'unknown');
    switch (type) {
      case 'message':
        this.#message(item, at);
        return;
      case 'function_call':
        this.#call(item, item['name'], item['arguments'], at);
        return;
      case 'custom_tool_call':
        this.#call(item, item['name'], item['input'], at);
        return;
      case 'local_shell_call':
        this.#call(item, 'local_shell', item['action'], at);
        return;
      case 'web_search_call':
        this.#call(item, 'web_search', item['action'], at);
        return;
      case 'function_call_output':
      case 'custom_tool_call_output': {
        const { text, isError } = readOutput(item['output']);
        this.#sink.add(messageOfBlocks('tool', [toolResult(stringOf(item['call_id']) ?? '', text, isError)], { at }));
        return;
      }
      case 'reasoning':
        this.#sink.skip(phrase('model reasoning'));
        return;
      default:
        this.#sink.skip(phrase('content of type “{0}”', type));
    }
  }

  #message(item: JsonObject, at: number | undefined): void {
    const role: Role = item['role'] === 'assistant' ? 'assistant' : item['role'] === 'user' ? 'user' : 'system';
    const blocks = readContent(item['content'], this.#sink);
    const first = blocks[0];
    if (role !== 'assistant' && first?.type === 'text' && (role === 'system' || INJECTED.test(first.text))) {
      this.#sink.skip(phrase('context added by the tool'));
      return;
    }
    if (blocks.length > 0) addBlocks(role, blocks, this.#facts(role, at), this.#sink);
  }

  #call(item: JsonObject, name: unknown, input: unknown, at: number | undefined): void {
    this.#sink.add(
      messageOfBlocks(
        'assistant',
        [toolCall(item['call_id'] ?? item['id'], name, input)],
        this.#facts('assistant', at),
      ),
    );
  }

  #facts(role: Role, at: number | undefined): MessageFacts {
    return { at, ...(role === 'assistant' && { model: this.#model }) };
  }
}

/** The session that a subagent works for. A fork is none: it shows by its messages. */
function parentOf(source: unknown): unknown {
  const agent = isObject(source) ? source['subagent'] : undefined;
  const spawn = isObject(agent) ? agent['thread_spawn'] : undefined;
  return isObject(spawn) ? spawn['parent_thread_id'] : undefined;
}

/** Output is a text, a list of content items, or JSON text of `{output, metadata: {exit_code}}`. */
function readOutput(output: unknown): { text: string; isError: boolean } {
  if (isList(output)) {
    return {
      text: output.flatMap((part) => (isObject(part) ? [stringOf(part['text']) ?? ''] : [])).join('\n'),
      isError: false,
    };
  }
  const parsed = typeof output === 'string' && output.startsWith('{') ? tryParse(output) : output;
  if (isObject(parsed)) {
    const text = stringOf(parsed['output']) ?? stringOf(parsed['content']);
    const metadata = parsed['metadata'];
    const code = isObject(metadata) ? metadata['exit_code'] : undefined;
    const isError = (typeof code === 'number' && code !== 0) || parsed['success'] === false;
    if (text !== undefined) return { text, isError };
  }
  return { text: typeof output === 'string' ? output : JSON.stringify(output ?? ''), isError: false };
}
