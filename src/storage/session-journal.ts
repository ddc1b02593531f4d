import { open, type FileHandle } from 'node:fs/promises';
import { StoreFault, type Clock, type SessionJournal } from '../app/ports.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { SessionEvent } from '../core/journal/event.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { OpenForAppend } from './append-file.ts';
import { dropCheckpoint, resumeReader, saveCheckpoint } from './checkpoint.ts';
import { errorCode, storeFault } from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';
import { JournalWriter } from './journal-writer.ts';
import { GroupCommit, Serial } from './serial.ts';
import { repairJournal } from './repair.ts';
import { Listeners } from './listeners.ts';
import { writeAnew } from './set-aside.ts';
import { HEARTBEAT_MS, WriterLock } from './writer-lock.ts';

export interface JournalOptions {
  readonly path: string;
  readonly id: SessionId;
  readonly clock: Clock;
  /** Names the window in lock and lines. */
  readonly window: string;
  readonly openForAppend: OpenForAppend;
  /** Asked on `close`: false while others in this window still have the journal open. */
  readonly isLast: () => boolean;
}

/** How often a window that follows looks for news that the file system did not announce, in ms. */
const POLL_MS = 1_000;
/** A take-over waits this long (ms) so that a write which the former writer has begun is in the file when it is read. */
const SETTLE_MS = 100;

/** How much may be written before there is a new checkpoint, in bytes; closing writes one as well. */
const CHECKPOINT_EVERY_BYTES = 512 * 1024;
/** The same as a share of the journal: a checkpoint grows with it, and writing it should cost little beside the lines. */
const CHECKPOINT_EVERY_SHARE = 1 / 8;

const ELSEWHERE = phrase('Another window writes this session: take over to write here.');
const CLOSED = phrase('This session is closed.');
const NEWER = phrase(
  'This session was written by a newer version of Threadkeeper: update the extension to go on with it. Until then it can only be read.',
);

type Role =
  | { readonly kind: 'writer'; readonly writer: JournalWriter }
  | { readonly kind: 'reader'; readonly fault: StoreFault }
  | { readonly kind: 'closed' };

/** A session's journal on disk. One window writes it, others follow; see docs/adr/0004-two-windows.md. */
export class SessionJournalFile implements SessionJournal {
  readonly id: SessionId;
  readonly #options: JournalOptions;
  readonly #lock: WriterLock;
  #file: FileHandle;
  readonly #serial = new Serial();
  readonly #commits = new GroupCommit<readonly SessionEvent[]>((groups) =>
    this.#serial.run(() => this.#commit(groups.flat())),
  );
  readonly #listeners = new Listeners<readonly SessionEvent[]>();
  #reader: JournalReader;
  #role: Role = { kind: 'reader', fault: new StoreFault('not_writer', ELSEWHERE) };
  #notice: Phrase | undefined;
  #timer: NodeJS.Timeout | undefined;
  #newsQueued = false;
  #checkpointAt = 0;

  private constructor(options: JournalOptions, file: FileHandle) {
    this.id = options.id;
    this.#options = options;
    this.#file = file;
    this.#lock = new WriterLock(`${options.path.replace(/\.jsonl$/, '')}.lock`, options.window);
    this.#reader = new JournalReader(file, options.clock.breather);
  }

  /** Opens the journal, as its writer when nobody else is. Rejects with `StoreFault`. */
  static async open(options: JournalOptions): Promise<SessionJournalFile> {
    try {
      const journal = new SessionJournalFile(options, await open(options.path, 'r'));
      try {
        await journal.#load();
      } catch (error) {
        await journal.shut();
        throw error;
      }
      return journal;
    } catch (error) {
      throw storeFault(error, phrase('this session'));
    }
  }

  get state(): SessionState {
    return this.#reader.state;
  }

  get readOnly(): Phrase | undefined {
    switch (this.#role.kind) {
      case 'writer':
        return undefined;
      case 'reader':
        return this.#role.fault.phrase;
      case 'closed':
        return CLOSED;
    }
  }

  get notice(): Phrase | undefined {
    return this.#notice;
  }

  /** False when there are bytes but no line that counts: as if the journal were missing. */
  get readable(): boolean {
    return this.#reader.events > 0 || this.#reader.newer;
  }

  /** Sets what `notice` says. */
  say(notice: Phrase): void {
    this.#notice = notice;
  }

  append(...events: readonly SessionEvent[]): Promise<void> {
    return events.length === 0 ? Promise.resolve() : this.#commits.add(events);
  }

  takeOver(): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#role.kind === 'writer') return;
      this.#refuseUnlessOvertakable();
      try {
        await this.#lock.seize();
        await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
      } catch (error) {
        throw storeFault(error, phrase('this session'));
      }
      await this.#pull();
      await this.#assume(false);
      if (this.#role.kind === 'reader') throw this.#role.fault;
      this.#tell([]);
    });
  }

  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void } {
    return this.#listeners.add(listener);
  }

  /** Something about the file or its lock may have changed: looks, soon. */
  nudge(): void {
    if (this.#newsQueued || this.#role.kind === 'closed') return;
    this.#newsQueued = true;
    void this.#serial.run(() => {
      this.#newsQueued = false;
      return this.#look(() => this.#lock.check().then((lock) => lock === 'held'));
    });
  }

  async close(): Promise<void> {
    if (this.#options.isLast()) await this.shut();
  }

  /** Closes the journal whoever else has it open, once what was appended is written. */
  shut(): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#role.kind === 'closed') return;
      clearTimeout(this.#timer);
      const role = this.#role;
      this.#role = { kind: 'closed' };
      this.#listeners.clear();
      if (role.kind === 'writer') {
        await this.#saveCheckpoint();
        await role.writer.close();
        await this.#lock.release();
      }
      await this.#file.close();
    });
  }

  async #load(): Promise<void> {
    const lock = await this.#tryLock();
    const { path, clock } = this.#options;
    const known = await resumeReader(path, this.#file, this.id, clock.breather, () => this.#distrust());
    if (known) {
      this.#reader = known;
      this.#checkpointAt = known.offset;
    }
    await this.#reader.readOn();
    if (this.#reader.newer) {
      if (lock.held) await this.#lock.release();
      this.#role = { kind: 'reader', fault: new StoreFault('newer', NEWER) };
    } else if (lock.held) {
      await this.#assume(lock.alone);
    }
    this.#schedule();
  }

  // A folder that cannot be written to is opened for reading.
  async #tryLock(): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    try {
      return await this.#lock.acquire();
    } catch (error) {
      this.#role = { kind: 'reader', fault: storeFault(error, phrase('this session')) };
      return { held: false, alone: false };
    }
  }

  /** Begins to write, with the lock held. `alone`: nobody else can still be writing, so a torn tail can be cut. */
  async #assume(alone: boolean): Promise<void> {
    const { path, clock, openForAppend } = this.#options;
    try {
      const append = await openForAppend(path);
      const notice = await repairJournal({
        path,
        file: this.#file,
        reader: this.#reader,
        append,
        alone,
        time: clock.now(),
      });
      this.#notice ??= notice;
      const writer = new JournalWriter(path, this.#file, append, this.#reader, this.#lock, clock);
      this.#role = { kind: 'writer', writer };
    } catch (error) {
      this.#role = { kind: 'reader', fault: storeFault(error, phrase('this session')) };
      await this.#lock.release();
    }
  }

  async #commit(events: readonly SessionEvent[]): Promise<void> {
    try {
      await this.#inherit();
      await this.#putBackIfDeleted();
      if (this.#role.kind === 'closed') throw new StoreFault('not_writer', CLOSED);
      if (this.#role.kind === 'reader') throw this.#role.fault;
      const { kind, folded } = await this.#role.writer.write(events);
      if (kind === 'lost') await this.#stepBack();
      if (folded.length > 0) this.#tell(folded);
      if (this.#reader.offset - this.#checkpointAt > this.#checkpointEvery) await this.#saveCheckpoint();
      if (kind === 'lost') throw new StoreFault('not_writer', ELSEWHERE);
    } catch (error) {
      throw storeFault(error, phrase('your message'));
    }
  }

  // Somebody has deleted the file while it was open: as long as it is, its content is still there to be written again.
  async #putBackIfDeleted(): Promise<void> {
    if (this.#role.kind !== 'writer' || (await this.#file.stat()).nlink > 0) return;
    const { path } = this.#options;
    await this.#role.writer.close();
    this.#role = {
      kind: 'reader',
      fault: new StoreFault('missing', phrase('The file of this session was deleted: open it again.')),
    };
    await writeAnew(path, this.#file);
    await this.#file.close();
    this.#file = await open(path, 'r');
    this.#reader = new JournalReader(this.#file, this.#options.clock.breather);
    await this.#reader.readOn();
    await this.#assume(false);
    this.#tell([]);
  }

  async #saveCheckpoint(): Promise<void> {
    const { state, offset } = this.#reader;
    if (offset === this.#checkpointAt || state.id === undefined) return;
    this.#checkpointAt = offset;
    await saveCheckpoint(this.#options.path, this.#file, this.id, this.#reader);
  }

  get #checkpointEvery(): number {
    return Math.max(CHECKPOINT_EVERY_BYTES, this.#reader.offset * CHECKPOINT_EVERY_SHARE);
  }

  /** A line that the checkpoint vouched for is damaged: what the journal still holds is read, and the rest set aside. */
  #distrust(): void {
    const doubted = this.#reader;
    void this.#serial.run(async () => {
      if (this.#reader !== doubted || this.#role.kind === 'closed') return;
      try {
        await dropCheckpoint(this.#options.path);
        const wasWriter = this.#role.kind === 'writer';
        if (this.#role.kind === 'writer') await this.#role.writer.close();
        this.#reader = new JournalReader(this.#file, this.#options.clock.breather);
        await this.#reader.readOn();
        if (wasWriter) await this.#assume(false);
        this.#tell([]);
      } catch (error) {
        if (errorCode(error) === undefined) throw error;
      }
    });
  }

  /** Becomes the writer if the one that was is gone. */
  async #inherit(): Promise<void> {
    if (this.#role.kind !== 'reader' || this.#role.fault.reason === 'newer') return;
    const { held, alone } = await this.#tryLock();
    if (!held) return;
    await this.#pull();
    await this.#assume(alone);
    this.#tell([]);
  }

  async #stepBack(): Promise<void> {
    if (this.#role.kind !== 'writer') return;
    const { writer } = this.#role;
    this.#role = { kind: 'reader', fault: new StoreFault('not_writer', ELSEWHERE) };
    await writer.close();
    this.#tell([]);
  }

  #refuseUnlessOvertakable(): void {
    if (this.#role.kind === 'closed') throw new StoreFault('not_writer', CLOSED);
    if (this.#role.kind === 'reader' && this.#role.fault.reason === 'newer') throw this.#role.fault;
  }

  // A disk that fails here fails the next append too, which says so.
  async #look(holdsLock: () => Promise<boolean>): Promise<void> {
    try {
      switch (this.#role.kind) {
        case 'writer':
          if (await holdsLock()) return;
          await this.#stepBack();
          await this.#pull();
          return;
        case 'reader':
          await this.#pull();
          await this.#inherit();
          return;
        case 'closed':
          return;
      }
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }

  /** Folds what others have written. */
  async #pull(): Promise<void> {
    const { size } = await this.#file.stat();
    if (size === this.#reader.offset) return;
    const sound = this.#reader.damage.length;
    const lines = size < this.#reader.offset ? undefined : await this.#reader.readOn();
    if (lines && this.#reader.damage.length === sound) {
      const events = lines.flatMap(({ event }) => (event ? [event] : []));
      if (events.length > 0) this.#tell(events);
    } else {
      // The writer has taken back what it could not finish, and this window had read some of it: read all anew.
      this.#reader = new JournalReader(this.#file, this.#options.clock.breather);
      await this.#reader.readOn();
      this.#tell([]);
    }
    if (this.#reader.newer) this.#role = { kind: 'reader', fault: new StoreFault('newer', NEWER) };
  }

  #tell(events: readonly SessionEvent[]): void {
    this.#listeners.tell(events);
  }

  #schedule(): void {
    const pause = this.#role.kind === 'writer' ? HEARTBEAT_MS : POLL_MS;
    this.#timer = setTimeout(() => {
      const looked = this.#serial.run(() => this.#look(() => this.#lock.beat()));
      void looked.finally(() => {
        if (this.#role.kind !== 'closed') this.#schedule();
      });
    }, pause);
    this.#timer.unref();
  }
}
