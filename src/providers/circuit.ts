import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel } from '../app/ports.ts';

/**
 *   closed --(threshold faults in a row)--> open --(coolDownMs)--> half open --success--> closed
 *                                            ^                        |
 *                                            +--------fault-----------+
 *
 * Stops background work that keeps failing: compression asks before each call and stays away while the circuit is
 * open. A chat never asks, since a user who sends a message wants it tried.
 */
export class Circuit {
  readonly #threshold: number;
  readonly #coolDownMs: number;
  readonly #now: () => number;
  #faults = 0;
  #openedAt: number | undefined;
  #trying = false;

  /**
   * @param now milliseconds since the epoch
   * @param threshold faults in a row that open it
   * @param coolDownMs milliseconds for which it stays open, unless a provider asks for longer
   */
  constructor(now: () => number, threshold = 3, coolDownMs = 300_000) {
    this.#now = now;
    this.#threshold = threshold;
    this.#coolDownMs = coolDownMs;
  }

  /** Milliseconds until a call may be tried again; 0 when it may now. */
  get waitMs(): number {
    if (this.#openedAt === undefined) return 0;
    return Math.max(0, this.#openedAt + this.#coolDownMs - this.#now());
  }

  /** Runs a call, or throws the fault `overloaded` at once while the circuit is open. Other errors pass through. */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.waitMs > 0 || this.#trying) {
      throw new ModelFault('overloaded', 'not tried: earlier calls failed in a row', { retryAfterMs: this.waitMs });
    }
    // After the pause one call goes ahead to see how things are; the others wait for what it finds.
    this.#trying = this.#openedAt !== undefined;
    try {
      const result = await call();
      this.reset();
      return result;
    } catch (error) {
      this.#failed(error);
      throw error;
    } finally {
      this.#trying = false;
    }
  }

  /** Closes the circuit: the user has changed a setting, or asks for compression. */
  reset(): void {
    this.#faults = 0;
    this.#openedAt = undefined;
  }

  #failed(error: unknown): void {
    // A stop by the user says nothing of the provider.
    if (ModelFault.is(error, 'cancelled')) return;
    this.#faults += 1;
    if (this.#openedAt === undefined && this.#faults < this.#threshold) return;
    const asked = ModelFault.is(error) ? (error.retryAfterMs ?? 0) : 0;
    this.#openedAt = this.#now() + Math.max(0, asked - this.#coolDownMs);
  }
}

/** A model that is asked only while the circuit is closed. Its reply is handed on when it is whole. */
export function guarded(model: ChatModel, circuit: Circuit): ChatModel {
  return {
    id: model.id,
    provider: model.provider,
    model: model.model,
    ...(model.atOnce !== undefined && { atOnce: model.atOnce }),
    async *stream(request, signal) {
      yield* await circuit.run(async () => {
        const chunks: ChatChunk[] = [];
        for await (const chunk of model.stream(request, signal)) chunks.push(chunk);
        return chunks;
      });
    },
  };
}
