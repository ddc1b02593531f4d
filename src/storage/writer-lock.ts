import { randomBytes } from 'node:crypto';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import * as v from 'valibot';
import { StoreFault } from '../app/ports.ts';
import { errorCode } from '../core/text/error-details.ts';
import { phrase } from '../core/text/phrase.ts';
import { ifExists, isDiskFull, makeFolder, renameFile, replaceFile, succeedsUnless } from './disk-errors.ts';

/** Interval of the writer's heartbeats and checks for requests, in ms. */
export const HEARTBEAT_MS = 1_000;

/** Times in ms that tests shorten. */
export interface LockTimes {
  /** Interval of heartbeats and checks for requests. */
  readonly heartbeatMs?: number;
  /** Time that a window that takes over waits for the writer's answer. */
  readonly timeoutMs?: number;
}

/** After this long (ms) without a heartbeat, a writer is gone even if its process ID exists, as IDs are reused. */
const STALE_AFTER_MS = 30_000;
/** After this long (ms), an incomplete lock was left by a crash or a power failure, because writing it takes less. */
const INCOMPLETE_AFTER_MS = 1_000;

const holderSchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ token: v.string(), pid: v.number(), host: v.string() }),
);
type Holder = v.InferOutput<typeof holderSchema>;

/**
 * The right to write to a journal: a file next to it that names the window. If two windows believe that they have the
 * lock, the order of the lines (`LineOrder`) ensures that no line is lost or duplicated.
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

  /** Identifies the writer in each line. Changes with each `renew`, so that ignored lines stay ignored. */
  get token(): string {
    return this.#token;
  }

  /**
   * Acquires the lock if it's free or its holder is gone. `held`: this window has it. `alone`: no other window can still
   * be writing, because there was no lock, or its holder's process has ended. A lock with this window's name was left by
   * a thread that has ended, or because removing it failed, so it may be replaced; with `inheritsIncomplete`, also an
   * incomplete one. If another window is just writing it, that window checks the lock before it writes to the journal.
   * Throws the file system's error in a read-only folder.
   */
  async acquire(inheritsIncomplete = false) {
    if (await this.#create()) return { held: true, alone: true };
    const holder = await this.#holder();
    if (holder === undefined) return { held: await this.#create(), alone: true };
    // The writer has handed over the lock.
    if (holder.token === this.#token) return { held: true, alone: false };
    const isDead = holder.host === hostname() && !isRunning(holder.pid);
    const isIncomplete = holder.token === '';
    const isInherited = isIncomplete ? inheritsIncomplete : holder.token.startsWith(`${this.#window}:`);
    const staleAfterMs = isIncomplete ? INCOMPLETE_AFTER_MS : STALE_AFTER_MS;
    if (!isDead && !isInherited) {
      const ageMs = await this.#ageMs();
      // Released meanwhile. Another window may already have created its own.
      if (ageMs === undefined) return { held: await this.#create(), alone: true };
      if (ageMs <= staleAfterMs) return { held: false, alone: false };
    }
    await this.seize();
    // If two windows replace a dead holder's lock, the later one has it.
    return { held: await this.isHeld(), alone: isDead };
  }

  seize(): Promise<void> {
    return replaceFile(this.path, this.#text());
  }

  /** Whether this window is still the writer. Recreates a lock that was deleted. */
  async isHeld(): Promise<boolean> {
    const holder = await this.#holder();
    return holder ? holder.token === this.#token : this.#create();
  }

  async renew(): Promise<void> {
    this.#newToken();
    await this.seize();
  }

  /** Writes a heartbeat; returns false if another window has the lock. */
  async beat(): Promise<boolean> {
    if (!(await this.isHeld())) return false;
    const now = new Date();
    await succeedsUnless(utimes(this.path, now, now), 'ENOENT');
    return true;
  }

  async release(): Promise<void> {
    if ((await this.#holder())?.token === this.#token) await rm(this.path, { force: true });
  }

  ownHolder(): Holder {
    return { token: this.#token, pid: process.pid, host: hostname() };
  }

  /** Creates the lock unless there is one, and its folder if it was deleted. */
  async #create(): Promise<boolean> {
    const create = () => succeedsUnless(writeFile(this.path, this.#text(), { flag: 'wx' }), 'EEXIST');
    try {
      return await create().catch(async (error: unknown) => {
        if (errorCode(error) !== 'ENOENT') throw error;
        await makeFolder(dirname(this.path), 0o700);
        return create();
      });
    } catch (error) {
      // On a full disk, an empty file would be left, which would lock everyone out.
      if (isDiskFull(error)) await rm(this.path, { force: true });
      throw error;
    }
  }

  /** The holder; undefined without a lock. A file that is incomplete, as after a crash, has an unknown holder. */
  async #holder(): Promise<Holder | undefined> {
    const text = await ifExists(readFile(this.path, 'utf8'));
    if (text === undefined) return undefined;
    const parsed = v.safeParse(holderSchema, text);
    return parsed.success ? parsed.output : { token: '', pid: process.pid, host: '' };
  }

  async #ageMs(): Promise<number | undefined> {
    const file = await ifExists(stat(this.path));
    return file && Date.now() - file.mtimeMs;
  }

  #newToken(): void {
    this.#token = `${this.#window}:${randomBytes(4).toString('hex')}`;
  }

  #text(): string {
    return JSON.stringify(this.ownHolder());
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

/** Interval at which a lock that is held for a few ms is tried again, in ms. */
const RETRY_MS = 10;

/** Runs `work` once no other window is running its own with this lock. Throws the file system's error for the lock. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const lock = new WriterLock(path, randomBytes(4).toString('hex'));
  while (!(await lock.acquire()).held) await pause(RETRY_MS);
  try {
    return await work();
  } finally {
    await lock.release();
  }
}

/** `now`: the user has selected *Take Over*. `if_gone`: only if the writing window isn't in use. */
type Urgency = 'now' | 'if_gone';
const requestSchema = v.pipe(v.string(), v.parseJson(), v.object({ urgency: v.picklist(['now', 'if_gone']) }));

/**
 * Time that a follower waits for the writer's answer, in ms, because the writer may hang. With `if_gone`, the writer
 * takes up to 5 s to find out whether it's in use.
 */
const ANSWER_TIMEOUT_MS = { now: 3_000, if_gone: 6_500 };
/** Interval at which a follower asks whether the writer is still in use, in ms. */
const ASK_INTERVAL_MS = 5_000;
const POLL_INTERVAL_MS = 25;
/** Time after which a write that was begun by a window that doesn't answer has reached the file, in ms. */
const SETTLE_MS = 100;

const UNSAVED_ELSEWHERE = phrase('The other window has unsaved messages. Free up disk space, then take over.');

/**
 * Hands the lock from one window to another: one requests it, and the other finishes writing and hands it over. A
 * process whose browser or editor window is gone does so at any request. A request is a file next to the lock with the
 * content that the lock would have. The writer hands over by renaming it, so the lock is never free in between.
 */
export class Handover {
  readonly #lock: WriterLock;
  readonly #request: string;
  readonly #timeoutMs: Readonly<Record<Urgency, number>>;
  #askedAt = -Infinity;

  constructor(lock: WriterLock, { timeoutMs = ANSWER_TIMEOUT_MS.now }: LockTimes = {}) {
    this.#lock = lock;
    this.#timeoutMs = { ...ANSWER_TIMEOUT_MS, now: timeoutMs };
    this.#request = lock.path.replace(/\.lock$/, '.request');
  }

  /** For followers: asks whether the writer is still in use, unless that was asked recently. Doesn't wait. */
  async requestIfGone(): Promise<void> {
    if (performance.now() - this.#askedAt >= ASK_INTERVAL_MS) await this.#writeRequest('if_gone');
  }

  /** For followers: requests the lock and waits for the answer; `granted` if this window has it now. */
  async ask(urgency: Urgency): Promise<'granted' | 'refused' | 'silent'> {
    await this.#writeRequest(urgency);
    while (performance.now() - this.#askedAt < this.#timeoutMs[urgency]) {
      await pause(POLL_INTERVAL_MS);
      // Check the request first. The writer renames it to the lock, so if it's gone, the lock has already changed.
      const isPending = (await this.requested()) !== undefined;
      if (await this.#lock.isHeld()) return 'granted';
      if (!isPending) return 'refused';
    }
    await this.remove();
    return 'silent';
  }

  /**
   * For followers: acquires the lock when the user takes over: by request, or by force if the other window doesn't
   * answer. Throws `StoreFault` if the other window would lose data.
   */
  async takeOver(): Promise<void> {
    // A refusal may have been for another window's request.
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

  /** For writers: the urgency of a pending request; undefined if there is none. */
  async requested(): Promise<Urgency | undefined> {
    const parsed = v.safeParse(requestSchema, await ifExists(readFile(this.#request, 'utf8')));
    return parsed.success ? parsed.output.urgency : undefined;
  }

  /** For writers: hands the lock to the last window that requested it; false if the request was withdrawn. */
  grant(): Promise<boolean> {
    return succeedsUnless(renameFile(this.#request, this.#lock.path), 'ENOENT');
  }

  /** For followers: removes this window's request if it's pending. */
  async withdraw(): Promise<void> {
    const parsed = v.safeParse(holderSchema, await ifExists(readFile(this.#request, 'utf8')));
    if (parsed.success && parsed.output.token === this.#lock.token) await this.remove();
  }

  /** Removes a request: as the writer to refuse it, or as the requester to withdraw it. */
  async remove(): Promise<void> {
    await rm(this.#request, { force: true });
  }

  /** Writes a request. A pending `now` request isn't replaced by an `if_gone` request. */
  async #writeRequest(urgency: Urgency): Promise<void> {
    this.#askedAt = performance.now();
    if (urgency === 'if_gone' && (await this.requested()) === 'now') return;
    await replaceFile(this.#request, JSON.stringify({ ...this.#lock.ownHolder(), urgency }));
  }
}
