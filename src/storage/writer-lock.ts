import { randomBytes } from 'node:crypto';
import type { BigIntStats } from 'node:fs';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import * as v from 'valibot';
import { errorCode, ifThere, replaceFile, succeeds } from './disk-errors.ts';

/** How often the writer shows that it lives, in ms. */
export const HEARTBEAT_MS = 2_000;
/** Without a heartbeat for this long (ms) a writer counts as gone, whatever its pid says: pids are used again. */
const STALE_AFTER_MS = 30_000;
/** A file that was changed later than so long ago (ms) may be changed again without its times telling. */
const SETTLED_MS = 100;

const holder = v.object({ token: v.string(), pid: v.number(), host: v.string() });
type Holder = v.InferOutput<typeof holder>;
const lockSchema = v.pipe(v.string(), v.parseJson(), holder);

/**
 * Who may write a journal, as a file beside it that names the window. The file settles who *should* write; that no
 * line is lost or doubled when two windows believe it at once is settled by the order of the lines (`LineOrder`).
 */
export class WriterLock {
  readonly path: string;
  readonly #window: string;
  #token: string;
  /** The file in which this token was read: it is not read again while it is the same and unchanged. */
  #known: string | undefined;

  constructor(path: string, window: string) {
    this.path = path;
    this.#window = window;
    this.#token = newToken(window);
  }

  /** Names the writer in each line; new after each `renew`, so that what was void stays void. */
  get token(): string {
    return this.#token;
  }

  /**
   * Takes the lock when it is free or its holder is gone. `alone` means that nobody else can still be writing: there
   * was no lock, or its holder's process has ended. `inherits`: what this window holds was left by a thread that has
   * ended. Throws the file system's error in a read-only folder.
   */
  async acquire(inherits = false): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    if (await this.#create()) return { held: true, alone: true };
    const found = await this.#holder();
    // The writer has handed it over.
    if (found !== 'none' && found.holder?.token === this.#token) return { held: true, alone: false };
    if (found === 'none') return { held: await this.#create(), alone: true };
    const isInherited = inherits && found.holder?.token.startsWith(`${this.#window}:`) === true;
    if (found.life === 'alive' && !isInherited) return { held: false, alone: false };
    await this.seize();
    // Of two windows that find a dead holder the later one has the lock.
    return { held: (await this.check()) === 'held', alone: found.life === 'dead' };
  }

  /** Takes the lock whoever holds it. */
  seize(): Promise<void> {
    return replaceFile(this.path, this.#text());
  }

  /** Whether this window is still the writer. A lock that somebody deleted is put back. */
  async check(): Promise<'held' | 'lost'> {
    // Before each write to the journal: looking at the file costs a sixth of reading it.
    const file = await this.#file();
    if (file !== undefined && file === this.#known) return 'held';
    const text = await this.#read();
    if (text === undefined) return (await this.#create()) ? 'held' : 'lost';
    const isHeld = parseHolder(text)?.token === this.#token;
    this.#known = isHeld ? file : undefined;
    return isHeld ? 'held' : 'lost';
  }

  /** Goes on under a new name, keeping the lock. */
  async renew(): Promise<void> {
    this.#token = newToken(this.#window);
    this.#known = undefined;
    await this.seize();
  }

  /** Shows that this window lives; false when the lock is another's. */
  async beat(): Promise<boolean> {
    if ((await this.check()) === 'lost') return false;
    const now = new Date();
    await succeeds(utimes(this.path, now, now), 'ENOENT');
    return true;
  }

  async release(): Promise<void> {
    const text = await this.#read();
    if (text !== undefined && parseHolder(text)?.token === this.#token) await rm(this.path, { force: true });
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

  #read(): Promise<string | undefined> {
    return ifThere(readFile(this.path, 'utf8'));
  }

  /** Which file it is, in which state; undefined when there is none, or when its times cannot tell yet. */
  async #file(): Promise<string | undefined> {
    const found = await this.#stat();
    if (!found || Date.now() - Number(found.ctimeMs) < SETTLED_MS) return undefined;
    return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(' ');
  }

  #stat(): Promise<BigIntStats | undefined> {
    return ifThere(stat(this.path, { bigint: true }));
  }

  #text(): string {
    return JSON.stringify(this.holding());
  }

  /** What the file says when the lock is this window's. */
  holding(): Holder {
    return { token: this.#token, pid: process.pid, host: hostname() };
  }

  async #holder(): Promise<
    'none' | { readonly holder: Holder | undefined; readonly life: 'alive' | 'dead' | 'silent' }
  > {
    const text = await this.#read();
    if (text === undefined) return 'none';
    const holder = parseHolder(text);
    if (holder && holder.host === hostname() && !isRunning(holder.pid)) return { holder, life: 'dead' };
    // A file without a name in it is one that is being written, or was left by a crash.
    const silentMs = Date.now() - Number((await this.#stat())?.mtimeMs ?? 0);
    return { holder, life: silentMs > STALE_AFTER_MS ? 'silent' : 'alive' };
  }
}

function newToken(window: string): string {
  return `${window}:${randomBytes(4).toString('hex')}`;
}

function parseHolder(text: string): Holder | undefined {
  const parsed = v.safeParse(lockSchema, text);
  return parsed.success ? parsed.output : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}
