import { setTimeout } from 'node:timers/promises';
import { ModelFault } from '../app/fault.ts';
import { wrapModel, type ChatModel } from '../app/ports.ts';

export interface RetryOptions {
  /** Maximum number of retries after rate limits; default `MAX_RETRIES`. */
  readonly maxRateLimitRetries?: number;
  /** Whether the reply is only used once it's complete, so that an interrupted one can be requested again. */
  readonly mayDiscard?: boolean;
  /** Called at the beginning of a pause of `ms` before the attempt with this number, to show a countdown. */
  readonly onWait?: (ms: number, attempt: number, fault: ModelFault) => void;
  /** A random number from 0 to below 1, for jitter. */
  readonly random?: () => number;
  /** Waits; rejects or resolves immediately when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const MAX_RETRIES = 4;
/** Milliseconds before the first retry, doubled for each further one. */
const BASE_DELAY_MS = 1_000;
/** Maximum pause in ms, also for those that a provider asks for. */
const MAX_DELAY_MS = 60_000;
/** Number of timeouts after which retries end. Each takes minutes, so more would look like a hanging turn. */
const MAX_TIMEOUTS = 2;

/**
 * Retries failures of a model that may be temporary: rate limits, overload, a lost network, timeouts. Once text was
 * received, only retries if the reply can be discarded, so that the user never sees text twice. A pause requested by
 * the provider is respected; one above the maximum ends the retries, so that the user can decide. Aborting ends a pause
 * immediately.
 */
export function withRetries(
  model: ChatModel,
  { maxRateLimitRetries = MAX_RETRIES, onWait, random = Math.random, sleep = pause, mayDiscard }: RetryOptions = {},
): ChatModel {
  return wrapModel(model, async function* (request, signal) {
    let timeouts = 0;
    for (let attempt = 1; ; attempt += 1) {
      let hasText = false;
      let isPaid = false;
      try {
        for await (const chunk of model.stream(request, signal)) {
          hasText ||= chunk.type === 'text';
          isPaid ||= chunk.type === 'usage';
          yield chunk;
        }
        return;
      } catch (error) {
        if ((hasText && !mayDiscard) || !isTemporary(error, mayDiscard)) throw error;
        if (attempt > (error.reason === 'rate_limited' ? maxRateLimitRetries : MAX_RETRIES)) throw error;
        if (error.reason === 'timeout') timeouts += 1;
        if (timeouts >= MAX_TIMEOUTS) throw error;
        const ms = retryDelayMs(error, attempt, random());
        if (ms === undefined) throw error;
        onWait?.(ms, attempt + 1, error);
        await sleep(ms, signal);
        if (signal.aborted) throw new ModelFault('cancelled', 'cancelled while waiting to try again', { cause: error });
        if (hasText || isPaid) yield { type: 'retried' };
      }
    }
  });
}

const isTemporary = (error: unknown, mayDiscard = false): error is ModelFault =>
  ModelFault.is(error, 'rate_limited', 'overloaded', 'network', 'timeout') ||
  (mayDiscard && ModelFault.is(error, 'cut_stream'));

/**
 * Milliseconds before the next attempt; undefined if the provider asks for more than the maximum. By default,
 * exponential backoff with "equal jitter" (half fixed, half random), so that many windows don't retry at the same time.
 * Source: M. Brooker, "Exponential Backoff and Jitter", AWS Architecture Blog, 2015.
 */
export function retryDelayMs({ retryAfterMs }: ModelFault, attempt: number, random: number): number | undefined {
  // `retryAfterMs` is 0 for a date that has passed, for example if this computer's clock is ahead of the server's.
  if (retryAfterMs) return retryAfterMs > MAX_DELAY_MS ? undefined : retryAfterMs;
  const full = Math.min(MAX_DELAY_MS, BASE_DELAY_MS * 2 ** (attempt - 1));
  return full / 2 + (random * full) / 2;
}

/** Resolves early if the signal is aborted. */
const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  setTimeout(ms, undefined, { signal }).catch(() => undefined);
