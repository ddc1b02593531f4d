import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as v from 'valibot';
import { StoreFault } from '../app/ports.ts';
import { phrase } from '../core/text/phrase.ts';
import { errorCode, ifThere, replaceFile, succeeds } from './disk-errors.ts';

/** How often the writer shows that it lives, and looks whether somebody asks for the lock, in ms. */
export const HEARTBEAT_MS = 1_000;
/** Without a heartbeat for this long (ms) a writer counts as gone, whatever its pid says: pids are used again. */
const STALE_AFTER_MS = 30_000;

const holderSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ token: v.string(), pid: v.number(), host: v.string() }),
);
type Holder = v.InferOutput<typeof holderSchema>;

/** Whether the lock is this window's, and whether nobody else can still be writing. */
export interface Acquired {
  readonly held: boolean;
  readonly alone: boolean;
}

/**
 * Who may write a journal, as a file beside it that names the window. The file settles who *should* write; that no
 * line is lost or doubled when two windows believe it at once is settled by the order of the lines (`LineOrder`).
 */
export class WriterLock {
  readonly path: string;
  readonly #window: string;
  #token = '';

  constructor(path: string, window: string) {
    this.path = path;
    this.#window = window;
    this.#newToken();
  }

  /** Names the writer in each line; new after each `renew`, so that what was void stays void. */
  get token(): string {
    return this.#token;
  }

  /**
   * Takes the lock when it is free or its holder is gone. `alone`: there was no lock, or its holder's process has ended.
   * `inherits`: what this window holds was left by a thread that has ended. Throws the file system's error in a
   * read-only folder.
   */
  async acquire(inherits = false): Promise<Acquired> {
    if (await this.#create()) return { held: true, alone: true };
    const holder = await this.#holder();
    if (holder === undefined) return { held: await this.#create(), alone: true };
    // The writer has handed it over.
    if (holder.token === this.#token) return { held: true, alone: false };
    const isDead = holder.host === hostname() && !isRunning(holder.pid);
    const isInherited = inherits && holder.token.startsWith(`${this.#window}:`);
    if (!isDead && !isInherited && !(await this.#isSilent())) return { held: false, alone: false };
    await this.seize();
    // Of two windows that find a dead holder the later one has the lock.
    return { held: await this.isHeld(), alone: isDead };
  }

  /** Takes the lock whoever holds it. */
  seize(): Promise<void> {
    return replaceFile(this.path, this.#text());
  }

  /** Whether this window is still the writer. A lock that somebody deleted is put back. */
  async isHeld(): Promise<boolean> {
    const holder = await this.#holder();
    return holder ? holder.token === this.#token : this.#create();
  }

  /** Goes on under a new name, keeping the lock. */
  async renew(): Promise<void> {
    this.#newToken();
    await this.seize();
  }

  /** Shows that this window lives; false when the lock is another's. */
  async beat(): Promise<boolean> {
    if (!(await this.isHeld())) return false;
    const now = new Date();
    await succeeds(utimes(this.path, now, now), 'ENOENT');
    return true;
  }

  async release(): Promise<void> {
    if ((await this.#holder())?.token === this.#token) await rm(this.path, { force: true });
  }

  /** What the file says when the lock is this window's. */
  holding(): Holder {
    return { token: this.#token, pid: process.pid, host: hostname() };
  }

  async #create(): Promise<boolean> {
    try {
      return await succeeds(writeFile(this.path, this.#text(), { flag: 'wx' }), 'EEXIST');
    } catch (error) {
      // A full disk leaves an empty file, which would keep everyone out.
      if (errorCode(error) === 'ENOSPC') await rm(this.path, { force: true });
      throw error;
    }
  }

  /** Who has the lock; nobody that can be named where a file is being written, or was left by a crash. */
  async #holder(): Promise<Holder | undefined> {
    const text = await ifThere(readFile(this.path, 'utf8'));
    if (text === undefined) return undefined;
    const parsed = v.safeParse(holderSchema, text);
    return parsed.success ? parsed.output : { token: '', pid: process.pid, host: '' };
  }

  async #isSilent(): Promise<boolean> {
    return Date.now() - ((await ifThere(stat(this.path)))?.mtimeMs ?? 0) > STALE_AFTER_MS;
  }

  #newToken(): void {
    this.#token = `${this.#window}:${randomBytes(4).toString('hex')}`;
  }

  #text(): string {
    return JSON.stringify(this.holding());
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/** `now`: a user has clicked *Take over*. `if_gone`: only if nobody sits before the window that writes. */
type Urgency = 'now' | 'if_gone';
const requestSchema = v.pipe(v.string(), v.parseJson(), v.object({ urgency: v.picklist(['now', 'if_gone']) }));

/** How long a follower waits for the writer's answer, in ms: one that hangs is passed over; one that is asked whether
 * somebody sits before it has 5 s to find out. */
const PATIENCE_MS = { now: 3_000, if_gone: 6_500 };
/** A window that follows asks again after so long (ms) whether the one that writes is still there. */
const ASK_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 25;
/** A window that did not answer may have begun a write: it is in the file after this long (ms). */
const SETTLE_MS = 100;

const UNSAVED_ELSEWHERE = phrase('The other window has unsaved messages. Free up disk space, then take over.');

/**
 * How the lock goes from one window to another in peace: the one asks, the other ends what it writes and hands over. A
 * window whose browser or editor is gone, while its process goes on for a while, lets go for the asking. A request is a
 * file beside the lock. It holds what the lock would say if it were that window's, so that the writer hands over by
 * renaming it: the lock is never free in between.
 */
export class Handover {
  readonly #lock: WriterLock;
  readonly #request: string;
  #askedAt = -Infinity;

  constructor(lock: WriterLock) {
    this.#lock = lock;
    this.#request = lock.path.replace(/\.lock$/, '.request');
  }

  /** As a follower: asks whether somebody is still there, unless that was asked a moment ago. Does not wait. */
  async wish(): Promise<void> {
    if (performance.now() - this.#askedAt >= ASK_EVERY_MS) await this.#place('if_gone');
  }

  /** As a follower: asks and waits for the answer; `granted` when this window holds the lock now. */
  async ask(urgency: Urgency): Promise<'granted' | 'refused' | 'silent'> {
    await this.#place(urgency);
    while (performance.now() - this.#askedAt < PATIENCE_MS[urgency]) {
      await pause(LOOK_EVERY_MS);
      // Looked for first: the writer renames the request to the lock, so it is never in neither place.
      const isOpen = (await this.requested()) !== undefined;
      if (await this.#lock.isHeld()) return 'granted';
      if (!isOpen) return 'refused';
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
      if (answer === 'refused') continue;
      if (answer === 'silent') {
        await this.#lock.seize();
        await pause(SETTLE_MS);
      }
      return;
    }
    throw new StoreFault('not_writer', UNSAVED_ELSEWHERE);
  }

  /** As the writer: how urgently somebody asks for the lock; undefined when nobody does. */
  async requested(): Promise<Urgency | undefined> {
    const parsed = v.safeParse(requestSchema, await ifThere(readFile(this.#request, 'utf8')));
    return parsed.success ? parsed.output.urgency : undefined;
  }

  /** As the writer: gives the lock to whoever asked last; false when the request was taken back. */
  grant(): Promise<boolean> {
    return succeeds(rename(this.#request, this.#lock.path), 'ENOENT');
  }

  /** Takes the request away: as the writer to refuse it, as the one who asked to take it back. */
  async remove(): Promise<void> {
    await rm(this.#request, { force: true });
  }

  /** Puts the request down; a wish does not replace what somebody has asked for at once. */
  async #place(urgency: Urgency): Promise<void> {
    this.#askedAt = performance.now();
    if (urgency === 'if_gone' && (await this.requested()) === 'now') return;
    await replaceFile(this.#request, JSON.stringify({ ...this.#lock.holding(), urgency }));
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
