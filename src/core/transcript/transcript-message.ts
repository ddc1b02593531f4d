import * as v from 'valibot';
import { inEnglish, phrase, type Phrase } from '../text/phrase.ts';
import type { ReadonlyOutput } from '../model/field-schemas.ts';
import { isLocalReply, messageSchema, messageText, type ContentBlock, type Role } from '../model/message.ts';
import { decodedUri } from '../text/decoded-uri.ts';
import { textAt, withoutUndefined } from '../text/json-value.ts';
import { truncate } from '../text/truncate.ts';
import { skippedPhrase, type Skipped } from './skipped-content.ts';

/**
 * A message of an imported transcript. `blocks` is absent if the content is plain text; otherwise, `text` is the text
 * of the blocks. `at` is in milliseconds since the epoch.
 */
export const transcriptMessageSchema = v.object({
  role: messageSchema.entries.role,
  text: v.string(),
  at: v.optional(v.number()),
  model: v.optional(v.string()),
  usage: messageSchema.entries.usage,
  blocks: v.optional(messageSchema.entries.content),
});
export type TranscriptMessage = ReadonlyOutput<typeof transcriptMessageSchema>;

export interface SessionFacts {
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** The path of the open folder. */
  readonly workspace?: string | undefined;
  /** The model of the messages that are added after these facts, unless they name one. */
  readonly model?: string | undefined;
  /** The session that this one was forked from, or that it's a subagent of. */
  readonly parent?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAt?: number | undefined;
}

/** A compaction by the tool, which replaced the earlier messages by `summary`. */
export interface Compaction {
  readonly summary: string;
  readonly at?: number | undefined;
}

export type TranscriptFormat =
  | 'messages'
  | 'vscode-chat'
  | 'aider'
  | 'specstory'
  | 'claude-code'
  | 'codex'
  | 'copilot'
  | 'gemini'
  | 'qwen'
  | 'continue'
  | 'chatgpt'
  | 'threadkeeper';

/** A conversation of a file that can have several. Its messages follow those of the previous conversation. */
export interface TranscriptConversation {
  readonly title: string;
  /** Time of its last change, in milliseconds since the epoch. */
  readonly at: number | undefined;
  readonly messages: number;
  readonly skipped: readonly Skipped[];
}

/** Thrown if a transcript can't be read. `phrase` is the reason, shown to the user. */
export class TranscriptError extends Error {
  readonly phrase: Phrase;

  constructor(reason: Phrase) {
    super(inEnglish(reason));
    this.name = 'TranscriptError';
    this.phrase = reason;
  }

  static is(error: unknown): error is TranscriptError {
    return error instanceof TranscriptError;
  }
}

/** Thrown by an importer if the user went back to a message before the position at which reading was resumed. */
export class BeforeResumeError extends Error {}

/** Throws `TranscriptError` if a document's version is newer than the known one. */
export function checkVersion(version: unknown, known: number): void {
  if (typeof version === 'number' && version > known) throw newerFormat(version, known);
}

export function newerFormat(version: string | number, known: string | number): TranscriptError {
  return new TranscriptError(
    phrase('The file uses format version {0}. Versions newer than {1} aren’t supported.', version, known),
  );
}

/** Maximum size of a document, in bytes or UTF-16 units. It's read as one string, whose length is limited by V8. */
const MAX_DOCUMENT_SIZE = 400_000_000;

/** Throws `TranscriptError` if a document is too large. */
export function checkDocumentSize(size: number): void {
  if (size <= MAX_DOCUMENT_SIZE) return;
  const limit = MAX_DOCUMENT_SIZE / 1_000_000;
  throw new TranscriptError(
    phrase('The file is larger than {0} MB and isn’t line-delimited, so it can’t be read.', limit),
  );
}

/** A compaction before the message with this index. */
export interface PlacedCompaction extends Compaction {
  readonly before: number;
}

/** A message or compaction, the one before it, and the number of messages and compactions up to and including it. */
interface Entry {
  readonly before: TranscriptPosition;
  readonly message?: TranscriptMessage;
  readonly compaction?: Compaction;
  readonly messages: number;
  readonly compactions: number;
}

/** A place in a transcript, after a message or compaction; undefined at the beginning. */
type TranscriptPosition = Entry | undefined;

/** Collects the messages, compactions, and facts that an importer reads. */
export class TranscriptSink {
  /** The position at which the next message is added. If the user went back, an importer sets an earlier one. */
  position: TranscriptPosition;
  #facts: SessionFacts = {};
  /** Number of messages since the last `take`. */
  #added = 0;
  readonly #skips = new Map<string, Skipped>();
  readonly #conversations: TranscriptConversation[] = [];

  constructor(facts: SessionFacts = {}) {
    this.addFacts(facts);
  }

  get facts(): SessionFacts {
    return this.#facts;
  }

  get skipped(): readonly Skipped[] {
    return [...this.#skips.values()];
  }

  get conversations(): readonly TranscriptConversation[] {
    return this.#conversations;
  }

  add(message: TranscriptMessage): void {
    this.#added++;
    const { messages = 0, compactions = 0 } = this.position ?? {};
    const truncated = truncateMessage(message, this);
    this.position = { before: this.position, message: truncated, messages: messages + 1, compactions };
  }

  addMessage(role: Role, blocks: readonly ContentBlock[], facts?: MessageFacts): void {
    for (const message of messagesFromBlocks(role, blocks, facts)) this.add(message);
  }

  /** Adds a conversation from a sink of its own. */
  addConversation(own: TranscriptSink, at: number | undefined): void {
    const { messages } = own.take();
    for (const message of messages) this.add(message);
    const { facts, skipped } = own;
    for (const { reason, count } of skipped) this.skip(reason, count);
    this.#conversations.push({ title: facts.title ?? '', at, messages: messages.length, skipped });
  }

  addCompaction(compaction: Compaction): void {
    const { messages = 0, compactions = 0 } = this.position ?? {};
    this.position = { before: this.position, compaction, messages, compactions: compactions + 1 };
  }

  skip(reason: Phrase, count = 1): void {
    const name = inEnglish(reason);
    this.#skips.set(name, { reason, count: (this.#skips.get(name)?.count ?? 0) + count });
  }

  skipRecord(type: unknown): void {
    this.skip(phrase('record of type “{0}”', textAt(type) ?? 'unknown'));
  }

  skipContent(type: unknown): void {
    this.skip(phrase('content of type “{0}”', textAt(type) ?? 'unknown'));
  }

  skipAttachment(type: unknown): void {
    this.skip(phrase('attachment of type “{0}”', textAt(type) ?? 'unknown'));
  }

  /** Reasoning is skipped, because providers reject reasoning that they didn't generate. */
  skipReasoning(): void {
    this.skip(phrase('model reasoning'));
  }

  /** Later facts replace earlier ones, unless they are undefined. */
  addFacts(facts: SessionFacts): void {
    this.#facts = { ...this.#facts, ...withoutUndefined(facts) };
  }

  /** Removes and returns the messages and compactions before the position. `undone` is the number of other messages. */
  take() {
    const messages: TranscriptMessage[] = [];
    const compactions: PlacedCompaction[] = [];
    for (let entry = this.position; entry; entry = entry.before) {
      if (entry.message) messages.push(entry.message);
      if (entry.compaction) compactions.push({ ...entry.compaction, before: entry.messages });
    }
    const undone = this.#added - messages.length;
    if (undone > 0) this.skip(phrase('message on another branch'), undone);
    this.position = undefined;
    this.#added = 0;
    return { messages: messages.reverse(), compactions: compactions.reverse(), undone };
  }

  /** The reason why a transcript without any message can't be read. */
  emptyError(): TranscriptError {
    const all = skippedPhrase(this.skipped);
    if (!all) return new TranscriptError(phrase('The file contains no messages.'));
    return new TranscriptError(phrase('The file contains no readable messages. Skipped: {0}.', all));
  }
}

export type MessageFacts = Pick<TranscriptMessage, 'at' | 'model' | 'usage'>;

export const contentOf = (message: TranscriptMessage): readonly ContentBlock[] =>
  message.blocks ?? [{ type: 'text', text: message.text }];

/** A message of another tool, whose models may have the name of the local provider's. */
export function messageFromBlocks(
  role: Role,
  blocks: readonly ContentBlock[],
  { at, model, usage }: MessageFacts = {},
): TranscriptMessage {
  const isPlain = blocks.length === 0 || (blocks.length === 1 && blocks[0]?.type === 'text');
  const facts = { at, blocks: isPlain ? undefined : blocks, model: isLocalReply({ model }) ? undefined : model, usage };
  return { role, text: messageText({ content: blocks }), ...withoutUndefined(facts) };
}

/** The messages with these blocks, if there are any. A user message with tool results and text becomes two messages. */
export function messagesFromBlocks(role: Role, blocks: readonly ContentBlock[], facts?: MessageFacts) {
  const toolBlocks: ContentBlock[] = [];
  const otherBlocks: ContentBlock[] = [];
  let isOfTool = false;
  for (const block of blocks) {
    // An image directly after a result belongs to it.
    isOfTool = role === 'user' && (block.type === 'tool_result' || (block.type === 'image' && isOfTool));
    (isOfTool ? toolBlocks : otherBlocks).push(block);
  }
  return [
    ...(toolBlocks.length > 0 ? [messageFromBlocks('tool', toolBlocks, facts)] : []),
    ...(otherBlocks.length > 0 ? [messageFromBlocks(role, otherBlocks, facts)] : []),
  ];
}

/**
 * A message's token usage; undefined if the input or `output` is unknown. `input` includes the `cached` tokens, while
 * `uncached` excludes those read from or written to the cache.
 */
export function usageOf(counts: {
  readonly input?: unknown;
  readonly uncached?: unknown;
  readonly output: unknown;
  readonly cached?: unknown;
  readonly cacheWrite?: unknown;
  readonly reasoning?: unknown;
}): TranscriptMessage['usage'] {
  const count = (value: unknown): number | undefined =>
    typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : undefined;
  const { uncached, cached, cacheWrite, reasoning } = counts;
  const sum = (parts: readonly unknown[]): number => parts.reduce<number>((total, one) => total + (count(one) ?? 0), 0);
  const input = 'uncached' in counts ? sum([uncached, cached, cacheWrite]) : count(counts.input);
  const output = count(counts.output);
  if (input === undefined || output === undefined || input + output === 0) return undefined;
  const parts = { cachedInput: count(cached), cacheWrite: count(cacheWrite), reasoning: count(reasoning) };
  return { input, output, ...withoutUndefined(parts) };
}

/** Maximum UTF-16 units of a message with its images: more than fit in a context window or the page accepts. */
const MAX_MESSAGE_UNITS = 20_000_000;

/** Truncates a message that is too large and removes its images. */
function truncateMessage(message: TranscriptMessage, sink: TranscriptSink): TranscriptMessage {
  const { blocks = [], text, ...rest } = message;
  const size = blocks.reduce((sum, block) => sum + (block.type === 'image' ? block.base64.length : 0), text.length);
  if (size <= MAX_MESSAGE_UNITS) return message;
  sink.skip(phrase('end and images of a message larger than {0} million characters', MAX_MESSAGE_UNITS / 1_000_000));
  return { ...rest, text: truncate(text, MAX_MESSAGE_UNITS) };
}

/**
 * Parses a time to milliseconds since the epoch: ISO 8601, or a number of seconds, milli-, micro-, or nanoseconds,
 * distinguished by its size. Returns undefined for other values.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === 'number' && value > 0 && value < 1e20) {
    // From 1973 to 5138, times in seconds, ms, µs, and ns don't overlap.
    let ms = value * 1000;
    while (ms >= 1e14) ms /= 1000;
    return Math.round(ms);
  }
  if (typeof value !== 'string' || !/^\d{4}-\d\d-\d\d/.test(value)) return undefined;
  const at = Date.parse(value);
  // Some tools write the year 1 for an unknown time.
  return at > 0 ? at : undefined;
}

/** The path of a folder that is given as a URI or path; undefined for other values. */
export function folderPath(value: unknown): string | undefined {
  const text = textAt(value);
  if (text === undefined || text === '') return undefined;
  const [, address] = /^(?:file|vscode-remote):\/\/[^/]*(\/.*)$/s.exec(text) ?? [];
  if (address === undefined) return text;
  const path = decodedUri(address);
  return /^\/[a-z]:/i.test(path) ? path.slice(1).replaceAll('/', '\\') : path;
}
