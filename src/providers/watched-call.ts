import { ModelFault } from '../app/fault.ts';
import type { ChatChunk } from '../app/ports.ts';

/** Milliseconds of silence that end a call: until the first text of the reply, and after it. */
export interface CallLimits {
  readonly firstTokenMs: number;
  readonly silenceMs: number;
}

/**
 * Until the first text a local server may load its model, a busy one may queue the request, and a model may think
 * (Ollama allows itself 5 minutes, as does Node's fetch).
 */
const FIRST_TOKEN_MS = 300_000;
/** Once text runs, every server sends something at least every few seconds, if only a keep-alive. */
const SILENCE_MS = 90_000;

/**
 * One request on its way: joins the caller's stop and the watch for silence into one abort signal. Silence is measured
 * on the bytes of the response, so keep-alive lines count as life, and so does the slowest drip.
 */
export class WatchedCall {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #stop = (): void => this.#controller.abort();
  #timer: NodeJS.Timeout | undefined;
  /** Milliseconds of silence that are allowed by now, and once text has come. */
  #limit: number;
  readonly #silenceMs: number;
  #silent = false;

  /** @param limits what the user has set of them */
  constructor(caller: AbortSignal, { firstTokenMs = FIRST_TOKEN_MS, silenceMs = SILENCE_MS }: Partial<CallLimits>) {
    this.#caller = caller;
    this.#limit = firstTokenMs;
    this.#silenceMs = silenceMs;
    if (caller.aborted) this.#stop();
    else caller.addEventListener('abort', this.#stop, { once: true });
    this.heard();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Something has come; from here on silence counts. */
  heard(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#silent = true;
      this.#stop();
    }, this.#limit);
  }

  /** Text has come: from now on a server that lives says so more often. */
  speaks(): void {
    this.#limit = this.#silenceMs;
  }

  /** While the reader of the reply is busy with what it has, nobody reads on, and silence means nothing. */
  pause(): void {
    clearTimeout(this.#timer);
  }

  /** Why the call was ended from this side, if it was. */
  interruption(): ModelFault | undefined {
    const reason: unknown = this.#caller.reason;
    // The reason of `AbortSignal.timeout`.
    if (reason instanceof DOMException && reason.name === 'TimeoutError')
      return new ModelFault('timeout', 'the caller’s time was up');
    if (this.#caller.aborted) return new ModelFault('cancelled', 'cancelled');
    return this.#silent ? new ModelFault('timeout', `no byte came for ${this.#limit} ms`) : undefined;
  }

  /** Ends the watch, and the connection if it is still open. */
  close(): void {
    this.pause();
    this.#caller.removeEventListener('abort', this.#stop);
    this.#stop();
  }
}

/**
 * Runs one streamed call under watch. `open` sends the request and yields what comes; a reply that ends without an
 * `end` chunk was cut. Throws `ModelFault` alone.
 */
export async function* runWatched(
  signal: AbortSignal,
  limits: Partial<CallLimits>,
  open: (call: WatchedCall) => AsyncIterable<ChatChunk>,
  toFault: (error: unknown) => ModelFault,
): AsyncGenerator<ChatChunk> {
  const call = new WatchedCall(signal, limits);
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
      call.heard();
    }
    throw new ModelFault('cut_stream', 'the reply ended before its end was announced');
  } catch (error) {
    throw call.interruption() ?? toFault(error);
  } finally {
    call.close();
  }
}

/** Runs one call that answers at once (a list, a count) under the same watch. Throws `ModelFault` alone. */
export async function askWatched<T>(
  signal: AbortSignal,
  limits: Partial<CallLimits>,
  ask: (call: WatchedCall) => Promise<T>,
  toFault: (error: unknown) => ModelFault,
): Promise<T> {
  const call = new WatchedCall(signal, limits);
  try {
    return await ask(call);
  } catch (error) {
    throw call.interruption() ?? toFault(error);
  } finally {
    call.close();
  }
}
