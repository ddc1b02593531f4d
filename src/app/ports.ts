import type { SessionEvent } from '../core/journal/schema.ts';
import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { ContentBlock, Ending, Usage } from '../core/model/message.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Breather } from '../core/pace/breather.ts';
import { inEnglish, type Phrase } from '../core/text/phrase.ts';
import type { Effort } from '../core/tokens/model-facts.ts';
import type { KeptCounts } from '../core/tokens/message-counts.ts';

/** The world's time, ids and pauses, so that use cases are exact under test. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new id, unique in this store. */
  id(): string;
  /** Keeps the event loop open to others: long work asks it between pieces of a few milliseconds at most. */
  readonly breather: Breather;
}

/** One message of a request, as every provider understands it. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ContentBlock[];
  /** Text that follows it in this request alone; the next one repeats the message without it. */
  readonly turnOnly?: string;
}

/** What an answer is for. Only a chat repeats what it sends, so only a chat is worth the price of a prompt cache. */
export type Purpose = 'chat' | 'summary' | 'check';

/** What helps a provider to find the beginning of a request in its prompt cache. */
export interface CacheHints {
  /** The same for all requests of one conversation. */
  readonly key: string;
  /** The longest pause of late between a reply and the next message, in ms: how long the cache has to live. */
  readonly idleMs: number;
}

export interface ChatRequest {
  readonly purpose: Purpose;
  /** Blocks of the system prompt, the stable ones first: system prompt, memory, ledger, summaries. */
  readonly system: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** Tokens that the text of the answer may take. */
  readonly maxOutputTokens: number;
  /** Tokens that the model may think on top of those; vendors count both against one limit. Left out: none. */
  readonly reasoningTokens?: number;
  /** Left out: as much as the vendor has the model think by default. */
  readonly effort?: Effort;
  readonly temperature?: number;
  /** Left out: nothing of the request comes again. */
  readonly cache?: CacheHints;
  /** Ask for an answer that fits this JSON schema, where the model can. */
  readonly jsonSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  /**
   * The model thinks; what it thinks is neither shown nor kept. `retracts`: all text so far was thinking too, which
   * only the tag that ends it has told.
   */
  | { readonly type: 'thinking'; readonly retracts?: true }
  /** May come more than once; the last one counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly ending: Ending };

/** A model that answers. Adapters throw `ModelFault` alone; an abort is a fault with reason `cancelled`. */
export interface ChatModel {
  /** `provider/model`, as the journal and the price table name it. */
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  /** Requests that the server at its address answers at once; left out: a few. */
  readonly atOnce?: number;
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;
  /** The body of the HTTP request that `stream` would make now, byte for byte; left out where there is no such thing. */
  wireBody?(request: ChatRequest): string;
  /** Input tokens of a request by the provider's own count, where it has one. */
  countTokens?(request: ChatRequest, signal: AbortSignal): Promise<number>;
}

/** What the session list shows without opening a journal. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messages: number;
  readonly archived: boolean;
  /** Kept at the top of the list by the user. */
  readonly pinned: boolean;
  readonly deleted: boolean;
  readonly bytes: number;
}

/** A session's journal, open for reading and, in one window at a time, for writing. */
export interface SessionJournal {
  readonly id: SessionId;
  readonly state: SessionState;
  /**
   * Why nothing can be appended (`not_writer`: another window writes); undefined while this window is the writer. It
   * changes when another window takes over, or the one that wrote is gone: listeners are then called with no events.
   */
  readonly readOnly: StoreFault | undefined;
  /** What was set aside on opening, in words for the user; undefined when all was sound. */
  readonly notice: Phrase | undefined;
  /**
   * Why what was appended last is in memory alone, in words for the user; undefined while all is on disk. It changes
   * when the disk is full, and when there is room again: listeners are then called with no events.
   */
  readonly unsaved: Phrase | undefined;
  /** A chat of another tool, opened for reading: it is not among the sessions, and nothing is kept of it. */
  readonly isForeign?: true;
  /**
   * Writes and flushes the events to disk, then folds them into `state`; on a full disk they are folded alone, which
   * `unsaved` tells, and written when there is room. Rejects with `StoreFault`, nothing folded.
   */
  append(...events: readonly SessionEvent[]): Promise<void>;
  /**
   * Makes this window the writer; the one that was ends what it writes and becomes read-only. Rejects with `StoreFault`.
   */
  takeOver(): Promise<void>;
  /** Called after `state` or `readOnly` has changed. No events: look at both anew, `state` may be another object. */
  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void };
  close(): Promise<void>;
}

export interface SessionStore {
  list(): Promise<readonly SessionSummary[]>;
  create(title: string, workspace: string): Promise<SessionJournal>;
  /**
   * Opens a session; opened twice, it is one journal with one state, closed by the last `close`. When its journal is
   * missing or unreadable as a whole, a new one is started with the events of `fallback` (what a snapshot still had),
   * and `notice` says so; without them it rejects with `StoreFault` `missing`.
   */
  open(id: SessionId, fallback?: readonly SessionEvent[]): Promise<SessionJournal>;
}

/** Token counts kept beside a session, so that opening it again counts nothing. Losing them costs time, nothing else. */
export interface CountStore {
  /** `messages` are the session's, in the journal's order: the counts of its first ones, as far as they were kept. */
  load(id: SessionId, messages: readonly MessageId[]): Promise<KeptCounts | undefined>;
  /** `counts` are of each of the messages. */
  save(id: SessionId, messages: readonly MessageId[], counts: KeptCounts): Promise<void>;
}

/** Disk trouble, in one sentence with a way out. */
export class StoreFault extends Error {
  readonly reason: 'full' | 'read_only' | 'missing' | 'not_writer' | 'newer' | 'too_large' | 'invalid' | 'other';

  readonly phrase: Phrase;

  constructor(reason: StoreFault['reason'], said: Phrase, cause?: unknown) {
    super(inEnglish(said), { cause });
    this.name = 'StoreFault';
    this.reason = reason;
    this.phrase = said;
  }

  static is(error: unknown, ...reasons: readonly StoreFault['reason'][]): error is StoreFault {
    return error instanceof StoreFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}

/** The same model with another way to stream, and its requests changed before they leave. */
export const modelWith = (
  model: ChatModel,
  stream: ChatModel['stream'],
  changed = (request: ChatRequest): ChatRequest => request,
): ChatModel => ({
  id: model.id,
  provider: model.provider,
  model: model.model,
  ...(model.atOnce !== undefined && { atOnce: model.atOnce }),
  stream: (request, signal) => stream(changed(request), signal),
  ...(model.wireBody && { wireBody: (request) => model.wireBody!(changed(request)) }),
  ...(model.countTokens && { countTokens: (request, signal) => model.countTokens!(changed(request), signal) }),
});

/** The log file. Structured events carry numbers and ids, never message text. */
export interface Log {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | null>>, level?: 'error'): void;
  warn(message: string): void;
}
