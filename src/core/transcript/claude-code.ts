import { phrase } from '../text/phrase.ts';
import { messageText, type ContentBlock, type Usage } from '../model/message.ts';
import { readMessageContent } from './content-parts.ts';
import { isObject, textAt, valueAt, type JsonObject } from '../text/json-value.ts';
import { BeforeResumeError, parseTimestamp, usageOf, type TranscriptSink } from './transcript-message.ts';

export function isClaudeCode(record: unknown): record is JsonObject & { readonly message: JsonObject } {
  if (!isObject(record) || !isObject(record['message']) || !('content' in record['message'])) return false;
  return record['type'] === 'user' || record['type'] === 'assistant';
}

/** Whether a user message is from the tool or another agent (`SDKMessageOrigin`), although it isn't marked as meta. */
const isFromAgent = (message: unknown): boolean =>
  ['task-notification', 'peer'].includes(textAt(message, 'origin', 'kind') ?? '');

/** Whether this is a prompt that was queued while the model was working, and not a tool's notification. */
const isQueuedPrompt = (record: unknown): record is JsonObject =>
  textAt(record, 'attachment', 'type') === 'queued_command' &&
  valueAt(record, 'attachment', 'isMeta') !== true &&
  textAt(record, 'attachment', 'commandMode') !== 'task-notification' &&
  !isFromAgent(valueAt(record, 'attachment'));

/**
 * The result of a tool call that the user rejected, and the reason that the user gave, but not the text that Claude Code
 * writes when the user doesn't answer its questions.
 */
const REJECTION =
  /^(The user doesn't want to proceed with this tool use\.[^\n]*?(?:the user said:|reason for the rejection:))(?:\n| +(?! ))(?!The user (?:wants to clarify these questions|has indicated they have provided enough answers)\b)([^]+?)(?:\n\nNote: The user's next message may contain [^\n]*)?$/;

/** Separates the user's reason for rejecting a tool call from the call's result. */
function withReason(block: ContentBlock): readonly ContentBlock[] {
  if (block.type !== 'tool_result' || !block.isError) return [block];
  const [, result, reason] = REJECTION.exec(block.text) ?? [];
  if (result === undefined || reason === undefined) return [block];
  return [
    { ...block, text: result },
    { type: 'text', text: reason },
  ];
}

/**
 * Imports a Claude Code session record by record. Consecutive records of a response have the same message ID and are
 * merged. Text that the tool wrote for the model, subagents' messages, and other records are counted as skipped.
 *
 * Each record names the one that it follows. If a prompt follows the same message as an earlier prompt, the user went
 * back and undid the earlier one. Other branches, such as parallel tool calls and retries, are part of the
 * conversation.
 */
export class ClaudeCodeImporter {
  readonly #sink: TranscriptSink;
  readonly #isSubagent: boolean;
  readonly #isResumed: boolean;
  /** The ID of the newest message up to each record, by the record's ID; null if there was none. */
  readonly #messageAt: Map<unknown, string | null>;
  #leaf: string | null;
  /** Whether a message names the one that it follows. Other programs write sessions without these links. */
  #isLinked = false;
  /** Positions to return to, by the ID of the message before them. `at` is the time of the prompt that followed it. */
  readonly #branches = new Map<string | null, { position: TranscriptSink['position']; at?: unknown }>();
  #reply: { readonly id: string; blocks: ContentBlock[]; at?: number; model?: string; usage?: Usage } | undefined;
  /** IDs of user records, which a queued prompt may repeat. */
  readonly #promptIds = new Set<string>();
  /** The usage so far of the newest finished response, which may continue after the results of its tool calls. */
  #reported: { readonly id: string; readonly usage: Usage } | undefined;
  /** The index in `titlesOf` of the title so far. Claude Code writes all titles again, the user's first. */
  #titleRank = Infinity;

  /** `isSubagent`: all records are marked as sidechains. `resumed`: the ID of the newest message, to resume reading. */
  constructor(sink: TranscriptSink, isSubagent = false, resumed?: { readonly leaf?: string | undefined }) {
    this.#sink = sink;
    this.#isSubagent = isSubagent;
    this.#isResumed = resumed !== undefined;
    this.#leaf = resumed?.leaf ?? null;
    this.#messageAt = new Map(this.#isResumed && this.#leaf === null ? [] : [[this.#leaf, this.#leaf]]);
  }

  get leaf(): string | undefined {
    return this.#leaf ?? undefined;
  }

  get isSettled(): boolean {
    return this.#reply === undefined;
  }

  record(record: unknown): void {
    if (!isObject(record)) return this.#sink.skip(phrase('invalid record'));
    this.#reportFacts(record);
    const { uuid } = record;
    if (!isClaudeCode(record)) {
      if (isQueuedPrompt(record)) this.#queuedPrompt(record);
      else this.#sink.skipRecord(record['type']);
    } else if (record['isSidechain'] === true && !this.#isSubagent) this.#sink.skip(phrase('subagent message'));
    else if (record['isMeta'] === true) this.#sink.skip(phrase('instruction added by the tool'));
    else {
      this.#message(record, record.message);
      this.#isLinked ||= typeof previousOf(record) === 'string';
      if (typeof uuid === 'string') {
        this.#leaf = uuid;
        this.#messageAt.set(uuid, uuid);
      }
      return;
    }
    // After the first prompt, a record that follows no other isn't the beginning of the conversation.
    const previous = previousOf(record);
    const message = previous === null && this.#branches.size > 0 ? undefined : this.#messageAt.get(previous);
    if (message !== undefined) this.#messageAt.set(uuid, message);
  }

  /** Returns to an earlier position if a prompt doesn't follow the newest message. */
  #follow(prompt: JsonObject): void {
    const previous = previousOf(prompt);
    const message = this.#messageAt.get(previous);
    if (message === undefined) {
      if (this.#isResumed && previous !== undefined) throw new BeforeResumeError();
      // Claude Code sometimes names a record that it never wrote.
      return;
    }
    const branch = this.#branches.get(message);
    const at = prompt['timestamp'];
    if (branch && message !== this.#leaf && this.#isLinked) {
      // A compaction may write prompts again, with the same times.
      if (at !== undefined && at === branch.at) return;
      this.#branches.set(this.#leaf, { position: this.#sink.position });
      this.#sink.position = branch.position;
    }
    this.#branches.set(message, { position: this.#sink.position, at });
  }

  /** Imports a queued prompt, which usually has no message record. */
  #queuedPrompt(record: JsonObject): void {
    if (record['isSidechain'] === true && !this.#isSubagent) return this.#sink.skip(phrase('subagent message'));
    const id = textAt(record, 'attachment', 'source_uuid');
    if (id !== undefined && this.#promptIds.has(id)) return;
    const blocks = readMessageContent(valueAt(record, 'attachment', 'prompt'), this.#sink);
    this.flush();
    this.#sink.addMessage('user', blocks, { at: parseTimestamp(record['timestamp']) });
  }

  #message(record: JsonObject, message: JsonObject): void {
    const at = parseTimestamp(record['timestamp']);
    const blocks = readMessageContent(message['content'], this.#sink).flatMap(withReason);
    const id = textAt(message, 'id');
    const facts = { at, model: modelOf(message), usage: readUsage(message['usage']) };
    const isReply = record['type'] === 'assistant';
    if (isReply && id !== undefined && id === this.#reply?.id && record['isCompactSummary'] !== true) {
      // Every record of a response has a usage, but only that of the last record is complete.
      this.#reply.usage = facts.usage ?? this.#reply.usage;
      for (const block of blocks) this.#reply.blocks.push(block);
      return;
    }
    this.flush();
    if (record['isCompactSummary'] === true)
      this.#sink.addCompaction({ summary: messageText({ content: blocks }), at });
    else if (isReply && id !== undefined) this.#reply = { id, blocks, ...facts };
    else if (blocks.length > 0) {
      const role = isReply ? 'assistant' : isFromAgent(record) ? 'tool' : 'user';
      if (role === 'user' && !blocks.some(({ type }) => type === 'tool_result')) this.#follow(record);
      this.#sink.addMessage(role, blocks, facts);
      if (!isReply && typeof record['uuid'] === 'string') this.#promptIds.add(record['uuid']);
    }
  }

  flush(): void {
    const reply = this.#reply;
    this.#reply = undefined;
    // Content that can't be read was already counted as skipped.
    if (!reply || reply.blocks.length === 0) return;
    const { id, blocks, usage, ...facts } = reply;
    const before = this.#reported?.id === id ? this.#reported.usage : undefined;
    const added = usage && before ? usageSince(usage, before) : usage;
    this.#sink.addMessage('assistant', blocks, { ...facts, usage: added });
    if (usage) this.#reported = { id, usage };
  }

  #reportFacts(record: JsonObject): void {
    const id = textAt(record, 'sessionId');
    const titles = titlesOf(record);
    const rank = titles.findIndex((one) => one !== undefined);
    const title = rank <= this.#titleRank ? titles[rank] : undefined;
    if (title !== undefined) this.#titleRank = rank;
    const agent = this.#isSubagent ? textAt(record, 'agentId') : undefined;
    const ids = agent === undefined ? { id } : { id: agent, ...(id && { parent: id }) };
    this.#sink.addFacts({ ...ids, workspace: textAt(record, 'cwd'), title });
  }
}

/** The titles in a record: the user's, the model's, and before 2026 a summary. Earlier ones take precedence. */
const titlesOf = (record: JsonObject): readonly (string | undefined)[] => [
  textAt(record, 'customTitle') || undefined,
  textAt(record, 'aiTitle'),
  record['type'] === 'summary' ? textAt(record, 'summary') : undefined,
];

/** The ID of the record that `record` follows, stored under another name for a compaction; undefined if not stored. */
const previousOf = (record: JsonObject): unknown => record['logicalParentUuid'] ?? record['parentUuid'];

/** The usage of a response minus the usage that was already reported for it. */
function usageSince(usage: Usage, before: Usage): Usage {
  const since = Object.entries(usage).map(([name, count]) => [
    name,
    Math.max(0, count - (before[name as keyof Usage] ?? 0)),
  ]);
  return Object.fromEntries(since) as Usage;
}

/** The model of a message; undefined for messages that the tool wrote, for example about an error. */
function modelOf(message: JsonObject): string | undefined {
  const model = textAt(message, 'model');
  return model === '<synthetic>' ? undefined : model;
}

function readUsage(counts: unknown): Usage | undefined {
  const count = (name: string): unknown => valueAt(counts, `${name}_tokens`);
  const [uncached, cached, cacheWrite] = ['input', 'cache_read_input', 'cache_creation_input'].map(count);
  return usageOf({ uncached, cached, cacheWrite, output: count('output') });
}
