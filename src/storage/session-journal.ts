import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { Emitter } from '../app/emitter.ts';
import { StoreFault, type Clock, type SessionJournal } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';
import { dropCheckpoint, readJournal, saveCheckpoint } from './checkpoint.ts';
import { withAccessFaults, ifExists, makeFolder, withWriteFaults, storeFault } from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';
import {
  openForAppend,
  removeFailedWrite,
  requireWritable,
  writeEvents,
  type AppendFile,
  type FailedWrite,
  type OpenForAppend,
} from './journal-writer.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import { errorCode } from '../core/text/error-details.ts';
import { copyTo, quarantineTail, quarantineLines } from './quarantine.ts';
import { Handover, HEARTBEAT_MS, WriterLock, type LockTimes } from './writer-lock.ts';

/** Minimum number of new bytes after which a checkpoint is written. One is also written on closing. */
const CHECKPOINT_EVERY_BYTES = 512 * 1024;
/** Minimum share of new bytes in the journal, so that larger checkpoints are written less often. */
const CHECKPOINT_EVERY_SHARE = 1 / 8;

const THIS_SESSION = phrase('this session');
const CLOSED = phrase('This session was closed. Open it again to continue.');
const ELSEWHERE = phrase('This session is open in another window. Take over to continue it here.');
const DELETED = phrase('The session file was deleted and couldn’t be restored. To keep the session, export it now.');
const NEWER = phrase(
  'This session was saved by a newer version of Threadkeeper and is read-only. Update the extension to continue it.',
);
const UNSAVED = phrase(
  'The disk is full. New messages are held in RAM only and will be lost if you switch sessions or close the window. Free up disk space to save them.',
);

/** How a window responds when another one wants to write. */
export interface HandoverOptions {
  /** Whether this window still exists and may be in use. The extension host can outlive its window. */
  readonly isPresent: () => Promise<boolean>;
  /** Ends everything that writes to the session. Called before the lock is handed over. */
  readonly beforeHandover: () => Promise<void>;
}

export interface WindowOptions {
  readonly clock: Clock;
  /** Identifies this window in locks and lines; must be unique. */
  readonly writer: string;
  /** Replaced by tests to simulate disk errors. */
  readonly openForAppend?: OpenForAppend;
  readonly times?: LockTimes;
}

interface JournalOptions extends WindowOptions {
  readonly path: string;
  readonly id: SessionId;
  /** Called once by each `close`. Returns false while other callers in this window use the journal. */
  readonly isLast: () => boolean;
  readonly handover: HandoverOptions;
}

type WindowRole =
  | { readonly kind: 'writer'; readonly file: AppendFile }
  | { readonly kind: 'reader'; readonly fault: StoreFault }
  | { readonly kind: 'closed' };

const closed = (): StoreFault => new StoreFault('read_only', CLOSED);
const elsewhere = (): StoreFault => new StoreFault('not_writer', ELSEWHERE);
/** A follower: another window is the writer. */
const follower = (): WindowRole => ({ kind: 'reader', fault: elsewhere() });

/** A session's journal on disk. One window writes to it, others follow; see docs/adr/0004-two-windows.md. */
export class SessionJournalFile implements SessionJournal {
  readonly id: SessionId;
  notice: Phrase | undefined;
  readonly #options: JournalOptions;
  readonly #lock: WriterLock;
  readonly #handover: Handover;
  readonly #heartbeatMs: number;
  readonly #sequencer = new Sequencer();
  /** An exception in a listener affects neither other listeners nor the write; it's thrown separately. */
  readonly #listeners = new Emitter<readonly SessionEvent[]>((error) => {
    queueMicrotask(() => {
      throw error;
    });
  });
  #reader: JournalReader;
  /** Folds only the events on disk, while `#reader` also contains unsaved ones. */
  #savedReader: JournalReader | undefined;
  #role: WindowRole = follower();
  /** Events to be committed together, and the promise of that commit. */
  #nextCommit: { readonly events: SessionEvent[]; readonly done: Promise<void> } | undefined;
  /** Events that were appended while the disk was full, in order. */
  #unsaved: SessionEvent[] = [];
  #lastAttemptAt = -Infinity;
  readonly #failedWrite: FailedWrite = { start: 0, end: 0, hasLine: false };
  #isAnswering = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(options: JournalOptions, reader: JournalReader) {
    this.id = options.id;
    this.#options = options;
    this.#reader = reader;
    this.#lock = new WriterLock(options.path.replace(/\.jsonl$/, '.lock'), options.writer);
    this.#handover = new Handover(this.#lock, options.times);
    this.#heartbeatMs = options.times?.heartbeatMs ?? HEARTBEAT_MS;
  }

  /** Opens the journal, as its writer if there is no other. Rejects with `StoreFault`. */
  static open(options: JournalOptions): Promise<SessionJournalFile> {
    return withAccessFaults(THIS_SESSION, async () => {
      const { path, clock } = options;
      const reader = new JournalReader(path, await open(path, 'r'), clock.yielder);
      const journal = new SessionJournalFile(options, reader);
      try {
        await journal.#load();
      } catch (error) {
        await journal.closeForAll();
        // The lock is acquired before the journal is read.
        await journal.#lock.release();
        throw error;
      }
      return journal;
    });
  }

  get state(): SessionState {
    return this.#reader.state;
  }

  /** Number of bytes of the file that have been read. */
  get offset(): number {
    return this.#reader.offset;
  }

  get readOnly(): StoreFault | undefined {
    if (this.#role.kind === 'closed') return closed();
    // With a full disk, the chat continues in memory.
    return this.#role.kind === 'reader' && this.#role.fault.reason !== 'full' ? this.#role.fault : undefined;
  }

  get unsaved(): Phrase | undefined {
    return this.#unsaved.length > 0 ? UNSAVED : undefined;
  }

  get readable(): boolean {
    return this.#reader.events > 0 || this.#reader.newer;
  }

  /** Events that arrive during a commit are committed together afterwards, with a single flush. */
  append(...events: readonly SessionEvent[]): Promise<void> {
    if (events.length === 0) return Promise.resolve();
    if (!this.#nextCommit) {
      const batch: SessionEvent[] = [];
      const done = this.#sequencer.queue(() => {
        this.#nextCommit = undefined;
        return this.#commit(batch);
      });
      this.#nextCommit = { events: batch, done };
    }
    this.#nextCommit.events.push(...events);
    return this.#nextCommit.done;
  }

  prepareToWrite(): Promise<void> {
    return this.#sequencer.queue(() => withWriteFaults(THIS_SESSION, () => this.#tryToBecomeWriter('write')));
  }

  takeOver(): Promise<void> {
    return this.#sequencer.queue(async () => {
      if (this.#role.kind === 'writer') return;
      if (this.#role.kind === 'closed') throw closed();
      if (this.#role.fault.reason === 'newer') throw this.#role.fault;
      await withWriteFaults(THIS_SESSION, () => this.#handover.takeOver());
      await this.#pull();
      const role = await this.#becomeWriter(false);
      if (role.kind === 'reader') throw role.fault;
      this.#listeners.emit([]);
    });
  }

  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void } {
    return this.#listeners.on(listener);
  }

  async close(): Promise<void> {
    if (this.#options.isLast()) await this.closeForAll();
  }

  /** Closes the journal even if others use it, once everything is written. */
  closeForAll(): Promise<void> {
    return this.#sequencer.queue(async () => {
      if (this.#role.kind === 'closed') return;
      clearTimeout(this.#timer);
      await this.#saveUnsaved().catch(ignoreDiskErrors);
      const role = this.#role;
      if (role.kind === 'writer' && this.#unsaved.length === 0) await this.#saveCheckpoint();
      this.#listeners.clear();
      this.#role = { kind: 'closed' };
      try {
        if (role.kind === 'writer') await role.file.close().finally(() => this.#lock.release());
        else await this.#handover.withdraw().catch(ignoreDiskErrors);
      } finally {
        await this.#reader.file.close();
      }
    });
  }

  async #load(): Promise<void> {
    const { path, id, clock } = this.#options;
    const lock = await this.#tryLock();
    const { file } = this.#reader;
    this.#reader = await readJournal(path, file, id, clock.yielder, () => this.#recoverFromDamage());
    // Delete an invalid checkpoint, so that it's reported only once, even if no new one is written.
    if (this.#reader.checkpointOffset === 0) await dropCheckpoint(path);
    if (this.#reader.newer) {
      if (lock.held) await this.#lock.release();
      this.#role = { kind: 'reader', fault: new StoreFault('newer', NEWER) };
    } else if (lock.held) await this.#becomeWriter(lock.alone);
    else await this.#askIfPresent();
    this.#schedule();
  }

  async #commit(events: readonly SessionEvent[]): Promise<void> {
    try {
      if (this.#role.kind === 'closed') throw closed();
      if (!this.#mayTryWriting) return this.#keepInMemory(events);
      await this.#tryToBecomeWriter('write');
      if (this.#role.kind === 'writer' && (await this.#isDeleted())) {
        await this.#role.file.close();
        await this.#becomeWriter(false);
        this.#listeners.emit([]);
      }
      if (this.#role.kind === 'reader') throw this.#role.fault;
      await this.#write(this.#role.file, events);
    } catch (error) {
      const fault = storeFault(error, THIS_SESSION);
      if (fault.reason !== 'full') throw fault;
      this.#keepInMemory(events);
    }
  }

  async #write(file: AppendFile, events: readonly SessionEvent[]): Promise<void> {
    const { path, clock } = this.#options;
    const target = { path, file, lock: this.#lock, clock, failedWrite: this.#failedWrite };
    await removeFailedWrite(target);
    if (this.#unsaved.length > 0) this.#savedReader ??= await this.#readWhole();
    const reader = this.#savedReader ?? this.#reader;
    const { isWriter, folded } = await writeEvents(target, reader, [...this.#unsaved, ...events]);
    if (!isWriter) await this.#becomeFollower();
    if (this.#unsaved.length > 0 && isWriter) {
      this.#unsaved = [];
      this.#replaceReader(reader);
      this.#listeners.emit([]);
    } else if (folded.length > 0) this.#listeners.emit(folded);
    if (!isWriter) throw elsewhere();
    const every = Math.max(CHECKPOINT_EVERY_BYTES, this.#reader.offset * CHECKPOINT_EVERY_SHARE);
    if (this.#reader.offset - this.#reader.checkpointOffset > every) await this.#saveCheckpoint();
  }

  /** Folds events that can't be written because the disk is full. Throws if they are invalid or too large. */
  #keepInMemory(events: readonly SessionEvent[]): void {
    requireWritable(events);
    const isFirst = this.#unsaved.length === 0;
    this.#lastAttemptAt = performance.now();
    this.#unsaved.push(...events);
    const at = this.#options.clock.now();
    for (const event of events) this.state.apply(event, at);
    this.#listeners.emit(events);
    if (isFirst) this.#listeners.emit([]);
  }

  /** Whether to try writing. On a full disk, one attempt is made per heartbeat, because each takes time. */
  get #mayTryWriting(): boolean {
    return this.#unsaved.length === 0 || performance.now() - this.#lastAttemptAt >= this.#heartbeatMs;
  }

  async #saveUnsaved(): Promise<void> {
    if (this.#unsaved.length === 0) return;
    // On a full disk, this window couldn't become the writer.
    if (this.#role.kind === 'reader' && this.#role.fault.reason === 'full') await this.#tryToBecomeWriter('poll');
    if (this.#role.kind === 'writer') await this.#write(this.#role.file, []);
  }

  async #saveCheckpoint(): Promise<void> {
    const { state, offset, checkpointOffset } = this.#reader;
    if (offset === checkpointOffset || state.id === undefined) return;
    this.#reader.checkpointOffset = offset;
    await saveCheckpoint(this.#options.path, this.id, this.#reader);
  }

  async #readAgain(file?: FileHandle): Promise<void> {
    this.#replaceReader(await this.#readWhole(file));
  }

  async #readWhole(file = this.#reader.file): Promise<JournalReader> {
    const { path, clock } = this.#options;
    const reader = new JournalReader(path, file, clock.yielder);
    await reader.readNewLines();
    return reader;
  }

  /** Replaces the state at once, because it can be read at any time. */
  #replaceReader(reader: JournalReader): void {
    reader.endsBeforeCheckpoint = this.#reader.endsBeforeCheckpoint;
    this.#reader = reader;
    this.#savedReader = undefined;
  }

  /** A line before the checkpoint is damaged, so read the whole journal and quarantine the line. */
  #recoverFromDamage(): void {
    const damaged = this.#reader;
    const recover = async (): Promise<void> => {
      if (this.#reader !== damaged || this.#role.kind === 'closed') return;
      await dropCheckpoint(this.#options.path);
      await this.#readAgain();
      if (this.#role.kind === 'writer') {
        await this.#role.file.close();
        await this.#becomeWriter(false);
      }
      this.#listeners.emit([]);
    };
    void this.#sequencer.queue(recover).catch(ignoreDiskErrors);
  }

  /** Folds lines that other windows have written. */
  async #pull(): Promise<void> {
    if (this.#isFollower && (await this.#isDeleted())) await this.#followNewFile();
    const { size } = await this.#reader.file.stat();
    if (size === this.#reader.offset) return;
    const damageBefore = this.#reader.damage.length;
    const lines = size < this.#reader.offset ? undefined : await this.#reader.readNewLines();
    if (lines && this.#reader.damage.length === damageBefore) {
      const events = lines.flatMap(({ event }) => event ?? []);
      if (events.length > 0) this.#listeners.emit(events);
    } else {
      // The writer has truncated a failed write of which this window had read a part.
      await this.#readAgain();
      this.#listeners.emit([]);
    }
    if (!this.#reader.newer || this.readOnly?.reason === 'newer') return;
    this.#role = { kind: 'reader', fault: new StoreFault('newer', NEWER) };
    this.#listeners.emit([]);
  }

  /** Reads the file that the writer has created in place of a deleted one. */
  async #followNewFile(): Promise<void> {
    const { path } = this.#options;
    const deleted = this.#reader.file;
    const file = await ifExists(open(path, 'r'));
    if (!file) return;
    try {
      await this.#readAgain(file);
    } catch (error) {
      await file.close();
      throw error;
    }
    await deleted.close();
    this.#listeners.emit([]);
  }

  /** Whether the file was deleted. While it's open, its content is still available. */
  async #isDeleted(): Promise<boolean> {
    return (await this.#reader.file.stat()).nlink === 0;
  }

  /** Acquires the lock if it's free or its holder is gone. Without write permission, the journal is read-only. */
  async #tryLock(): ReturnType<WriterLock['acquire']> {
    try {
      const lock = await this.#lock.acquire();
      if (!lock.held) this.#role = follower();
      return lock;
    } catch (error) {
      this.#role = { kind: 'reader', fault: await this.#faultOf(error) };
      return { held: false, alone: false };
    }
  }

  /** The reason why this window can't write: `missing` if the file was deleted and only this window has its content. */
  async #faultOf(error: unknown): Promise<StoreFault> {
    const fault = storeFault(error, THIS_SESSION);
    return fault.reason !== 'full' && (await this.#isDeleted()) ? new StoreFault('missing', DELETED, error) : fault;
  }

  /** Whether another window is the writer, as far as known. */
  get #isFollower(): boolean {
    return this.#role.kind === 'reader' && this.#role.fault.reason === 'not_writer';
  }

  /** Becomes the writer if the previous one is gone. To `write`, asks the writing window and waits for the answer. */
  async #tryToBecomeWriter(purpose: 'poll' | 'write'): Promise<void> {
    if (this.#role.kind !== 'reader' || this.#role.fault.reason === 'newer') return;
    const before = this.#role.fault;
    // A deleted journal is only recreated if this window was its writer or the user writes to it.
    const isGone = async () => purpose === 'poll' && before.phrase !== DELETED && (await this.#isDeleted());
    if (await isGone()) return;
    let lock = await this.#tryLock();
    if (lock.held && (await isGone())) return this.#lock.release();
    if (!lock.held && this.#isFollower) {
      if (purpose === 'poll') return this.#askIfPresent();
      lock = { held: (await this.#handover.ask('if_gone')) === 'granted', alone: false };
    }
    if (!lock.held) return;
    await this.#pull();
    const role = await this.#becomeWriter(lock.alone);
    if (role.kind === 'writer' || (role.kind === 'reader' && role.fault.message !== before.message))
      this.#listeners.emit([]);
  }

  /** Asks whether the writing window is still in use, without waiting for the answer. */
  async #askIfPresent(): Promise<void> {
    // Asking requires write permission.
    if (this.#isFollower) await this.#handover.requestIfGone().catch(ignoreDiskErrors);
  }

  /** Becomes the writer once the lock is held. If `alone`, no other window writes: an incomplete last line is cut off. */
  async #becomeWriter(alone: boolean): Promise<WindowRole> {
    const { path } = this.#options;
    try {
      // The previous writer may have had a newer version.
      if (this.#reader.newer) throw new StoreFault('newer', NEWER);
      await this.#handover.remove();
      // It has been read like any other lines.
      this.#failedWrite.end = 0;
      if (await this.#isDeleted()) await this.#restoreFile();
      const file = await (this.#options.openForAppend ?? openForAppend)(path);
      try {
        const notice = await this.#repair(file, alone);
        this.notice ??= notice;
      } catch (error) {
        await file.close();
        throw error;
      }
      this.#role = { kind: 'writer', file };
    } catch (error) {
      this.#role = { kind: 'reader', fault: await this.#faultOf(error) };
      await this.#lock.release();
    }
    return this.#role;
  }

  async #restoreFile(): Promise<void> {
    const deleted = this.#reader.file;
    // Its folder may have been deleted, too.
    await makeFolder(dirname(this.#options.path), 0o700);
    await copyTo(this.#options.path, deleted);
    await this.#readAgain(await open(this.#options.path, 'r'));
    await deleted.close();
  }

  /** Quarantines invalid lines. Returns a message for the user; undefined if there are no new ones. */
  async #repair(append: AppendFile, alone: boolean): Promise<Phrase | undefined> {
    const { path, clock } = this.#options;
    const reader = this.#reader;
    const tail = (await reader.file.stat()).size - reader.offset;
    const parts: Phrase[] = [];
    if (tail > 0 && alone) {
      if (await reader.lacksOnlyNewline(tail)) {
        await append.write(Buffer.from('\n'));
        await reader.readNewLines();
      } else {
        const isWriter = () => this.#lock.isHeld();
        const moved = await quarantineTail(path, reader.file, reader.offset, clock.now(), isWriter);
        if (moved === 'overtaken') throw elsewhere();
        // Otherwise, the next write terminates it, and it counts as a damaged line.
        if (moved !== 'kept')
          parts.push(phrase('the last line was only partly written and was moved to {0}', basename(moved.copy)));
      }
    }
    const { lines, isMissing } = await quarantineLines(path, reader.file, reader.damage, reader.missing);
    const aside = `${basename(path)}.damaged`;
    if (lines === 1) parts.push(phrase('1 damaged line was copied to {0}', aside));
    if (lines > 1) parts.push(phrase('{0} damaged lines were copied to {1}', lines, aside));
    if (isMissing)
      parts.push(
        reader.missing === 1 ? phrase('1 entry is missing') : phrase('{0} entries are missing', reader.missing),
      );
    else if (reader.endsBeforeCheckpoint) parts.push(phrase('entries at its end are missing'));
    if (parts.length === 0) return undefined;
    const all = parts.reduce((before, part) => phrase('{0}; {1}', before, part));
    return phrase('The session file was damaged: {0}. Everything else was recovered.', all);
  }

  /** Stops writing and follows the window that is now the writer. */
  async #becomeFollower(): Promise<void> {
    if (this.#role.kind === 'writer') {
      const { file } = this.#role;
      this.#role = follower();
      await file.close();
    }
    if (this.#unsaved.length > 0) await this.#readAgain();
    this.#listeners.emit([]);
  }

  /** Hands the lock over on request, unless events are unsaved or, for `if_gone`, this window is in use. */
  async #answerRequest(): Promise<void> {
    const { isPresent, beforeHandover } = this.#options.handover;
    const urgency = await this.#handover.requested();
    if (urgency === undefined) return;
    if (this.#unsaved.length > 0 || (urgency === 'if_gone' && (await isPresent()))) return this.#handover.remove();
    await beforeHandover();
    await this.#sequencer.queue(async () => {
      if (this.#role.kind !== 'writer' || this.#unsaved.length > 0) return;
      await this.#saveCheckpoint();
      if (await this.#handover.grant()) await this.#becomeFollower();
    });
  }

  async #poll(): Promise<void> {
    if (this.#role.kind === 'reader') {
      await this.#pull();
      await this.#tryToBecomeWriter('poll');
    } else if (this.#role.kind === 'writer') {
      if (!(await this.#lock.beat())) {
        await this.#becomeFollower();
        await this.#pull();
        return;
      }
      if (this.#mayTryWriting) await this.#saveUnsaved().catch(ignoreDiskErrors);
      if (this.#isAnswering) return;
      this.#isAnswering = true;
      void this.#answerRequest()
        .catch(ignoreDiskErrors)
        .finally(() => (this.#isAnswering = false));
    }
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      void this.#sequencer
        .queue(() => this.#poll())
        .catch(ignoreDiskErrors)
        .finally(() => {
          if (this.#role.kind !== 'closed') this.#schedule();
        });
    }, this.#heartbeatMs);
    this.#timer.unref();
  }
}

// If the disk fails or the lock is lost here, the next append reports it.
function ignoreDiskErrors(error: unknown): void {
  if (errorCode(error) === undefined && !StoreFault.is(error)) throw error;
}
