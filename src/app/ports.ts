import type { SessionEvent } from '../core/journal/schema.ts';
import type { ReadonlyOutput } from '../core/model/field-schemas.ts';
import type { MessageId, SessionId } from '../core/model/ids.ts';
import type { ContentBlock, Ending, Usage } from '../core/model/message.ts';
import type { sessionListEntrySchema } from '../core/model/session-list-entry.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Yielder } from '../core/pace/yielder.ts';
import { inEnglish, type Phrase } from '../core/text/phrase.ts';
import type { Effort } from '../core/tokens/model-facts.ts';
import type { StoredCounts } from '../core/tokens/message-counts.ts';

/** Time, IDs, and yielding. Tests replace it to be deterministic. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** A new ID, unique in this store. */
  id(): string;
  /** Decides when long work yields to the event loop. Check it at least every few milliseconds. */
  readonly yielder: Yielder;
}

/** A message of a request, independent of the provider. */
export interface ChatMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ContentBlock[];
  /** Text appended to the message in this request only. */
  readonly turnOnly?: string;
}

/** Helps a provider to find the beginning of a request in its prompt cache. */
export interface CacheHints {
  /** The same for all requests of one conversation. */
  readonly key: string;
  /** The longest recent pause between a reply and the next message, in ms. The cache should live longer. */
  readonly idleMs: number;
}

export interface ChatRequest {
  /** Blocks of the system prompt, the most stable first: system prompt, memory, ledger, summaries. */
  readonly system: readonly string[];
  readonly messages: readonly ChatMessage[];
  /** Maximum tokens of the response's text. */
  readonly maxOutputTokens: number;
  /** Additional tokens for thinking; providers have one limit for both. Absent: none. */
  readonly reasoningTokens?: number;
  /** Absent: the provider's default. */
  readonly effort?: Effort;
  readonly temperature?: number;
  /** Absent: no later request has the same beginning. */
  readonly cache?: CacheHints;
  /**
   * Requests a response that matches this JSON schema, if the model supports it. Providers can only enforce a schema
   * whose objects are closed, and whose properties are all required.
   */
  readonly jsonSchema?: { readonly name: string; readonly schema: Readonly<Record<string, unknown>> };
}

export type ChatChunk =
  | { readonly type: 'text'; readonly text: string }
  /**
   * The model is thinking; its thoughts are neither shown nor kept. `retracts`: all text so far was thinking, too,
   * because it ended with a closing tag that had no opening one.
   */
  | { readonly type: 'thinking'; readonly retracts?: true }
  /** The request was sent again. Text and thinking so far are discarded, but the usage so far was paid for. */
  | { readonly type: 'retried' }
  /** May occur more than once; the last one counts. */
  | { readonly type: 'usage'; readonly usage: Usage }
  | { readonly type: 'end'; readonly ending: Ending };

/** A chat model. Adapters throw only `ModelFault`; its reason is `cancelled` after an abort. */
export interface ChatModel {
  /** `provider/model`, as in the journal and in the price table. */
  readonly id: string;
  readonly provider: string;
  readonly model: string;
  /** Maximum number of concurrent requests; absent: unknown. */
  readonly maxConcurrency?: number;
  stream(request: ChatRequest, signal: AbortSignal): AsyncIterable<ChatChunk>;
  /** The exact body of the HTTP request that `stream` would send; absent if it sends none. */
  wireBody?(request: ChatRequest): string;
  /** Input tokens as counted by the provider, if it supports that. */
  countTokens?(request: ChatRequest, signal: AbortSignal): Promise<number>;
}

/** An entry of the session list, available without opening the journal. */
export type SessionListEntry = ReadonlyOutput<typeof sessionListEntrySchema> & {
  /** A newer version has written to the session. It's read-only, and fields may be outdated or empty. */
  readonly isNewer?: boolean;
};

/** Whether a session isn't in any workspace's list, because a newer version has written all of it. */
export const isUnreadable = ({ isNewer, workspace }: SessionListEntry): boolean => isNewer === true && workspace === '';

/** A session's open journal. Only one window at a time can write to it. */
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
  readonly isExternal?: true;
  /**
   * Writes and flushes the events to disk, and then applies them to `state`. If the disk is full, they are only applied
   * (see `unsaved`), and written when there is space. If it rejects with `StoreFault`, they aren't applied.
   */
  append(...events: readonly SessionEvent[]): Promise<void>;
  /**
   * Makes this window the writer, as `append` does, if the previous writer is gone. Call it before creating events that
   * refer to the latest state, which then includes everything that the previous writer wrote. If the previous writer
   * isn't gone, `readOnly` says so. Rejects with `StoreFault`.
   */
  prepareToWrite(): Promise<void>;
  /** Makes this window the writer; the previous one finishes writing and turns read-only. Rejects with `StoreFault`. */
  takeOver(): Promise<void>;
  /** Called after `state` or `readOnly` has changed. Without events, reread both; `state` may be another object. */
  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void };
  close(): Promise<void>;
}

export interface SessionStore {
  list(): Promise<readonly SessionListEntry[]>;
  create(title: string, workspace: string): Promise<SessionJournal>;
  /**
   * Opens a session. If it's already open, all callers share one journal and state, until each has called `close`. If
   * the journal is missing or completely unreadable, a new one is created from `fallback` (the events of a snapshot),
   * and `notice` is set. Without `fallback`, it rejects with `StoreFault` `missing`.
   */
  open(id: SessionId, fallback?: readonly SessionEvent[]): Promise<SessionJournal>;
}

/** Stored token counts of a session, so that opening it doesn't count again. Losing them only costs time. */
export interface CountStore {
  /** `messages` are in the journal's order. Returns the counts of those that were stored, which come first. */
  load(id: SessionId, messages: readonly MessageId[]): Promise<StoredCounts | undefined>;
  /** `counts` has an entry for each message. */
  save(id: SessionId, messages: readonly MessageId[], counts: StoredCounts): Promise<void>;
}

/** A storage error, with a message for the user that says what to do. */
export class StoreFault extends Error {
  readonly reason: 'full' | 'read_only' | 'missing' | 'not_writer' | 'newer' | 'too_large' | 'invalid' | 'other';

  readonly phrase: Phrase;

  constructor(reason: StoreFault['reason'], phrase: Phrase, cause?: unknown) {
    super(inEnglish(phrase), { cause });
    this.name = 'StoreFault';
    this.reason = reason;
    this.phrase = phrase;
  }

  static is(error: unknown, ...reasons: readonly StoreFault['reason'][]): error is StoreFault {
    return error instanceof StoreFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}

/** Returns a model with another `stream`. All methods get the requests that `mapRequest` returns. */
export const wrapModel = (
  model: ChatModel,
  stream: ChatModel['stream'],
  mapRequest = (request: ChatRequest): ChatRequest => request,
): ChatModel => ({
  id: model.id,
  provider: model.provider,
  model: model.model,
  ...(model.maxConcurrency !== undefined && { maxConcurrency: model.maxConcurrency }),
  stream: (request, signal) => stream(mapRequest(request), signal),
  ...(model.wireBody && { wireBody: (request) => model.wireBody!(mapRequest(request)) }),
  ...(model.countTokens && { countTokens: (request, signal) => model.countTokens!(mapRequest(request), signal) }),
});

/** The log. Events contain numbers and IDs, but never message text. */
export interface Log {
  event(name: string, fields: Readonly<Record<string, string | number | boolean | null>>, level?: 'error'): void;
  warn(message: string): void;
}
