import { StoreFault, type Clock, type SessionJournal } from '../app/ports.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { SessionEvent } from '../core/journal/event.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { OpenForAppend } from './append-file.ts';
import { errorCode, storeFault } from './disk-errors.ts';
import { Handover, type Handing } from './handover.ts';
import { JournalCopy } from './journal-copy.ts';
import { CLOSED, closed, elsewhere, follower, tooOld, type Role } from './journal-role.ts';
import { JournalWriter } from './journal-writer.ts';
import { MemoryTail } from './memory-tail.ts';
import { GroupCommit, Serial } from './serial.ts';
import { repairJournal } from './repair.ts';
import { Listeners } from './listeners.ts';
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
  readonly handing: Handing;
}

/** How often a window that follows looks for news that the file system did not announce, in ms. */
const POLL_MS = 1_000;
/** A session's journal on disk. One window writes it, others follow; see docs/adr/0004-two-windows.md. */
export class SessionJournalFile implements SessionJournal {
  readonly id: SessionId;
  readonly #options: JournalOptions;
  readonly #lock: WriterLock;
  readonly #copy: JournalCopy;
  readonly #serial = new Serial();
  readonly #commits = new GroupCommit<readonly SessionEvent[]>((groups) =>
    this.#serial.run(() => this.#commit(groups.flat())),
  );
  readonly #listeners = new Listeners<readonly SessionEvent[]>();
  readonly #handover: Handover;
  readonly #unsaved = new MemoryTail();
  #role: Role = follower();
  #notice: Phrase | undefined;
  #timer: NodeJS.Timeout | undefined;
  #newsQueued = false;

  private constructor(options: JournalOptions, copy: JournalCopy) {
    this.id = options.id;
    this.#options = options;
    this.#copy = copy;
    this.#lock = new WriterLock(`${options.path.replace(/\.jsonl$/, '')}.lock`, options.window);
    this.#handover = new Handover(this.#lock, options.handing);
  }

  /** Opens the journal, as its writer when nobody else is. Rejects with `StoreFault`. */
  static async open(options: JournalOptions): Promise<SessionJournalFile> {
    try {
      const { path, id, clock } = options;
      const journal = new SessionJournalFile(options, await JournalCopy.open(path, id, clock.breather));
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
    return this.#copy.reader.state;
  }

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

  get unsaved(): Phrase | undefined {
    return this.#unsaved.warning;
  }

  get notice(): Phrase | undefined {
    return this.#notice;
  }

  /** False when there are bytes but no line that counts: as if the journal were missing. */
  get readable(): boolean {
    return this.#copy.reader.events > 0 || this.#copy.reader.newer;
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
        await this.#handover.obtain();
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
      if (!this.#unsaved.isEmpty) await this.#saveUnsaved().catch(ignoreDisk);
      const role = this.#role;
      this.#role = { kind: 'closed' };
      this.#listeners.clear();
      if (role.kind === 'writer') {
        if (this.#unsaved.isEmpty) await this.#copy.saveCheckpoint();
        await role.writer.close();
        await this.#lock.release();
      }
      await this.#copy.close();
    });
  }

  async #load(): Promise<void> {
    const lock = await this.#tryLock();
    await this.#copy.load(() => this.#distrust());
    if (this.#copy.reader.newer) {
      if (lock.held) await this.#lock.release();
      this.#role = tooOld();
    } else if (lock.held) {
      await this.#assume(lock.alone);
    } else {
      await this.#wish();
    }
    this.#schedule();
  }

  // A folder that cannot be written to is opened for reading.
  async #tryLock(): Promise<{ readonly held: boolean; readonly alone: boolean }> {
    try {
      const lock = await this.#lock.acquire();
      if (!lock.held) this.#role = follower();
      return lock;
    } catch (error) {
      this.#role = { kind: 'reader', fault: storeFault(error, phrase('this session')) };
      return { held: false, alone: false };
    }
  }

  /** Begins to write, with the lock held. `alone`: nobody else can still be writing, so a torn tail can be cut. */
  async #assume(alone: boolean): Promise<void> {
    const { path, clock, openForAppend } = this.#options;
    try {
      await this.#handover.begin();
      const append = await openForAppend(path);
      const notice = await repairJournal({
        path,
        file: this.#copy.file,
        reader: this.#copy.reader,
        append,
        alone,
        time: clock.now(),
      });
      this.#notice ??= notice;
      const writer = new JournalWriter(path, this.#copy.file, append, this.#copy.reader, this.#lock, clock);
      this.#role = { kind: 'writer', writer };
    } catch (error) {
      this.#role = { kind: 'reader', fault: storeFault(error, phrase('this session')) };
      await this.#lock.release();
    }
  }

  async #commit(events: readonly SessionEvent[]): Promise<void> {
    try {
      if (this.#role.kind === 'closed') throw closed();
      if (!this.#unsaved.isDue) return this.#keepInMemory(events);
      await this.#inherit('ask');
      await this.#putBackIfDeleted();
      if (this.#role.kind === 'reader') throw this.#role.fault;
      await this.#write(this.#role.writer, events);
    } catch (error) {
      const fault = storeFault(error, phrase('your message'));
      if (fault.reason !== 'full') throw fault;
      this.#keepInMemory(events);
    }
  }

  async #write(writer: JournalWriter, events: readonly SessionEvent[]): Promise<void> {
    const { kind, folded } = await writer.write(this.#unsaved.with(events));
    if (kind === 'lost') await this.#stepBack();
    if (!this.#unsaved.isEmpty && kind === 'written') {
      this.#unsaved.clear();
      // What is on disk now was folded before, without its places there.
      await this.#readAnew();
    } else if (folded.length > 0) this.#tell(folded);
    if (this.#unsaved.isEmpty) await this.#copy.saveCheckpointIfDue();
    if (kind === 'lost') throw elsewhere();
  }

  #keepInMemory(events: readonly SessionEvent[]): void {
    const isFirst = this.#unsaved.isEmpty;
    this.#unsaved.keep(events, this.#copy.reader.state, this.#options.clock.now());
    this.#tell(events);
    if (isFirst) this.#tell([]);
  }

  async #saveUnsaved(): Promise<void> {
    if (this.#unsaved.isEmpty || this.#role.kind !== 'writer') return;
    await this.#write(this.#role.writer, []);
  }

  // Somebody has deleted the file while it was open: as long as it is, its content is still there to be written again.
  async #putBackIfDeleted(): Promise<void> {
    if (this.#role.kind !== 'writer' || !(await this.#copy.isDeleted())) return;
    await this.#role.writer.close();
    this.#role = {
      kind: 'reader',
      fault: new StoreFault('missing', phrase('The file of this session was deleted: open it again.')),
    };
    await this.#copy.putBack();
    await this.#assume(false);
    this.#tell([]);
  }

  /** Reads the whole file once more, going on as the writer if this window is. */
  async #readAnew(): Promise<void> {
    const wasWriter = this.#role.kind === 'writer';
    if (this.#role.kind === 'writer') await this.#role.writer.close();
    await this.#copy.readAgain();
    if (wasWriter) await this.#assume(false);
    this.#tell([]);
  }

  /** A line that the checkpoint vouched for is damaged: what the journal still holds is read, and the rest set aside. */
  #distrust(): void {
    const doubted = this.#copy.reader;
    void this.#serial.run(async () => {
      if (this.#copy.reader !== doubted || this.#role.kind === 'closed') return;
      await this.#copy
        .dropCheckpoint()
        .then(() => this.#readAnew())
        .catch(ignoreDisk);
    });
  }

  /** Becomes the writer if the one that was is gone; its window is asked, and its answer awaited if `ask`. */
  async #inherit(how: 'wish' | 'ask'): Promise<void> {
    if (this.#role.kind !== 'reader' || this.#role.fault.reason === 'newer') return;
    let { held, alone } = await this.#tryLock();
    if (!held && this.#role.fault.reason === 'not_writer') {
      if (how === 'wish') await this.#wish();
      else held = (await this.#handover.ask('if_gone')) === 'granted';
      alone = false;
    }
    if (!held) return;
    await this.#pull();
    await this.#assume(alone);
    this.#tell([]);
  }

  async #wish(): Promise<void> {
    if (this.#role.kind === 'reader' && this.#role.fault.reason === 'not_writer')
      await this.#handover.wish().catch(ignoreDisk);
  }

  /** Hands the lock over if somebody asks for it and nothing speaks against it. */
  async #answer(): Promise<void> {
    // What could not be written yet would be lost to the other window.
    if (!this.#unsaved.isEmpty) return this.#lock.request.remove();
    if (!(await this.#handover.shouldLetGo())) return;
    await this.#serial.run(async () => {
      if (this.#role.kind !== 'writer' || !this.#unsaved.isEmpty) return;
      await this.#copy.saveCheckpoint();
      if (await this.#lock.request.grant()) await this.#stepBack();
    });
  }

  async #stepBack(): Promise<void> {
    if (this.#role.kind !== 'writer') return;
    const { writer } = this.#role;
    this.#role = follower();
    await writer.close();
    if (!this.#unsaved.isEmpty) await this.#copy.readAgain();
    this.#tell([]);
  }

  #refuseUnlessOvertakable(): void {
    if (this.#role.kind === 'closed') throw closed();
    if (this.#role.kind === 'reader' && this.#role.fault.reason === 'newer') throw this.#role.fault;
  }

  // A disk that fails here fails the next append too, which says so.
  async #look(holdsLock: () => Promise<boolean>): Promise<void> {
    try {
      switch (this.#role.kind) {
        case 'writer':
          if (await holdsLock()) {
            if (this.#unsaved.isDue) await this.#saveUnsaved();
            void this.#answer().catch(ignoreDisk);
            return;
          }
          await this.#stepBack();
          await this.#pull();
          return;
        case 'reader':
          await this.#pull();
          await this.#inherit('wish');
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
    const news = await this.#copy.pull();
    if (news === 'anew') this.#tell([]);
    else if (news.length > 0) this.#tell(news);
    if (this.#copy.reader.newer) this.#role = tooOld();
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

// A disk that fails here fails the next append too, which says so.
function ignoreDisk(error: unknown): void {
  if (errorCode(error) === undefined) throw error;
}
