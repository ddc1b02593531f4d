import type { Context } from '../core/context/assemble.ts';
import type { SummaryModel } from '../core/compress/summary-model.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { MessageId } from '../core/model/ids.ts';
import type { DueTrigger } from '../core/policy/triggers.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { ConversationSettings } from './settings.ts';

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
  /** Tokens a request may take. */
  readonly budget: number;
  readonly before: Context;
  readonly counts: MessageCounts;
  /** Extends the last compression, without a model, to messages that arrived while it ran. */
  readonly extends?: boolean;
  /** Overrides the policy's target. Only used outside of VS Code. */
  readonly aim?: CompressionAim;
  /** Cancels this compression, or only the wait if it has joined another one. */
  readonly signal?: AbortSignal;
}

/** The target of a compression. Token counts include framing. */
export interface CompressionAim {
  /** Maximum tokens of the whole request. */
  readonly targetTokens: number;
  /** Number of recent messages that stay verbatim. */
  readonly keep: number;
  /** Maximum tokens of the recent messages. */
  readonly recentTokens: number;
  /** No message stays verbatim, not even the newest. */
  readonly coversAll?: boolean;
}

/** The input of a compression. */
export interface CompressionJob extends CompressionRequest {
  readonly state: SessionState;
  readonly counter: TokenCounter;
  /** Undefined: summaries are extracted. */
  readonly model: SummaryModel | undefined;
  /** Whether to fall back to extraction if the provider fails. */
  readonly extractiveOnFault: boolean;
  /** The provider failed last time, so it gets one request at a time. */
  readonly isProbing: boolean;
  readonly report: (progress: CompressionProgress) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Why there is nothing to commit. */
export type SkipReason =
  /** There are no messages before the recent ones. */
  | 'recent_only'
  /** Ledger and summaries would save less than 10% of what they replace. */
  | 'no_saving';

export type WorkResult =
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | {
      readonly kind: 'done';
      readonly record: CompressionRecord;
      /** The newest planned message. The plan is valid as long as no message up to it changes. */
      readonly last: { readonly message: MessageId; readonly position: number };
      /** Why the summaries were extracted instead of using the model, to be shown to the user. */
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
  /** `nothing`: there was no result to commit; `spent`: the spend limit is reached, and it isn't urgent. */
  | { readonly kind: 'ready' | 'started' | 'nothing' | 'off' | 'cooling' | 'spent' | 'cancelled' | 'stale' };
