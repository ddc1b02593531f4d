import { Emitter } from '../app/emitter.ts';
import { StoreFault, type SessionJournal } from '../app/ports.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { accessFault, errorCode, storeFault } from './disk-errors.ts';
import { JournalCopy } from './journal-copy.ts';
import type { JournalWriter } from './journal-writer.ts';
import { GroupCommit, Serial } from './serial.ts';
import { HEARTBEAT_MS } from './writer-lock.ts';
import { closed, elsewhere, WriterSeat, type JournalOptions } from './writer-seat.ts';

/** How often a window that follows looks for news that the file system did not announce, in ms. */
const POLL_MS = 1_000;

/** A session's journal on disk. One window writes it, others follow; see docs/adr/0004-two-windows.md. */
export class SessionJournalFile implements SessionJournal {
  readonly id: SessionId;
  readonly #options: JournalOptions;
  readonly #copy: JournalCopy;
  readonly #seat: WriterSeat;
  readonly #serial = new Serial();
  readonly #commits = new GroupCommit<readonly SessionEvent[]>((groups) =>
    this.#serial.run(() => this.#commit(groups.flat())),
  );
  /** A listener that throws harms neither the others nor what is written: its error is thrown on its own. */
  readonly #listeners = new Emitter<readonly SessionEvent[]>((error) => {
    queueMicrotask(() => {
      throw error;
    });
  });
  readonly #unsaved = new MemoryTail();
  #notice: Phrase | undefined;
  #timer: NodeJS.Timeout | undefined;
  #newsQueued = false;

  private constructor(options: JournalOptions, copy: JournalCopy) {
    this.id = options.id;
    this.#options = options;
    this.#copy = copy;
    this.#seat = new WriterSeat(options, copy);
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
      throw accessFault(error, phrase('this session'));
    }
  }

  get state(): SessionState {
    return this.#copy.reader.state;
  }

  get readOnly(): StoreFault | undefined {
    return this.#seat.readOnly;
  }

  get unsaved(): Phrase | undefined {
    return this.#unsaved.warning;
  }

  get notice(): Phrase | undefined {
    return this.#notice ?? this.#seat.notice;
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
      if (this.#seat.role.kind === 'writer') return;
      this.#refuseUnlessOvertakable();
      try {
        await this.#seat.handover.obtain();
      } catch (error) {
        throw storeFault(error, phrase('this session'));
      }
      await this.#pull();
      await this.#seat.assume(false);
      if (this.#seat.role.kind === 'reader') throw this.#seat.role.fault;
      this.#tell([]);
    });
  }

  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void } {
    return this.#listeners.on(listener);
  }

  /** Something about the file or its lock may have changed: looks, soon. */
  nudge(): void {
    if (this.#newsQueued || this.#seat.role.kind === 'closed') return;
    this.#newsQueued = true;
    void this.#serial.run(() => {
      this.#newsQueued = false;
      return this.#look(() => this.#seat.lock.check().then((lock) => lock === 'held'));
    });
  }

  async close(): Promise<void> {
    if (this.#options.isLast()) await this.shut();
  }

  /** Closes the journal whoever else has it open, once what was appended is written. */
  shut(): Promise<void> {
    return this.#serial.run(async () => {
      if (this.#seat.role.kind === 'closed') return;
      clearTimeout(this.#timer);
      if (!this.#unsaved.isEmpty) await this.#saveUnsaved().catch(ignoreDisk);
      if (this.#seat.role.kind === 'writer' && this.#unsaved.isEmpty) await this.#copy.saveCheckpoint();
      this.#listeners.clear();
      await this.#seat.close();
      await this.#copy.close();
    });
  }

  async #load(): Promise<void> {
    const lock = await this.#seat.tryLock();
    await this.#copy.load(() => this.#distrust());
    if (this.#copy.reader.newer) {
      if (lock.held) await this.#seat.lock.release();
      this.#seat.becomeTooOld();
    } else if (lock.held) {
      await this.#seat.assume(lock.alone);
    } else {
      await this.#seat.wish();
    }
    this.#schedule();
  }

  async #commit(events: readonly SessionEvent[]): Promise<void> {
    try {
      if (this.#seat.role.kind === 'closed') throw closed();
      if (!this.#unsaved.isDue) return this.#keepInMemory(events);
      await this.#inherit('ask');
      if (await this.#seat.putBackIfDeleted()) this.#tell([]);
      if (this.#seat.role.kind === 'reader') throw this.#seat.role.fault;
      await this.#write(this.#seat.role.writer, events);
    } catch (error) {
      const fault = storeFault(error, phrase('this session'));
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
      await this.#seat.readAnew();
      this.#tell([]);
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
    if (this.#unsaved.isEmpty || this.#seat.role.kind !== 'writer') return;
    await this.#write(this.#seat.role.writer, []);
  }

  /** A line that the checkpoint vouched for is damaged: what the journal still holds is read, and the rest set aside. */
  #distrust(): void {
    const doubted = this.#copy.reader;
    void this.#serial.run(async () => {
      if (this.#copy.reader !== doubted || this.#seat.role.kind === 'closed') return;
      try {
        await this.#copy.dropCheckpoint();
        await this.#seat.readAnew();
        this.#tell([]);
      } catch (error) {
        ignoreDisk(error);
      }
    });
  }

  /** Becomes the writer if the one that was is gone; its window is asked, and its answer awaited if `ask`. */
  async #inherit(how: 'wish' | 'ask'): Promise<void> {
    const before = this.readOnly?.message;
    const { held, alone } = await this.#seat.claim(how);
    if (!held) return;
    await this.#pull();
    await this.#seat.assume(alone);
    if (this.#seat.role.kind === 'writer' || this.readOnly?.message !== before) this.#tell([]);
  }

  /** Hands the lock over if somebody asks for it and nothing speaks against it. */
  async #answer(): Promise<void> {
    // What could not be written yet would be lost to the other window.
    if (!this.#unsaved.isEmpty) return this.#seat.handover.remove();
    if (!(await this.#seat.handover.shouldLetGo())) return;
    await this.#serial.run(async () => {
      if (this.#seat.role.kind !== 'writer' || !this.#unsaved.isEmpty) return;
      await this.#copy.saveCheckpoint();
      if (await this.#seat.handover.grant()) await this.#stepBack();
    });
  }

  async #stepBack(): Promise<void> {
    await this.#seat.stepBack();
    if (!this.#unsaved.isEmpty) await this.#copy.readAgain();
    this.#tell([]);
  }

  #refuseUnlessOvertakable(): void {
    if (this.#seat.role.kind === 'closed') throw closed();
    if (this.#seat.role.kind === 'reader' && this.#seat.role.fault.reason === 'newer') throw this.#seat.role.fault;
  }

  async #look(holdsLock: () => Promise<boolean>): Promise<void> {
    try {
      switch (this.#seat.role.kind) {
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
      ignoreDisk(error);
    }
  }

  /** Folds what others have written. */
  async #pull(): Promise<void> {
    const news = await this.#copy.pull();
    if (news === 'anew') this.#tell([]);
    else if (news.length > 0) this.#tell(news);
    if (this.#copy.reader.newer) this.#seat.becomeTooOld();
  }

  #tell(events: readonly SessionEvent[]): void {
    this.#listeners.emit(events);
  }

  #schedule(): void {
    const pause = this.#seat.role.kind === 'writer' ? HEARTBEAT_MS : POLL_MS;
    this.#timer = setTimeout(() => {
      const looked = this.#serial.run(() => this.#look(() => this.#seat.lock.beat()));
      void looked.finally(() => {
        if (this.#seat.role.kind !== 'closed') this.#schedule();
      });
    }, pause);
    this.#timer.unref();
  }
}

// A disk that fails here, or a lock that is lost, fails the next append too, which says so.
function ignoreDisk(error: unknown): void {
  if (errorCode(error) === undefined && !StoreFault.is(error)) throw error;
}

/** While the disk is full, writing is tried again after so long (ms), whatever comes meanwhile. */
const RETRY_MS = 1_000;

const UNSAVED = phrase(
  'The disk is full. New messages are held in RAM only and will be lost if you switch sessions or close the window. Free up disk space to save them.',
);

/** What was appended while the disk was full, in its order, until there is room for it again. */
class MemoryTail {
  #events: SessionEvent[] = [];
  #triedAt = -Infinity;

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /** In words for the user; undefined when all is on disk. */
  get warning(): Phrase | undefined {
    return this.isEmpty ? undefined : UNSAVED;
  }

  /** Whether it is worth trying to write: there is always another message, and the disk is not full for each. */
  get isDue(): boolean {
    return this.isEmpty || performance.now() - this.#triedAt >= RETRY_MS;
  }

  /** What should be written now: all that is waiting, and what has just come. */
  with(events: readonly SessionEvent[]): readonly SessionEvent[] {
    return [...this.#events, ...events];
  }

  /** Folds what cannot be written. `at`: milliseconds since the epoch. */
  keep(events: readonly SessionEvent[], state: SessionState, at: number): void {
    this.#triedAt = performance.now();
    this.#events.push(...events);
    for (const event of events) state.apply(event, at);
  }

  /** All of it is on disk. */
  clear(): void {
    this.#events = [];
  }
}
