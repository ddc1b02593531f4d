import type { Context } from '../core/context/assemble.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { Usage } from '../core/model/message.ts';
import type { DueTrigger } from '../core/policy/triggers.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { ConversationSettings } from './settings.ts';

export type Urgency = 'now' | 'background';

export interface CompressionProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** What the compressor is asked for. */
export interface CompressionRequest {
  readonly due: DueTrigger;
  readonly urgency: Urgency;
  readonly settings: ConversationSettings;
  readonly budget: number;
  readonly before: Context;
  readonly counts: MessageCounts;
}

/** What a compression works on. Nothing in it changes the session. */
export interface CompressionJob {
  readonly due: DueTrigger;
  readonly urgency: Urgency;
  readonly state: SessionState;
  readonly settings: ConversationSettings;
  /** Tokens a request may take. */
  readonly budget: number;
  readonly before: Context;
  readonly counter: TokenCounter;
  readonly counts: MessageCounts;
  /** Whether code may stand in for a model whose provider fails. */
  readonly extractiveOnFault: boolean;
  /** The provider failed last time: one segment at a time is tried, until it answers. */
  readonly probing: boolean;
  /** Set while the provider is left alone after a fault: code stands in for it at once. */
  readonly leftAlone: unknown;
  readonly report: (progress: CompressionProgress) => void;
  /** False while the limit for spending is used up: then no model may be called. */
  readonly mayUseModel: () => boolean;
  /** Called for each model call, whether its result is used or not. */
  readonly spent: (usage: SpentUsage) => void;
  /** Called when code stands in for a model that could not be had: the fault, for the user to be told. */
  readonly standIn: (fault: unknown) => void;
  readonly signal: AbortSignal;
}

/** What came of it: a record to commit, or undefined when there is nothing worth compressing. */
export type CompressionWork = (job: CompressionJob) => Promise<WorkResult | undefined>;

export interface WorkResult {
  readonly record: CompressionRecord;
  /** The newest message that was looked at: while it stands where it stood, the plan still holds. */
  readonly last: { readonly message: MessageId; readonly position: number };
  /** Set when code stood in for a model: the fault, for the user to be told. */
  readonly fault: unknown;
}

export interface SpentUsage {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export type CompressionOutcome =
  | { readonly kind: 'committed'; readonly record: CompressionRecord; readonly fault: unknown }
  | { readonly kind: 'ready' }
  | { readonly kind: 'started' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'off' }
  | { readonly kind: 'cooling' }
  /** The limit for spending is used up, and nothing waits for this compression. */
  | { readonly kind: 'spent' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly error: unknown };
