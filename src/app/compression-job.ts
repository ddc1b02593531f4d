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

/** What the compressor is asked for. */
export interface CompressionRequest {
  readonly due: DueTrigger;
  readonly urgency: Urgency;
  readonly settings: ConversationSettings;
  /** Tokens a request may take. */
  readonly budget: number;
  readonly before: Context;
  readonly counts: MessageCounts;
  /** Continues the compression that was just committed with what came while it ran: extracted, without a model. */
  readonly extends?: boolean;
  /** Overrides what the policy says of the result; left out by the editor. */
  readonly aim?: CompressionAim;
  /** Ends this compression, or the wait for the one that it joins. */
  readonly signal?: AbortSignal;
}

/** What a compression is to come to, where it is not the policy's to say. Tokens, framing included. */
export interface CompressionAim {
  /** Binds all that is sent. */
  readonly targetTokens: number;
  /** Newest messages that stay verbatim. */
  readonly keep: number;
  /** What they may take of it. */
  readonly recentTokens: number;
  /** No message stays verbatim, not even the newest. */
  readonly coversAll?: boolean;
}

/** What a compression works on. Nothing in it changes the session. */
export interface CompressionJob extends CompressionRequest {
  readonly state: SessionState;
  readonly counter: TokenCounter;
  /** Undefined: summaries are extracted. */
  readonly model: SummaryModel | undefined;
  /** Whether extraction may stand in for a model whose provider fails. */
  readonly extractiveOnFault: boolean;
  /** The provider failed last time: one request at a time, until it answers. */
  readonly isProbing: boolean;
  readonly report: (progress: CompressionProgress) => void;
  readonly warn: (message: string) => void;
  readonly signal: AbortSignal;
}

/** Why there was nothing to commit; no model was asked. */
export type SkipReason =
  /** Nothing lies before the recent messages. */
  | 'recent_only'
  /** Ledger and summary would save less than 10 % of what they replace. */
  | 'no_saving';

export type WorkResult =
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  | {
      readonly kind: 'done';
      readonly record: CompressionRecord;
      /** The newest message that was looked at: while it stands where it stood, the plan still holds. */
      readonly last: { readonly message: MessageId; readonly position: number };
      /** Set when extraction stood in for a model: the fault, for the user to be told. */
      readonly fault: unknown;
    };

export type CompressionWork = (job: CompressionJob) => Promise<WorkResult>;

export type CompressionOutcome =
  | {
      readonly kind: 'committed';
      readonly record: CompressionRecord;
      readonly fault: unknown;
      /** A provider that had failed was tried with a part of the plan alone. */
      readonly wasTrial: boolean;
    }
  | { readonly kind: 'ready' }
  | { readonly kind: 'started' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
  /** There was no result to commit. */
  | { readonly kind: 'nothing' }
  | { readonly kind: 'off' }
  | { readonly kind: 'cooling' }
  /** The limit for spending is used up, and nothing waits for this compression. */
  | { readonly kind: 'spent' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly error: unknown };
