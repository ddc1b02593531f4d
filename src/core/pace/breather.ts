/** Tells long-running work when to yield, so that its thread stays responsive. */
export interface Breather {
  /** Whether it's time to yield. Cheap enough for hot loops. */
  isDue(): boolean;
  /** Yields, whether it's due or not. */
  rest(): Promise<void>;
}

/** Yields when due, if there is a breather. Not for hot loops, because awaiting costs more than the check. */
export async function breathe(breather: Breather | undefined): Promise<void> {
  if (breather?.isDue() === true) await breather.rest();
}

/** Never yields: for a thread that nothing else uses. */
export const ALONE: Breather = { isDue: () => false, rest: () => Promise.resolve() };

/**
 * After this many milliseconds, work yields at its next step. With steps of up to 16 ms, that stays well below 50 ms,
 * from which users notice a delay.
 */
const HELD_MS = 8;

/**
 * Shares a thread among all long-running jobs on it. Jobs that yielded continue in the same turn of the event loop and
 * share one time slice, so several jobs block the thread no longer than one.
 */
export class SharedThread implements Breather {
  private readonly ms: () => number;
  private readonly nextTurn: () => Promise<void>;
  private since = 0;
  private resting: Promise<void> | undefined;

  /** `ms` is a monotonic clock in milliseconds; `nextTurn` resolves in the next turn of the event loop. */
  constructor(ms: () => number, nextTurn: () => Promise<void>) {
    this.ms = ms;
    this.nextTurn = nextTurn;
  }

  isDue(): boolean {
    return this.resting !== undefined || this.ms() - this.since >= HELD_MS;
  }

  rest(): Promise<void> {
    this.resting ??= this.nextTurn().then(() => {
      this.resting = undefined;
      this.since = this.ms();
    });
    return this.resting;
  }
}
