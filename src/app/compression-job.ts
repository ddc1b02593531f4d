import type { Context } from '../core/context/assemble.ts';
import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { DueTrigger } from '../core/policy/triggers.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { ConversationSettings } from './conversation-settings.ts';

export type Urgency = 'now' | 'background';

export interface CompressionProgress {
  readonly stage: 'planning' | 'events' | 'summarizing';
  readonly done: number;
  readonly total: number;
}

export interface CompressionRequest {
  readonly due: DueTrigger;
  readonly urgency: Urgency;
  readonly settings: ConversationSettings;
  /** Maximum tokens of a request. */
  readonly budget: number;
  readonly before: Context;
  readonly counts: MessageCounts;
  /** Whether to compress, without a model, the messages that arrived while the last compression ran. */
  readonly extends?: boolean;
  /** Overrides the policy's target. Only used outside of VS Code. */
  readonly target?: CompressionTarget;
  /** Cancels this compression or, if the request has joined another one, stops waiting for that. */
  readonly signal?: AbortSignal;
}

/** An explicit target. Token counts include framing. */
export interface CompressionTarget {
  /** Maximum tokens of the whole request. */
  readonly targetTokens: number;
  /** Number of recent messages that stay verbatim. */
  readonly keep: number;
  /** Maximum tokens of the recent messages. */
  readonly recentTokens: number;
  /** Whether all messages are compressed, even the newest. */
  readonly coversAll?: boolean;
}

export interface CompressionJob extends CompressionRequest {
  readonly state: SessionState;
  readonly counter: TokenCounter;
  /** Undefined: summaries are extracted. */
  readonly model: SummaryModel | undefined;
  readonly extractiveOnFault: boolean;
  /** Whether only one request is sent at a time, because the provider failed last time. */
  readonly isProbing: boolean;
  readonly report: (progress: CompressionProgress) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

export type SkipReason =
  /** There are no messages before the recent ones. */
  | 'recent_only'
  /** Ledger and summaries would save less than 10% of the tokens that they replace. */
  | 'no_saving';

export type WorkResult =
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | {
      readonly kind: 'done';
      readonly record: CompressionRecord;
      /** The newest covered message. The result is valid as long as no message up to it changes. */
      readonly last: { readonly message: MessageId; readonly position: number };
      /** Shown to the user if the model failed and the summaries were extracted. */
      readonly fault: unknown;
    };

export type CompressionWork = (job: CompressionJob) => Promise<WorkResult>;

export type CompressionOutcome =
  | {
      readonly kind: 'committed';
      readonly record: CompressionRecord;
      readonly fault: unknown;
    }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** `nothing`: there was no result to commit. `spent`: the spend limit is reached, and the request isn't urgent. */
  | { readonly kind: 'ready' | 'started' | 'nothing' | 'off' | 'backing_off' | 'spent' | 'cancelled' | 'stale' };
