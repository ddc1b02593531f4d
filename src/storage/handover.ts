import { unsavedElsewhere } from './journal-role.ts';
import type { Urgency } from './lock-request.ts';
import type { WriterLock } from './writer-lock.ts';

/** What a window says when another one asks to write. */
export interface Handing {
  /** Whether somebody may still be sitting before this window: its own connection is alive. */
  readonly isPresent: () => Promise<boolean>;
  /** Ends what still writes to the session, so that the next writer finds all of it; called before it lets go. */
  readonly beforeLettingGo: () => Promise<void>;
}

/** How long a take-over waits for the writer to end what it writes, in ms; a window that hangs is then passed over. */
const TAKE_OVER_PATIENCE_MS = 2_000;
/** How long a window that only wishes to write waits for word of the one that does, in ms. */
const WISH_PATIENCE_MS = 3_000;
/** A window that follows asks again after so long (ms) whether the one that writes is still there. */
const ASK_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 25;
/** One that did not answer may have begun a write: it is in the file after this long (ms). */
const SETTLE_MS = 100;

/**
 * How the lock goes from one window to another in peace: the one asks, the other ends what it writes and hands over. A
 * window whose browser or editor is gone, while its process goes on for a while, lets go for the asking.
 */
export class Handover {
  readonly #lock: WriterLock;
  readonly #handing: Handing;
  #askedAt = -Infinity;
  #answering = false;

  constructor(lock: WriterLock, handing: Handing) {
    this.#lock = lock;
    this.#handing = handing;
  }

  /** As a follower: asks whether somebody is still there, unless that was asked a moment ago. Does not wait. */
  async wish(): Promise<void> {
    if (performance.now() - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = performance.now();
    await this.#lock.ask('if_gone');
  }

  /** As a follower: asks and waits for the answer. True when this window holds the lock now. */
  async ask(urgency: Urgency): Promise<'granted' | 'refused' | 'silent'> {
    this.#askedAt = performance.now();
    await this.#lock.ask(urgency);
    const patience = urgency === 'now' ? TAKE_OVER_PATIENCE_MS : WISH_PATIENCE_MS;
    while (performance.now() - this.#askedAt < patience) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      // Looked for first: the writer renames the request to the lock, so it is never in neither place.
      const open = (await this.#lock.request.read()) !== undefined;
      if ((await this.#lock.check()) === 'held') return 'granted';
      if (!open) return 'refused';
    }
    await this.#lock.request.remove();
    return 'silent';
  }

  /**
   * As a follower: gets the lock for a user who takes over, by asking for it, or from a window that does not answer.
   * Throws `StoreFault` when the other window would lose something.
   */
  async obtain(): Promise<void> {
    // A refusal may have been meant for another window that asked at the same time.
    for (let tries = 0; tries < 2; tries++) {
      if ((await this.#lock.acquire()).held) return;
      const answer = await this.ask('now');
      if (answer === 'granted') return;
      if (answer === 'silent') {
        await this.#lock.seize();
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
        return;
      }
    }
    throw unsavedElsewhere();
  }

  /** As the writer: takes away what was asked of a writer before. */
  begin(): Promise<void> {
    return this.#lock.request.remove();
  }

  /**
   * As the writer: looks whether somebody asks for the lock. True when it should be handed over: then nothing writes
   * any more. False while an earlier question is still being answered.
   */
  async shouldLetGo(): Promise<boolean> {
    if (this.#answering) return false;
    const urgency = await this.#lock.request.read();
    if (urgency === undefined) return false;
    this.#answering = true;
    try {
      if (urgency === 'if_gone' && (await this.#handing.isPresent())) {
        await this.#lock.request.remove();
        return false;
      }
      await this.#handing.beforeLettingGo();
      return true;
    } finally {
      this.#answering = false;
    }
  }
}
