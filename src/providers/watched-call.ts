import { ModelFault } from '../app/fault.ts';
import type { ChatChunk } from '../app/ports.ts';

/** Timeouts for silence in ms: until the first text of the reply, and after it. */
export interface CallTimeouts {
  readonly firstTokenMs?: number;
  readonly silenceMs?: number;
}

/**
 * Before the first text, a local server may load its model, a busy one may queue the request, and a model may think
 * (Ollama allows 5 minutes, as does Node's fetch). After it, servers send something every few seconds, at least a
 * keep-alive.
 */
const DEFAULT_TIMEOUTS = { firstTokenMs: 300_000, silenceMs: 90_000 };

/** How long a server that keeps the connection open may take to send a completed reply's usage, in ms. */
const MAX_USAGE_DELAY_MS = 5_000;

/**
 * A running request. Combines the caller's abort and a timeout for silence in one signal, whose reason is their fault.
 * Silence is measured on the response's bytes, so keep-alive lines that an SDK hides, and even the slowest stream, count
 * as activity.
 */
export class WatchedCall {
  readonly controller = new AbortController();
  readonly #silenceMs: number;
  #timer: NodeJS.Timeout | undefined;
  #closing: NodeJS.Timeout | undefined;
  #limit: number;
  #paused = false;

  constructor(caller: AbortSignal, { firstTokenMs, silenceMs }: CallTimeouts) {
    this.#limit = firstTokenMs ?? DEFAULT_TIMEOUTS.firstTokenMs;
    this.#silenceMs = silenceMs ?? DEFAULT_TIMEOUTS.silenceMs;
    const { signal } = this.controller;
    const stop = (): void => this.controller.abort(abortionBy(caller.reason));
    if (caller.aborted) stop();
    else caller.addEventListener('abort', stop, { signal });
    this.#arm();
  }

  /** Returns the response with its bytes counted as activity. */
  watch(response: Response): Response {
    if (response.body === null) return response;
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.onActivity();
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counted), { headers: response.headers, status: response.status });
  }

  /** Text has arrived, so the shorter timeout applies. */
  textArrived(): void {
    this.#limit = this.#silenceMs;
  }

  /** The reply is complete. Only its usage may follow, so the connection is closed soon. */
  replyCompleted(): void {
    clearTimeout(this.#timer);
    this.#closing ??= setTimeout(() => this.controller.abort(), Math.min(MAX_USAGE_DELAY_MS, this.#silenceMs));
  }

  /** Restarts the timeout, because something has arrived. `watch` calls this for a response's bytes. */
  onActivity(): void {
    if (!this.#paused) this.#arm();
  }

  /** Suspends the timeout, because nobody reads from the response while the consumer is busy. */
  pause(): void {
    this.#paused = true;
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.#paused = false;
    this.#arm();
  }

  /** Why the call was ended from this side, if it was. */
  interruption(): ModelFault | undefined {
    const reason: unknown = this.controller.signal.reason;
    return reason instanceof ModelFault ? reason : undefined;
  }

  /** Ends the timeouts, and the connection if it's still open. */
  close(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#closing);
    this.#paused = true;
    this.controller.abort();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    if (this.#closing) return;
    const stop = (): void => this.controller.abort(new ModelFault('timeout', `no byte came for ${this.#limit} ms`));
    this.#timer = setTimeout(stop, this.#limit);
  }
}

/** The fault of the caller's abort with this reason. That of `AbortSignal.timeout` is a `TimeoutError`. */
const abortionBy = (reason: unknown): ModelFault =>
  reason instanceof DOMException && reason.name === 'TimeoutError'
    ? new ModelFault('timeout', 'the caller’s time was up')
    : new ModelFault('cancelled', 'cancelled');

/** Runs a streamed call with timeouts. A reply without an `end` chunk was cut off. Only throws `ModelFault`. */
export async function* watchStream(
  signal: AbortSignal,
  timeouts: CallTimeouts,
  open: (call: WatchedCall) => AsyncIterable<ChatChunk>,
  toFault: (error: unknown) => ModelFault,
): AsyncGenerator<ChatChunk> {
  const call = new WatchedCall(signal, timeouts);
  let hasThought = false;
  try {
    for await (const chunk of open(call)) {
      // Servers send a chunk for every few words of thinking; the first one is enough.
      if (chunk.type === 'thinking' && !chunk.retracts && hasThought) continue;
      hasThought ||= chunk.type === 'thinking';
      const interrupted = call.interruption();
      if (interrupted !== undefined) throw interrupted;
      if (chunk.type === 'text') call.textArrived();
      call.pause();
      yield chunk;
      if (chunk.type === 'end') return;
      call.resume();
    }
    throw call.interruption() ?? new ModelFault('cut_stream', 'the reply ended before its end was announced');
  } catch (error) {
    throw call.interruption() ?? toFault(error);
  } finally {
    call.close();
  }
}
