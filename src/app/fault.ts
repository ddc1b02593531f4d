/** What can go wrong between here and a model, by meaning. Each adapter maps its SDK's errors to these, once. */
export const FAULT_REASONS = [
  'no_key',
  'refused_key',
  'forbidden',
  'model_not_found',
  'rate_limited',
  'quota',
  'context_too_long',
  'content_refused',
  'overloaded',
  'network',
  'timeout',
  'cut_stream',
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

  constructor(
    reason: FaultReason,
    message: string,
    options: { retryAfterMs?: number; status?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'ModelFault';
    this.reason = reason;
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }

  static is(error: unknown, ...reasons: readonly FaultReason[]): error is ModelFault {
    return error instanceof ModelFault && (reasons.length === 0 || reasons.includes(error.reason));
  }
}
