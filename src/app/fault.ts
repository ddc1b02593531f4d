import { PromptsTooLong, UnusableAnswers } from '../core/compress/summary-model.ts';
import type { Ending, Usage } from '../core/model/message.ts';

/** Why a model request failed. Each provider adapter maps its SDK's errors to these reasons. */
export const FAULT_REASONS = [
  'no_key',
  'refused_key',
  'forbidden',
  'model_not_found',
  'rate_limited',
  'quota',
  /** The account's balance doesn't cover the output limit of the request. */
  'unaffordable',
  /** The request exceeds the account's tokens per minute. */
  'over_rate',
  'context_too_long',
  'content_refused',
  'overloaded',
  'network',
  /** The server's certificate is expired, for another host, or from an untrusted issuer. */
  'certificate',
  /** The proxy requires a user name and password, or rejected them. */
  'proxy_authentication',
  /** The base URL is empty or isn't an HTTP address, so nothing was sent. */
  'invalid_base_url',
  'timeout',
  'cut_stream',
  /** The output limit was reached before any text, because it was spent on thinking. */
  'output_limit',
  /** Like `output_limit`, but the limit can't be raised any further. */
  'highest_output_limit',
  'empty_reply',
  'malformed',
  'bad_request',
  'cancelled',
] as const;
export type FaultReason = (typeof FAULT_REASONS)[number];

/** A failed model call. `message` is for the log; the message for the user depends on `reason`. */
export class ModelFault extends Error {
  readonly reason: FaultReason;
  /** Milliseconds until a retry makes sense, as stated by the provider. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** The model's context window in tokens, if the provider stated it when it rejected a request as too long. */
  readonly contextWindow: number | undefined;
  /** The media type of a response that isn't from a model's API, such as `text/html`. */
  readonly contentType: string | undefined;
  /** The provider's own message, with secrets masked. It may repeat what was sent, so it's never logged. */
  readonly details: string | undefined;

  constructor(
    reason: FaultReason,
    message: string,
    options: Partial<Pick<ModelFault, 'retryAfterMs' | 'status' | 'contextWindow' | 'contentType' | 'details'>> &
      ErrorOptions = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelFault';
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.contextWindow = options.contextWindow;
    this.contentType = options.contentType;
    this.details = options.details;
  }

  static is(error: unknown, ...reasons: readonly FaultReason[]): error is ModelFault {
    return error instanceof ModelFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}

/** Whether a model didn't give a usable summary, and a retry with the same messages wouldn't help. */
export const isUnusableAnswer = (error: unknown): boolean =>
  error instanceof UnusableAnswers ||
  error instanceof PromptsTooLong ||
  ModelFault.is(error, 'content_refused', 'highest_output_limit');

export function emptyReply(ending: Ending | undefined, usage: Usage | undefined, isHighest: boolean): ModelFault {
  const tokens = `${usage?.output ?? 0} output tokens, ${usage?.reasoning ?? 0} of them thinking`;
  return ending === 'length'
    ? new ModelFault(
        isHighest ? 'highest_output_limit' : 'output_limit',
        `the output limit was reached before any text (${tokens})`,
      )
    : new ModelFault('empty_reply', `the reply ended without text (${tokens})`);
}

/** A request wasn't sent because it doesn't fit in the model's context window. The panel offers ways to shorten it. */
export class ContextOverflow extends Error {
  /** Tokens that the request needs, as the provider counts them. */
  readonly total: number;
  /** Tokens that are available for it, as the provider counts them. */
  readonly budget: number;
  /** Whether the request would fit if only the new message were shorter. */
  readonly canShortenMessage: boolean;

  constructor(total: number, budget: number, canShortenMessage: boolean) {
    super(`The request needs ${total} tokens and the model's budget is ${budget}.`);
    this.name = 'ContextOverflow';
    this.total = total;
    this.budget = budget;
    this.canShortenMessage = canShortenMessage;
  }
}

export class TurnRunning extends Error {
  constructor() {
    super('A response is in progress. Stop it or wait until it finishes.');
    this.name = 'TurnRunning';
  }
}
