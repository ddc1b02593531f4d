import { ModelFault } from '../app/fault.ts';
import type { ChatChunk } from '../app/ports.ts';

/** Milliseconds of silence that end a call: until the first text of the reply, and after it. */
export interface CallTimeouts {
  readonly firstTokenMs?: number;
  readonly silenceMs?: number;
}

/**
 * Until the first text a local server may load its model, a busy one may queue the request, and a model may think
 * (Ollama allows itself 5 minutes, as does Node's fetch); once text runs, every server sends something at least every
 * few seconds, if only a keep-alive.
 */
const DEFAULT_TIMEOUTS = { firstTokenMs: 300_000, silenceMs: 90_000 };

/** Requests that a vendor's own address answers at once; other servers may be the user's own and would queue them. */
export const HOSTED_AT_ONCE = 24;

/** Enough for the mark that ends a stream and the line ends after it. */
const TAIL_CHARS = 32;

/**
 * One request on its way: joins the caller's stop and the watch for silence into one abort signal. Silence is measured
 * on the bytes of the response, so keep-alive lines that an SDK hides count as life, and so does the slowest drip.
 */
export class WatchedCall {
  readonly controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #silenceMs: number;
  readonly #stop = (): void => this.controller.abort();
  #timer: NodeJS.Timeout | undefined;
  #limit: number;
  #paused = false;
  #silent = false;
  #tail = '';

  constructor(caller: AbortSignal, { firstTokenMs, silenceMs }: CallTimeouts) {
    this.#caller = caller;
    this.#limit = firstTokenMs ?? DEFAULT_TIMEOUTS.firstTokenMs;
    this.#silenceMs = silenceMs ?? DEFAULT_TIMEOUTS.silenceMs;
    if (caller.aborted) this.#stop();
    else caller.addEventListener('abort', this.#stop, { once: true });
    this.#arm();
  }

  /** The same response, its bytes counted as signs of life. */
  watch(response: Response): Response {
    if (response.body === null) return response;
    const decoder = new TextDecoder();
    const counted = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#heard();
        this.#tail = (this.#tail + decoder.decode(chunk, { stream: true })).slice(-TAIL_CHARS);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(counted), { headers: response.headers, status: response.status });
  }

  /** The last characters of the response so far. */
  get tail(): string {
    return this.#tail;
  }

  /** Text has come: from now on a server that lives says so more often. */
  speaks(): void {
    this.#limit = this.#silenceMs;
  }

  /** While the reader of the reply is busy with what it has, nobody reads on, and silence means nothing. */
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
    if (this.#caller.aborted)
      return isTimeout(this.#caller.reason)
        ? new ModelFault('timeout', 'the caller’s time was up')
        : new ModelFault('cancelled', 'cancelled');
    if (this.#silent) return new ModelFault('timeout', `no byte came for ${this.#limit} ms`);
    return undefined;
  }

  /** Ends the watch, and the connection if it is still open. */
  close(): void {
    clearTimeout(this.#timer);
    this.#paused = true;
    this.#caller.removeEventListener('abort', this.#stop);
    this.controller.abort();
  }

  #heard(): void {
    if (!this.#paused) this.#arm();
  }

  #arm(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silent = true;
      this.controller.abort();
    }, this.#limit);
  }
}

/** The reason of `AbortSignal.timeout`. */
const isTimeout = (reason: unknown): boolean => reason instanceof DOMException && reason.name === 'TimeoutError';

/**
 * Runs one streamed call under watch. `open` sends the request and yields what comes; a reply that ends without an
 * `end` chunk was cut. Throws `ModelFault` alone.
 */
export async function* runWatched(
  signal: AbortSignal,
  timeouts: CallTimeouts,
  open: (call: WatchedCall) => AsyncIterable<ChatChunk>,
  toFault: (error: unknown) => ModelFault,
): AsyncGenerator<ChatChunk> {
  const call = new WatchedCall(signal, timeouts);
  let thinks = false;
  try {
    for await (const chunk of open(call)) {
      // Servers send a part for each few words of thinking; the first one says it all.
      if (chunk.type === 'thinking' && !chunk.retracts && thinks) continue;
      thinks ||= chunk.type === 'thinking';
      const interrupted = call.interruption();
      if (interrupted !== undefined) throw interrupted;
      if (chunk.type === 'text') call.speaks();
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

/** Runs one call that answers at once (a list, a count) under the same watch. Throws `ModelFault` alone. */
export async function askWatched<T>(
  signal: AbortSignal,
  timeouts: CallTimeouts,
  ask: (call: WatchedCall) => Promise<T>,
  toFault: (error: unknown) => ModelFault,
): Promise<T> {
  const call = new WatchedCall(signal, timeouts);
  try {
    return await ask(call);
  } catch (error) {
    throw call.interruption() ?? toFault(error);
  } finally {
    call.close();
  }
}
