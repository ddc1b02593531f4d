/** What long work asks between its pieces, so that the thread it runs on stays open to others. */
export interface Breather {
  /** True when others have waited long enough. Costs next to nothing: asked in loops. */
  isDue(): boolean;
  /** Lets others run, whether it is due or not. */
  rest(): Promise<void>;
}

/** Rests when it is due; nothing without a breather. For loops that are not hot: waiting costs more than asking. */
export async function breathe(breather: Breather | undefined): Promise<void> {
  if (breather?.isDue() === true) await breather.rest();
}

/** For a thread that nobody else needs. */
export const ALONE: Breather = { isDue: () => false, rest: () => Promise.resolve() };

/**
 * Milliseconds for which a thread is held between two rests. A frame of 60 a second is 16; the longest piece of any
 * work takes as much again, so that nobody waits for 50.
 */
const HELD_MS = 8;

/**
 * One thread's time, shared by all long work on it: everything that waits for a rest goes on in the same turn of the
 * event loop and within the same few milliseconds, so that several jobs at once hold it no longer than one.
 */
export class SharedThread implements Breather {
  private readonly ms: () => number;
  private readonly nextTurn: () => Promise<void>;
  private since = 0;
  private resting: Promise<void> | undefined;

  /** `ms` is a clock that only goes forward, in milliseconds; `nextTurn` resolves when others have had their turn. */
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
