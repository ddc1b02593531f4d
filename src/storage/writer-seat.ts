import { StoreFault, type Clock } from '../app/ports.ts';
import type { SessionId } from '../core/model/ids.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import { JournalWriter, type OpenForAppend, type AppendFile } from './journal-writer.ts';
import { errorCode, storeFault } from './disk-errors.ts';
import { Handover, type Handing } from './handover.ts';
import type { JournalCopy } from './journal-copy.ts';
import { WriterLock } from './writer-lock.ts';
import type { FileHandle } from 'node:fs/promises';
import { basename } from 'node:path';
import type { JournalReader } from './journal-reader.ts';
import { copyDamaged, cutTornTail, noteMissing } from './set-aside.ts';

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

const CLOSED = phrase('This session was closed. Open it again to continue.');
const ELSEWHERE = phrase('This session is open in another window. Take over to continue it here.');
const DELETED = phrase('The session file was deleted and couldn’t be restored. To keep the session, export it now.');
const NEWER = phrase(
  'This session was saved by a newer version of Threadkeeper and is read-only. Update the extension to continue it.',
);

export const closed = (): StoreFault => new StoreFault('read_only', CLOSED);
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
  get readOnly(): StoreFault | undefined {
    switch (this.#role.kind) {
      case 'writer':
        return undefined;
      case 'reader':
        // On a full disk the chat goes on in memory.
        return this.#role.fault.reason === 'full' ? undefined : this.#role.fault;
      case 'closed':
        return closed();
    }
  }

  /** The lock, if it is free or its holder is gone. A folder that cannot be written to is opened for reading. */
  async tryLock(): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    try {
      const lock = await this.lock.acquire();
      if (!lock.held) this.#role = follower();
      return lock;
    } catch (error) {
      this.#role = { kind: 'reader', fault: await this.#faultOf(error) };
      return { held: false, alone: false };
    }
  }

  /** The lock, if the window that writes is gone: it is asked, and its answer awaited if `ask`. */
  async claim(how: 'wish' | 'ask'): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    if (this.#role.kind !== 'reader' || this.#role.fault.reason === 'newer') return { held: false, alone: false };
    // What was deleted elsewhere stays so, unless it was this window that wrote it, or its user goes on writing.
    const restores = how === 'ask' || this.#role.fault.phrase === DELETED;
    const isGone = async (): Promise<boolean> => !restores && (await this.#copy.isDeleted());
    if (await isGone()) return { held: false, alone: false };
    const lock = await this.tryLock();
    if (lock.held && (await isGone())) {
      await this.lock.release();
      return { held: false, alone: false };
    }
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
    try {
      await this.handover.remove();
      if (await this.#copy.isDeleted()) await this.#copy.putBack();
      const { file, reader, shorter } = this.#copy;
      const append = await openForAppend(path);
      const notice = await repairJournal({ path, file, reader, shorter, append, alone, time: clock.now() });
      this.#notice ??= notice;
      this.#role = {
        kind: 'writer',
        writer: new JournalWriter({ path, file, append, reader, lock: this.lock, clock }),
      };
    } catch (error) {
      this.#role = { kind: 'reader', fault: await this.#faultOf(error) };
      await this.lock.release();
    }
  }

  /** What keeps this window from writing: of a deleted file, what is open here is all there is. */
  async #faultOf(error: unknown): Promise<StoreFault> {
    const fault = storeFault(error, phrase('this session'));
    return fault.reason !== 'full' && (await this.#copy.isDeleted())
      ? new StoreFault('missing', DELETED, error)
      : fault;
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

interface Repair {
  readonly path: string;
  readonly file: FileHandle;
  /** Has read the file to its last complete line. */
  readonly reader: JournalReader;
  readonly append: AppendFile;
  /** Entries at the file's end are gone without a trace. */
  readonly shorter: boolean;
  /** Nobody else can still be writing, so the end of the file can be cut. */
  readonly alone: boolean;
  /** Milliseconds since the epoch, for the name of the file that takes a torn end. */
  readonly time: number;
}

/**
 * Sets aside what cannot be read, before a window begins to write, and says so in words for the user; undefined when
 * there is nothing that was not told before.
 */
async function repairJournal(repair: Repair): Promise<Phrase | undefined> {
  const { path, file, reader, shorter, append, alone, time } = repair;
  const fresh = await copyDamaged(path, file, reader.damage);
  const tail = (await file.stat()).size - reader.offset;
  const parts: Phrase[] = [];
  if (tail > 0 && alone) {
    if (await reader.lacksNewlineAlone(tail)) {
      await append.write(Buffer.from('\n'));
      await reader.readOn();
    } else {
      const copy = await cutTornTail(path, reader.offset, time);
      parts.push(phrase('the last line was only partly written and was moved to {0}', basename(copy)));
    }
  }
  if (fresh.length > 0) {
    const aside = `${basename(path)}.damaged`;
    parts.push(
      fresh.length === 1
        ? phrase('1 damaged line was copied to {0}', aside)
        : phrase('{0} damaged lines were copied to {1}', fresh.length, aside),
    );
  }
  const { missing } = reader;
  if (missing > 0 && (await noteMissing(path, missing)))
    parts.push(missing === 1 ? phrase('1 entry is missing') : phrase('{0} entries are missing', missing));
  else if (shorter) parts.push(phrase('entries at its end are missing'));
  if (parts.length === 0) return undefined;
  const all = parts.reduce((before, part) => phrase('{0}; {1}', before, part));
  return phrase('The session file was damaged: {0}. Everything else was recovered.', all);
}
