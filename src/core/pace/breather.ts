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

/** For a thread that nothing else uses. */
export const ALONE: Breather = { isDue: () => false, rest: () => Promise.resolve() };

/**
 * Maximum milliseconds between two yields. A frame at 60 Hz takes 16; the longest step may take as much again, which
 * stays below 50.
 */
const HELD_MS = 8;

/**
 * The time of a thread, shared by all long-running work on it. Everything that waits for a turn continues in the same
 * turn of the event loop and within the same few milliseconds, so several jobs block it no longer than one.
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
