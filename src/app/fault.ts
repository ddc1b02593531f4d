import type { Ending, Usage } from '../core/model/message.ts';

/** What can go wrong between here and a model, by meaning. Each adapter maps its SDK's errors to these, once. */
export const FAULT_REASONS = [
  'no_key',
  'refused_key',
  'forbidden',
  'model_not_found',
  'rate_limited',
  'quota',
  /** The account's credit does not cover the output limit of the request. */
  'unaffordable',
  /** The request is larger than what the account may send in a minute. */
  'over_rate',
  'context_too_long',
  'content_refused',
  'overloaded',
  'network',
  'timeout',
  'cut_stream',
  /** The output limit was reached before any text came: all of it was spent on thinking. */
  'output_limit',
  /** The same at the highest limit that the model and its context window allow. */
  'highest_output_limit',
  'empty_reply',
  'malformed',
  'bad_request',
  'cancelled',
] as const;
export type FaultReason = (typeof FAULT_REASONS)[number];

/** A model call that did not end well. `message` is for the log; what the user reads is chosen by `reason`. */
export class ModelFault extends Error {
  readonly reason: FaultReason;
  /** Milliseconds until another try makes sense, where the provider said so. */
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;
  /** Tokens that the model reads and writes in all, where a request was too long and the provider said so. */
  readonly contextWindow: number | undefined;

  constructor(
    reason: FaultReason,
    message: string,
    options: {
      retryAfterMs?: number | undefined;
      status?: number | undefined;
      contextWindow?: number | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelFault';
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
    this.contextWindow = options.contextWindow;
  }

  static is(error: unknown, ...reasons: readonly FaultReason[]): error is ModelFault {
    return error instanceof ModelFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}

/** A reply without text is told to the user as what it is; what it cost is recorded like any other's. */
export function emptyReply(ending: Ending | undefined, usage: Usage | undefined, isHighest = false): ModelFault {
  const paid = `${usage?.output ?? 0} output tokens, ${usage?.reasoning ?? 0} of them thinking`;
  return ending === 'length'
    ? new ModelFault(
        isHighest ? 'highest_output_limit' : 'output_limit',
        `the output limit was reached before any text (${paid})`,
      )
    : new ModelFault('empty_reply', `the reply ended without text (${paid})`);
}

/** Why a message was not sent; `ContextOverflow` comes with ways out, shown by the panel. */
export class ContextOverflow extends Error {
  readonly total: number;
  readonly budget: number;

  constructor(total: number, budget: number) {
    super(`The request needs ${total} tokens and the model's budget is ${budget}.`);
    this.name = 'ContextOverflow';
    this.total = total;
    this.budget = budget;
  }
}

/** A second turn was asked for while one is running. */
export class TurnRunning extends Error {
  constructor() {
    super('A response is in progress. Stop it or wait until it finishes.');
    this.name = 'TurnRunning';
  }
}
