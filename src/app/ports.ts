import type { SessionEvent } from '../core/journal/schema.ts';
import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { ContentBlock, Ending, Usage } from '../core/model/message.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Yielder } from '../core/pace/yielder.ts';
import { inEnglish, type Phrase } from '../core/text/phrase.ts';
import type { Effort } from '../core/tokens/model-facts.ts';
import type { StoredCounts } from '../core/tokens/message-counts.ts';

/** Time, IDs, and pauses, which tests replace to be deterministic. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new ID, unique in this store. */
  id(): string;
  /** Tells long work when to yield to the event loop. Check it at least every few milliseconds. */
  readonly yielder: Yielder;
}

/** A message of a request, independent of the provider. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ContentBlock[];
  /** Text appended to the message in this request only. */
  readonly turnOnly?: string;
}

/** The purpose of a request. Only chat requests repeat their content, so only they pay off prompt caching. */
export type Purpose = 'chat' | 'summary' | 'check';

/** Helps a provider to match the beginning of a request with its prompt cache. */
export interface CacheHints {
  /** The same for all requests of one conversation. */
  readonly key: string;
  /** The longest recent pause between a reply and the next message, in ms, which the cache should outlive. */
  readonly idleMs: number;
}

export interface ChatRequest {
  readonly purpose: Purpose;
  /** Blocks of the system prompt, the most stable first: system prompt, memory, ledger, summaries. */
  readonly system: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** Maximum tokens of the answer's text. */
  readonly maxOutputTokens: number;
  /** Additional tokens for thinking; vendors have one limit for both. Absent: none. */
  readonly reasoningTokens?: number;
  /** Absent: the vendor's default. */
  readonly effort?: Effort;
  readonly temperature?: number;
  /** Absent: no later request has the same beginning. */
  readonly cache?: CacheHints;
  /** Requests an answer that matches this JSON schema, if the model supports it. */
  readonly jsonSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  /**
   * The model is thinking; its thoughts are neither shown nor kept. `retracts`: all text so far was thinking, too, as
   * shown by a closing tag without an opening one.
   */
  | { readonly type: 'thinking'; readonly retracts?: true }
  /** May occur more than once; the last one counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly ending: Ending };

/** A chat model. Adapters throw only `ModelFault`, for an abort with the reason `cancelled`. */
export interface ChatModel {
  /** `provider/model`, as in the journal and the price table. */
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  /** Maximum number of concurrent requests; absent: a few. */
  readonly atOnce?: number;
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;
  /** The exact body of the HTTP request that `stream` would send; absent if it sends none. */
  wireBody?(request: ChatRequest): string;
  /** Input tokens as counted by the provider, if it supports that. */
  countTokens?(request: ChatRequest, signal: AbortSignal): Promise<number>;
}

/** An entry of the session list, available without opening the journal. */
export interface SessionSummary {
  readonly id: SessionId;
  readonly title: string;
  readonly workspace: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly messages: number;
  readonly archived: boolean;
  /** Pinned to the top of the list by the user. */
  readonly pinned: boolean;
  readonly deleted: boolean;
  readonly bytes: number;
}

/** An open journal. Only one window at a time can write to it. */
export interface SessionJournal {
  readonly id: SessionId;
  readonly state: SessionState;
  /**
   * Why events can't be appended (`not_writer`: another window is the writer); undefined while this window is the
   * writer. When it changes because another window takes over or closes, listeners are called without events.
   */
  readonly readOnly: StoreFault | undefined;
  /** A message for the user if damaged parts were quarantined on opening. */
  readonly notice: Phrase | undefined;
  /**
   * A message for the user if the latest events are only in memory, because the disk is full. When it changes,
   * listeners are called without events.
   */
  readonly unsaved: Phrase | undefined;
  /** A chat from another tool, opened read-only. It isn't in the session list, and nothing is stored for it. */
  readonly isForeign?: true;
  /**
   * Writes and flushes the events to disk, and then applies them to `state`. If the disk is full, they are only applied
   * (see `unsaved`), and written when there is space. If it rejects with `StoreFault`, they aren't applied.
   */
  append(...events: readonly SessionEvent[]): Promise<void>;
  /** Makes this window the writer; the previous one finishes writing and turns read-only. Rejects with `StoreFault`. */
  takeOver(): Promise<void>;
  /** Called after `state` or `readOnly` has changed. Without events, reread both; `state` may be another object. */
  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void };
  close(): Promise<void>;
}

export interface SessionStore {
  list(): Promise<readonly SessionSummary[]>;
  create(title: string, workspace: string): Promise<SessionJournal>;
  /**
   * Opens a session. If it's already open, both share one journal and state, which the last `close` closes. If its
   * journal is missing or completely unreadable, a new one is created from `fallback` (the events of a snapshot), and
   * `notice` is set. Without `fallback`, it rejects with `StoreFault` `missing`.
   */
  open(id: SessionId, fallback?: readonly SessionEvent[]): Promise<SessionJournal>;
}

/** Stored token counts of a session, so that opening it doesn't count again. Losing them only costs time. */
export interface CountStore {
  /** Returns the stored counts, which are those of the first messages. `messages` are in the journal's order. */
  load(id: SessionId, messages: readonly MessageId[]): Promise<StoredCounts | undefined>;
  /** `counts` has an entry for each message. */
  save(id: SessionId, messages: readonly MessageId[], counts: StoredCounts): Promise<void>;
}

/** A storage error, with a message for the user that says what to do. */
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

/** Wraps a model: replaces `stream`, and applies `changed` to all requests. */
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

/** The log. Events contain numbers and IDs, but never message text. */
export interface Log {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | null>>, level?: 'error'): void;
  warn(message: string): void;
}
