import { setTimeout } from 'node:timers/promises';
import { ModelFault } from '../app/fault.ts';
import { modelWith, type ChatChunk, type ChatModel, type ChatRequest } from '../app/ports.ts';

export interface RetryOptions {
  /** Further tries after the first; default 4. */
  readonly maxRetries?: number;
  /** Further tries where the last was refused by a rate limit, which passes; default `maxRetries`. */
  readonly maxRateLimitRetries?: number;
  /** Milliseconds before the first further try; doubled for each next one; default 1,000. */
  readonly baseMs?: number;
  /** The longest pause of our own, and the longest that a provider may ask for; default 60,000 ms. */
  readonly capMs?: number;
  /** Nobody sees the reply before its end: one that breaks off is taken back and asked for again. */
  readonly takesBack?: boolean;
  /** Called as a pause begins, with its milliseconds and the number of the try that follows it, for a countdown. */
  readonly onWait?: (ms: number, attempt: number, fault: ModelFault) => void;
  /** A number from 0 to below 1, for the jitter. */
  readonly random?: () => number;
  /** Waits; rejects, or resolves at once, when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const MAX_RETRIES = 4;
const BASE_MS = 1_000;
const CAP_MS = 60_000;
/** Silence has cost minutes already; once more may help, five times over is a turn that hangs. */
const MAX_TIMEOUTS = 2;

/**
 * The same model, trying again what may go better a moment later: rate limits, overload, a lost network, silence. Only
 * before any text has come, unless it is taken back, since nothing said twice may reach the user. A pause asked for by
 * the provider is kept to; one longer than the cap ends the tries, for the user to decide. An abort ends any pause at
 * once.
 */
export function retrying(model: ChatModel, options: RetryOptions = {}): ChatModel {
  return modelWith(model, (request, signal) => streamWithRetries(model, request, signal, options));
}

async function* streamWithRetries(
  model: ChatModel,
  request: ChatRequest,
  signal: AbortSignal,
  options: RetryOptions,
): AsyncGenerator<ChatChunk> {
  const { maxRetries = MAX_RETRIES, onWait, sleep = pause, takesBack = false } = options;
  const { maxRateLimitRetries = maxRetries } = options;
  let timeouts = 0;
  for (let attempt = 1; ; attempt += 1) {
    let begun = false;
    try {
      for await (const chunk of model.stream(request, signal)) {
        begun ||= chunk.type === 'text';
        yield chunk;
      }
      return;
    } catch (error) {
      if ((begun && !takesBack) || !mayPass(error, takesBack)) throw error;
      if (attempt > (error.reason === 'rate_limited' ? maxRateLimitRetries : maxRetries)) throw error;
      if (error.reason === 'timeout') timeouts += 1;
      if (timeouts >= MAX_TIMEOUTS) throw error;
      const ms = waitMs(error, attempt, options);
      if (ms === undefined) throw error;
      onWait?.(ms, attempt + 1, error);
      await sleep(ms, signal);
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled while waiting to try again', { cause: error });
      if (begun) yield { type: 'thinking', retracts: true };
    }
  }
}

const mayPass = (error: unknown, takesBack: boolean): error is ModelFault =>
  ModelFault.is(error, 'rate_limited', 'overloaded', 'network', 'timeout') ||
  (takesBack && ModelFault.is(error, 'cut_stream'));

/**
 * Milliseconds to wait before the next try; undefined when the provider asks for more than the cap. Without its word:
 * exponential back-off with "equal jitter" (half fixed, half random), so that many windows do not return at once.
 * Source: M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
export function waitMs(
  fault: ModelFault,
  attempt: number,
  options: Pick<RetryOptions, 'baseMs' | 'capMs' | 'random'>,
): number | undefined {
  const { baseMs = BASE_MS, capMs = CAP_MS, random = Math.random } = options;
  // A date is over at once where this clock goes ahead of the server’s.
  if (fault.retryAfterMs) return fault.retryAfterMs > capMs ? undefined : fault.retryAfterMs;
  const full = Math.min(capMs, baseMs * 2 ** (attempt - 1));
  return full / 2 + (random() * full) / 2;
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await setTimeout(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
}
