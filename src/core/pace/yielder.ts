/** Tells long-running work when to yield, so that its thread stays responsive. */
export interface Yielder {
  /** Whether it's time to yield. Cheap enough for hot loops. */
  isDue(): boolean;
  /** Yields, whether it's due or not. */
  yield(): Promise<void>;
}

/** Yields when due, if there is a yielder. Not for hot loops, because awaiting costs more than the check. */
export async function yieldIfDue(yielder: Yielder | undefined): Promise<void> {
  if (yielder?.isDue() === true) await yielder.yield();
}

/** For a thread that nothing else uses. */
export const NEVER_YIELDS: Yielder = { isDue: () => false, yield: () => Promise.resolve() };

/** After this long (ms), work yields at its next step of up to 16 ms, well before the 50 ms that users notice. */
const MAX_SLICE_MS = 8;

/** Shares a thread among long jobs. Jobs that have yielded continue in the same turn and share one time slice. */
export class SharedThread implements Yielder {
  private readonly ms: () => number;
  private readonly nextTurn: () => Promise<void>;
  private sliceStart = 0;
  private yielding: Promise<void> | undefined;

  /** `ms` is a monotonic clock in milliseconds; `nextTurn` resolves in the next turn of the event loop. */
  constructor(ms: () => number, nextTurn: () => Promise<void>) {
    this.ms = ms;
    this.nextTurn = nextTurn;
  }

  isDue(): boolean {
    return this.yielding !== undefined || this.ms() - this.sliceStart >= MAX_SLICE_MS;
  }

  yield(): Promise<void> {
    this.yielding ??= this.nextTurn().then(() => {
      this.yielding = undefined;
      this.sliceStart = this.ms();
    });
    return this.yielding;
  }
}
