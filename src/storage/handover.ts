import { readFile, rename, rm } from 'node:fs/promises';
import * as v from 'valibot';
import { StoreFault } from '../app/ports.ts';
import { phrase } from '../core/text/phrase.ts';
import { ifThere, replaceFile, succeeds } from './disk-errors.ts';
import type { WriterLock } from './writer-lock.ts';

/** `now`: a user has clicked *Take over*. `if_gone`: only if nobody sits before the window that writes. */
type Urgency = 'now' | 'if_gone';

const requestSchema = v.pipe(v.string(), v.parseJson(), v.object({ urgency: v.picklist(['now', 'if_gone']) }));

/** What a window says when another one asks to write. */
export interface Handing {
  /** Whether somebody may still be sitting before this window: its own connection is alive. */
  readonly isPresent: () => Promise<boolean>;
  /** Ends what still writes to the session, so that the next writer finds all of it; called before it lets go. */
  readonly beforeLettingGo: () => Promise<void>;
}

/** How long a take-over waits for the writer to end what it writes, in ms; a window that hangs is then passed over. */
const TAKE_OVER_PATIENCE_MS = 2_000;
/** How long a window that only wishes to write waits for word of the one that does, which has 5 s to answer, in ms. */
const WISH_PATIENCE_MS = 6_500;
/** A window that follows asks again after so long (ms) whether the one that writes is still there. */
const ASK_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 25;
/** One that did not answer may have begun a write: it is in the file after this long (ms). */
const SETTLE_MS = 100;

/**
 * How the lock goes from one window to another in peace: the one asks, the other ends what it writes and hands over. A
 * window whose browser or editor is gone, while its process goes on for a while, lets go for the asking. A request is a
 * file beside the lock. It holds what the lock would say if it were that window's, so that the writer hands over by
 * renaming it: the lock is never free in between.
 */
export class Handover {
  readonly #lock: WriterLock;
  readonly #handing: Handing;
  readonly #request: string;
  #askedAt = -Infinity;
  #answering = false;

  constructor(lock: WriterLock, handing: Handing) {
    this.#lock = lock;
    this.#handing = handing;
    this.#request = lock.path.replace(/\.lock$/, '.request');
  }

  /** As a follower: asks whether somebody is still there, unless that was asked a moment ago. Does not wait. */
  async wish(): Promise<void> {
    if (performance.now() - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = performance.now();
    await this.#place('if_gone');
  }

  /** As a follower: asks and waits for the answer. True when this window holds the lock now. */
  async ask(urgency: Urgency): Promise<'granted' | 'refused' | 'silent'> {
    this.#askedAt = performance.now();
    await this.#place(urgency);
    const patience = urgency === 'now' ? TAKE_OVER_PATIENCE_MS : WISH_PATIENCE_MS;
    while (performance.now() - this.#askedAt < patience) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
      // Looked for first: the writer renames the request to the lock, so it is never in neither place.
      const open = (await this.#read()) !== undefined;
      if ((await this.#lock.check()) === 'held') return 'granted';
      if (!open) return 'refused';
    }
    await this.remove();
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
    throw new StoreFault('not_writer', UNSAVED_ELSEWHERE);
  }

  /** As the writer: gives the lock to whoever asked last; false when the request was taken back. */
  grant(): Promise<boolean> {
    return succeeds(rename(this.#request, this.#lock.path), 'ENOENT');
  }

  /** Takes the request away: as the writer to refuse it, as the one who asked to take it back. */
  async remove(): Promise<void> {
    await rm(this.#request, { force: true });
  }

  /**
   * As the writer: looks whether somebody asks for the lock. True when it should be handed over: then nothing writes
   * any more. False while an earlier question is still being answered.
   */
  async shouldLetGo(): Promise<boolean> {
    if (this.#answering) return false;
    const urgency = await this.#read();
    if (urgency === undefined) return false;
    this.#answering = true;
    try {
      if (urgency === 'if_gone' && (await this.#handing.isPresent())) {
        await this.remove();
        return false;
      }
      await this.#handing.beforeLettingGo();
      return true;
    } finally {
      this.#answering = false;
    }
  }

  /** Puts the request down; a wish does not replace what somebody has asked for at once. */
  async #place(urgency: Urgency): Promise<void> {
    if (urgency === 'if_gone' && (await this.#read()) === 'now') return;
    await replaceFile(this.#request, JSON.stringify({ ...this.#lock.holding(), urgency }));
  }

  /** How urgent the request is that lies there; undefined when there is none. */
  async #read(): Promise<Urgency | undefined> {
    const parsed = v.safeParse(requestSchema, await ifThere(readFile(this.#request, 'utf8')));
    return parsed.success ? parsed.output.urgency : undefined;
  }
}

const UNSAVED_ELSEWHERE = phrase('The other window has unsaved messages. Free up disk space, then take over.');
