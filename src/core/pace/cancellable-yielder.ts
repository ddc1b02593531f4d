import type { Yielder } from './yielder.ts';

/** Thrown at the first step after a cancellation, before anything is committed. */
export class Cancelled extends Error {
  override readonly name = 'Cancelled';

  constructor() {
    super('The compression was cancelled.');
  }
}

/** Characters processed between checks of the clock: a fraction of a millisecond, even before the JIT has warmed up. */
const CHARS_PER_CLOCK_CHECK = 1000;

/** Yields to the event loop when due, and throws `Cancelled` once the caller has canceled. */
export class CancellableYielder implements Yielder {
  private charsDone = 0;
  private readonly yielder: Yielder | undefined;
  private readonly cancel: { readonly aborted: boolean } | undefined;

  constructor(yielder?: Yielder, cancel?: { readonly aborted: boolean }) {
    this.yielder = yielder;
    this.cancel = cancel;
  }

  /** Adds processed characters. True if `yield` is due. Synchronous, because an `await` may cost more than the work. */
  isDue(chars = CHARS_PER_CLOCK_CHECK): boolean {
    this.charsDone += chars;
    if (this.charsDone < CHARS_PER_CLOCK_CHECK) return false;
    this.charsDone = 0;
    return this.yielder?.isDue() === true;
  }

  /** @throws {Cancelled} if the caller has canceled */
  async yield(): Promise<void> {
    this.throwIfCancelled();
    await this.yielder?.yield();
    this.throwIfCancelled();
  }

  /** @throws {Cancelled} */
  throwIfCancelled(): void {
    if (this.cancel?.aborted) throw new Cancelled();
  }
}
