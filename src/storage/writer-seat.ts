import { StoreFault, type Clock } from '../app/ports.ts';
import type { SessionId } from '../core/model/ids.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { OpenForAppend } from './append-file.ts';
import { errorCode, storeFault } from './disk-errors.ts';
import { Handover, type Handing } from './handover.ts';
import type { JournalCopy } from './journal-copy.ts';
import { JournalWriter } from './journal-writer.ts';
import { repairJournal } from './repair.ts';
import { WriterLock } from './writer-lock.ts';

export interface JournalOptions {
  readonly path: string;
  readonly id: SessionId;
  readonly clock: Clock;
  /** Names the window in lock and lines. */
  readonly window: string;
  readonly openForAppend: OpenForAppend;
  /** Asked on `close`: false while others in this window still have the journal open. */
  readonly isLast: () => boolean;
  readonly handing: Handing;
}

/** What a window may do with a journal that it has open. */
type Role =
  | { readonly kind: 'writer'; readonly writer: JournalWriter }
  | { readonly kind: 'reader'; readonly fault: StoreFault }
  | { readonly kind: 'closed' };

const CLOSED = phrase('This session is closed.');
const ELSEWHERE = phrase('This session is being edited in another window. Take over to edit it here.');
const NEWER = phrase(
  'This session was saved by a newer version of Threadkeeper and is read-only. Update the extension to continue it.',
);

export const closed = (): StoreFault => new StoreFault('not_writer', CLOSED);
export const elsewhere = (): StoreFault => new StoreFault('not_writer', ELSEWHERE);

/** A window that follows, since another one writes. */
const follower = (): Role => ({ kind: 'reader', fault: elsewhere() });

/** What a window may do with a journal now, and how it comes to write it or lets go of it again. */
export class WriterSeat {
  readonly lock: WriterLock;
  readonly handover: Handover;
  readonly #options: JournalOptions;
  readonly #copy: JournalCopy;
  #role: Role = follower();
  #notice: Phrase | undefined;

  constructor(options: JournalOptions, copy: JournalCopy) {
    this.#options = options;
    this.#copy = copy;
    this.lock = new WriterLock(`${options.path.replace(/\.jsonl$/, '')}.lock`, options.window);
    this.handover = new Handover(this.lock, options.handing);
  }

  get role(): Role {
    return this.#role;
  }

  /** What was set aside when this window began to write. */
  get notice(): Phrase | undefined {
    return this.#notice;
  }

  /** Why nothing can be appended. */
  get readOnly(): Phrase | undefined {
    switch (this.#role.kind) {
      case 'writer':
        return undefined;
      case 'reader':
        // On a full disk the chat goes on in memory.
        return this.#role.fault.reason === 'full' ? undefined : this.#role.fault.phrase;
      case 'closed':
        return CLOSED;
    }
  }

  /** The lock, if it is free or its holder is gone. A folder that cannot be written to is opened for reading. */
  async tryLock(): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    try {
      const lock = await this.lock.acquire();
      if (!lock.held) this.#role = follower();
      return lock;
    } catch (error) {
      this.#role = { kind: 'reader', fault: storeFault(error, phrase('this session')) };
      return { held: false, alone: false };
    }
  }

  /** The lock, if the window that writes is gone: it is asked, and its answer awaited if `ask`. */
  async claim(how: 'wish' | 'ask'): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    if (this.#role.kind !== 'reader' || this.#role.fault.reason === 'newer') return { held: false, alone: false };
    const lock = await this.tryLock();
    if (lock.held || !this.#follows) return lock;
    if (how === 'ask') return { held: (await this.handover.ask('if_gone')) === 'granted', alone: false };
    await this.wish();
    return lock;
  }

  /** Asks, without waiting, whether somebody still sits before the window that writes. */
  async wish(): Promise<void> {
    if (!this.#follows) return;
    try {
      await this.handover.wish();
    } catch (error) {
      // Where nothing can be written, nothing can be asked.
      if (errorCode(error) === undefined) throw error;
    }
  }

  /** Begins to write, with the lock held. `alone`: nobody else can still be writing, so a torn tail can be cut. */
  async assume(alone: boolean): Promise<void> {
    const { path, clock, openForAppend } = this.#options;
    const { file, reader, shorter } = this.#copy;
    try {
      await this.handover.remove();
      const append = await openForAppend(path);
      const notice = await repairJournal({ path, file, reader, shorter, append, alone, time: clock.now() });
      this.#notice ??= notice;
      this.#role = {
        kind: 'writer',
        writer: new JournalWriter({ path, file, append, reader, lock: this.lock, clock }),
      };
    } catch (error) {
      this.#role = { kind: 'reader', fault: storeFault(error, phrase('this session')) };
      await this.lock.release();
    }
  }

  /** Ends writing, to follow the window that writes from now on. */
  async stepBack(): Promise<void> {
    if (this.#role.kind !== 'writer') return;
    const { writer } = this.#role;
    this.#role = follower();
    await writer.close();
  }

  /** A later version has written here: nothing is written by this one. */
  becomeTooOld(): void {
    this.#role = { kind: 'reader', fault: new StoreFault('newer', NEWER) };
  }

  /** Writes all of the file anew when somebody has deleted it while it was open; true when that was so. */
  async putBackIfDeleted(): Promise<boolean> {
    if (this.#role.kind !== 'writer' || !(await this.#copy.isDeleted())) return false;
    await this.#role.writer.close();
    this.#role = {
      kind: 'reader',
      fault: new StoreFault('missing', phrase('The session file was deleted. Open the session again.')),
    };
    await this.#copy.putBack();
    await this.assume(false);
    return true;
  }

  /** Reads the whole file once more, going on as the writer if this window is. */
  async readAnew(): Promise<void> {
    const wasWriter = this.#role.kind === 'writer';
    if (this.#role.kind === 'writer') await this.#role.writer.close();
    await this.#copy.readAgain();
    if (wasWriter) await this.assume(false);
  }

  /** Another window writes, as far as is known. */
  get #follows(): boolean {
    return this.#role.kind === 'reader' && this.#role.fault.reason === 'not_writer';
  }

  /** Lets go of the lock, for good. */
  async close(): Promise<void> {
    const role = this.#role;
    this.#role = { kind: 'closed' };
    if (role.kind !== 'writer') return;
    await role.writer.close();
    await this.lock.release();
  }
}
