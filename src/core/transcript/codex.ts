import { phrase } from '../text/phrase.ts';
import type { ContentBlock, Role } from '../model/message.ts';
import { readContent, readMessageContent, resultBlocks, toolCall, toolResult } from './content-parts.ts';
import { isList, isObject, textAt, tryParse, valueAt, type JsonObject } from '../text/json-value.ts';
import {
  BeforeResumeError,
  messagesFromBlocks,
  parseTimestamp,
  usageOf,
  type TranscriptMessage,
  type TranscriptSink,
} from './transcript-message.ts';

const RECORD_TYPES: readonly unknown[] = ['session_meta', 'response_item', 'event_msg', 'turn_context', 'compacted'];

/**
 * The beginnings of user messages that Codex adds as context, and its warnings of one line. Only the instructions for a
 * single folder name it.
 */
const ADDED_CONTEXT =
  /^\s*(<environment_context>|<user_instructions>|<permissions |# AGENTS\.md instructions(?: for |\s*<INSTRUCTIONS>)|Warning: (?:The maximum number of unified exec processes |apply_patch was requested via |Your account was flagged for ).*\n*$)/;
/** Elements that Codex adds as user messages. */
const ADDED_ELEMENT =
  /^\s*<(skill|turn_aborted|subagent_notification|goal_context|recommended_plugins|codex_internal_context|hook_prompt|external_[\w-]{1,100})(?=[\s>])[^]*<\/\1>\s*$/;

/** What the IDE and the desktop app put before the user's text. */
const IDE_CONTEXT = /^\s*##? [A-Z][\w ]{1,60}:\n[^]*?\n##? My request for Codex:\s*(?=\S)/;
/** What Codex puts before and after an image. */
const IMAGE_TAG = /^<\/?image\b[^>]*>$/;
/** Elements, stored as user messages, with the output of a command that the user ran, or the findings of a review. */
const OUTPUT_ELEMENT = /^\s*<(user_shell_command|user_action)>[^]*<\/\1>\s*$/;

/** Whether this is a record of a Codex session: `{type, payload}` (since 2025), or the first one of an older file. */
export function isCodex(record: unknown): boolean {
  if (!isObject(record)) return false;
  if (isObject(record['payload']) && RECORD_TYPES.includes(record['type'])) return true;
  return record['record_type'] === 'state' || ('instructions' in record && 'id' in record && 'timestamp' in record);
}

const isAddedContext = (text: string): boolean => ADDED_CONTEXT.test(text) || ADDED_ELEMENT.test(text);

/**
 * Imports a Codex session (`rollout-*.jsonl`) record by record. The conversation is in `response_item` records; all
 * others are skipped, except for the number of turns that the user undid. A response is held back until the next
 * message, because the record with its token usage follows it.
 */
export class CodexImporter {
  readonly #sink: TranscriptSink;
  readonly #pending: TranscriptMessage[] = [];
  /** The positions of the user's messages. */
  readonly #turns: TranscriptSink['position'][] = [];
  readonly #isResumed: boolean;
  #model: string | undefined;
  #isDescribed: boolean;

  /** `resumed`: the model at the position where reading is resumed. */
  constructor(sink: TranscriptSink, resumed?: { readonly model?: string }) {
    this.#model = resumed?.model;
    this.#isResumed = resumed !== undefined;
    this.#isDescribed = this.#isResumed;
    this.#sink = sink;
  }

  get isSettled(): boolean {
    return this.#pending.length === 0;
  }

  record(record: unknown): void {
    if (!isObject(record)) return this.#sink.skip(phrase('invalid record'));
    const { type, payload } = record;
    const at = parseTimestamp(record['timestamp']);
    if (!isObject(payload)) {
      if (isCodex(record)) this.#sink.skipRecord('session_meta');
      else this.#item(record, at);
      return;
    }
    this.#readFacts(type, payload, at);
    // The summary that the model wrote for a compaction, which has its own record.
    if (valueAt(record, 'metadata', 'compaction_output') === true) this.#sink.skip(phrase('context added by the tool'));
    else if (type === 'response_item') this.#item(payload, at);
    else if (type === 'compacted') {
      this.flush();
      this.#sink.addCompaction({ summary: textAt(payload, 'message') ?? '', at });
    } else if (type === 'event_msg' && payload['type'] === 'thread_rolled_back') this.#rollBack(payload['num_turns']);
    else this.#sink.skipRecord(type);
  }

  #add(role: Role, blocks: readonly ContentBlock[], at: number | undefined): void {
    const model = role === 'assistant' ? this.#model : undefined;
    for (const message of messagesFromBlocks(role, blocks, { at, model })) {
      if (message.role !== 'tool') this.flush();
      if (message.role === 'user') {
        this.#turns.push(this.#sink.position);
        this.#sink.add(message);
      } else this.#pending.push(message);
    }
  }

  /** Undoes the newest turns, or all if there are fewer. */
  #rollBack(turns: unknown): void {
    if (typeof turns !== 'number') return;
    this.flush();
    if (turns > this.#turns.length && this.#isResumed) throw new BeforeResumeError();
    const undone = this.#turns.splice(Math.max(0, this.#turns.length - turns));
    if (undone.length > 0) this.#sink.position = undone[0];
  }

  flush(): void {
    for (const message of this.#pending.splice(0)) this.#sink.add(message);
  }

  #readFacts(type: unknown, payload: JsonObject, at: number | undefined): void {
    if (type === 'turn_context') {
      this.#model = textAt(payload, 'model') ?? this.#model;
      if (this.#model !== undefined) this.#sink.addFacts({ model: this.#model });
    } else if (type === 'session_meta') {
      // The files of forks and subagents also contain the descriptions of the sessions that they continue.
      if (this.#isDescribed) return;
      this.#isDescribed = true;
      // Only subagents name their parent session. Forks are recognized by their messages.
      const spawn = textAt(payload, 'source', 'subagent', 'thread_spawn', 'parent_thread_id');
      const parent = spawn ?? textAt(payload, 'parent_thread_id');
      this.#sink.addFacts({ id: textAt(payload, 'id'), workspace: textAt(payload, 'cwd'), parent, createdAt: at });
    } else if (type === 'event_msg' && payload['type'] === 'token_count') {
      const count = (name: string): unknown => valueAt(payload, 'info', 'last_token_usage', name);
      const usage = usageOf({
        input: count('input_tokens'),
        output: count('output_tokens'),
        cached: count('cached_input_tokens'),
        reasoning: count('reasoning_output_tokens'),
      });
      const index = this.#pending.findLastIndex(({ role }) => role === 'assistant');
      if (usage && index >= 0) this.#pending[index] = { ...this.#pending[index]!, usage };
    }
  }

  #item(item: JsonObject, at: number | undefined): void {
    const type = textAt(item, 'type') ?? (typeof item['role'] === 'string' ? 'message' : 'unknown');
    const call = (name: unknown, input: unknown): void =>
      this.#add('assistant', [toolCall(item['call_id'] ?? item['id'], name, input)], at);
    switch (type) {
      case 'message':
        return this.#message(item, at);
      case 'function_call':
        return call(item['name'], item['arguments']);
      case 'custom_tool_call':
        return call(item['name'], item['input']);
      case 'local_shell_call':
      case 'web_search_call':
        return call(type.replace('_call', ''), item['action']);
      case 'function_call_output':
      case 'custom_tool_call_output':
        return this.#add('tool', readOutput(item['call_id'], item['output'], this.#sink), at);
      case 'reasoning':
        return this.#sink.skipReasoning();
      default:
        this.#sink.skipContent(type);
    }
  }

  #message(item: JsonObject, at: number | undefined): void {
    const role: Role = item['role'] === 'assistant' || item['role'] === 'user' ? item['role'] : 'system';
    const blocks = readMessageContent(item['content'], this.#sink);
    const first = blocks[0]?.type === 'text' ? blocks[0].text : undefined;
    if (role !== 'assistant' && first !== undefined && (role === 'system' || isAddedContext(first)))
      this.#sink.skip(phrase('context added by the tool'));
    else if (role !== 'user') this.#add(role, blocks, at);
    else if (first !== undefined && OUTPUT_ELEMENT.test(first)) this.#add('tool', blocks, at);
    else this.#add('user', withoutAddedText(blocks), at);
  }
}

/** A user message's content without what the IDE and Codex added. */
function withoutAddedText(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  return blocks
    .filter((block) => block.type !== 'text' || !IMAGE_TAG.test(block.text))
    .map((block) => (block.type === 'text' ? { ...block, text: block.text.replace(IDE_CONTEXT, '') } : block));
}

/** The fields of the object in which Codex wraps a tool's output. An object with other fields is itself the output. */
const WRAPPER_FIELDS: readonly string[] = ['output', 'metadata', 'content', 'success'];

/** Reads a tool's output: text, content parts, or `{output, metadata: {exit_code}}`, which may be JSON text. */
function readOutput(callId: unknown, output: unknown, sink: TranscriptSink): readonly ContentBlock[] {
  if (isList(output)) return resultBlocks(callId, readContent(output, sink), false);
  const parsed = typeof output === 'string' && output.startsWith('{') ? tryParse(output) : output;
  const isWrapper = isObject(parsed) && Object.keys(parsed).every((field) => WRAPPER_FIELDS.includes(field));
  const text = isWrapper ? (textAt(parsed, 'output') ?? textAt(parsed, 'content')) : undefined;
  if (text === undefined)
    return [toolResult(callId, typeof output === 'string' ? output : JSON.stringify(output ?? ''), false)];
  const code = valueAt(parsed, 'metadata', 'exit_code');
  const isError = (typeof code === 'number' && code !== 0) || valueAt(parsed, 'success') === false;
  return [toolResult(callId, text, isError)];
}
