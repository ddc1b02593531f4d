import { randomBytes } from 'node:crypto';
import { link, open, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { StoreFault, type Clock } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { errorCode } from '../core/text/error-details.ts';
import { phrase } from '../core/text/phrase.ts';
import { ifExists, OWNER_ONLY, renameFile } from './disk-errors.ts';
import { encodeLine, JOURNAL_VERSION } from './journal-line.ts';
import { MAX_LINE_BYTES } from './journal-lines.ts';
import type { CountedLine, JournalReader } from './journal-reader.ts';
import type { WriterLock } from './writer-lock.ts';

/** A file that is only appended to, as all journals are. */
export interface AppendFile {
  /** Appends at the file's current end, in one piece if the system can; returns the number of written bytes. */
  write(bytes: Uint8Array): Promise<number>;
  /** Resolves when the data survives a power failure. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type OpenForAppend = (path: string) => Promise<AppendFile>;

/** Opens a file in append mode, in which concurrent writes of two processes don't interleave on a local disk. */
export const openForAppend: OpenForAppend = async (path) => {
  const file = await open(path, 'a', OWNER_ONLY);
  return {
    write: async (bytes) => (await file.write(bytes)).bytesWritten,
    flush: () => file.datasync(),
    close: () => file.close(),
  };
};

const TOO_LARGE = phrase('This message is larger than 128 MB and can’t be saved. Split it into smaller messages.');

/** The bytes of a line. Throws if it's too large. */
function bytesOf(line: string): Buffer {
  const bytes = Buffer.from(`${line}\n`);
  if (bytes.length > MAX_LINE_BYTES) throw new StoreFault('too_large', TOO_LARGE);
  return bytes;
}

/** Throws if an event can't be written because it's invalid or too large. */
export function requireWritable(events: readonly SessionEvent[]): void {
  for (const body of events) bytesOf(encodeLine({ v: JOURNAL_VERSION, seq: 1, at: 0, writer: '', body }));
}

/**
 * Creates a journal with all events, or none if the process is killed. Does nothing if another window has created it
 * meanwhile. Throws like `writeEvents`.
 */
export async function createJournal(
  path: string,
  events: readonly SessionEvent[],
  writer: string,
  clock: Clock,
): Promise<void> {
  const temporaryPath = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    await writeFile(temporaryPath, await encodeLines(events, 1, writer, clock), { mode: OWNER_ONLY, flush: true });
    try {
      // Unlike renaming, this never replaces another window's journal.
      await link(temporaryPath, path);
    } catch (error) {
      // Some file systems have no links.
      if ((await ifExists(stat(path))) === undefined && errorCode(error) !== 'EEXIST')
        await renameFile(temporaryPath, path);
    }
  } finally {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
  }
}

interface JournalTarget {
  readonly path: string;
  readonly file: AppendFile;
  readonly lock: WriterLock;
  readonly clock: Clock;
  readonly failedWrite: FailedWrite;
}

/** Where a failed write that couldn't be removed from the file starts and ends, in bytes. `end` is 0 if there is none. */
export interface FailedWrite {
  start: number;
  end: number;
  /** Whether a line of it is complete, so that it's read like any other line. */
  hasLine: boolean;
}

/**
 * Appends events to a journal, and only acknowledges them once they are valid for every reader (see `LineOrder` in
 * journal-lines.ts). Folds everything up to the end of the file in order: `folded` may include lines of other windows
 * that came first. `isWriter` is false if another window has become the writer, in which case the events are ignored.
 * Throws `StoreFault` if an event is too large, `TypeError` if one is invalid, and the file system's error if a write
 * fails. A failed write isn't folded, and is removed from the file if possible (see `removeFailedWrite`).
 */
export async function writeEvents(
  target: JournalTarget,
  reader: JournalReader,
  events: readonly SessionEvent[],
): Promise<{ readonly isWriter: boolean; readonly folded: readonly SessionEvent[] }> {
  const { lock, clock } = target;
  const lines = await reader.readNewLines();
  let pending = events;
  while (pending.length > 0 && (await lock.isHeld())) {
    const { token } = lock;
    const first = reader.order.last + 1;
    const batch = await encodeLines(pending, first, token, clock);
    const { size } = await reader.file.stat();
    // If another writer left an incomplete line, the newline separates it from the new lines.
    const newLines = await writeAll(
      target,
      reader,
      size > reader.offset ? Buffer.concat([NEWLINE, batch]) : batch,
      size,
    );
    lines.push(...newLines);
    const counted = new Set(newLines.flatMap(({ seq, writer }) => (writer === token ? [seq] : [])));
    pending = pending.filter((_, index) => !counted.has(first + index));
    if (pending.length > 0 && (await lock.isHeld())) await lock.renew();
  }
  return { isWriter: pending.length === 0, folded: lines.flatMap(({ event }) => event ?? []) };
}

/** Encodes events as lines from the sequence number `first`. Throws if one can't be encoded. */
async function encodeLines(
  events: readonly SessionEvent[],
  first: number,
  writer: string,
  clock: Clock,
): Promise<Buffer> {
  const at = clock.now();
  const pieces: Buffer[] = [];
  for (const [index, body] of events.entries()) {
    const line = encodeLine({ v: JOURNAL_VERSION, seq: first + index, at, writer, body });
    // An attachment of several megabytes takes long in each of these steps.
    await yieldIfDue(clock.yielder);
    pieces.push(bytesOf(line));
    await yieldIfDue(clock.yielder);
  }
  return Buffer.concat(pieces);
}

/** Appends bytes at `start`, the end of the file, and returns the valid lines from there on. */
async function writeAll(
  target: JournalTarget,
  reader: JournalReader,
  bytes: Buffer,
  start: number,
): Promise<readonly CountedLine[]> {
  const { file, failedWrite } = target;
  const { offset } = reader;
  const lines: CountedLine[] = [];
  let written = 0;
  try {
    while (written < bytes.length) written += await file.write(bytes.subarray(written));
    await file.flush();
    // If others wrote as well, the order in the file decides which lines are valid, so read them back.
    return await reader.readNewLines(lines);
  } catch (error) {
    // All lines were read. Only reading beyond them has failed.
    if (reader.offset === start + bytes.length) return lines;
    if (written > 0 && reader.offset === offset) {
      // The newline in front of the first line completes a line of another writer. The next write would complete a line
      // that lacks only its newline.
      const hasLine = bytes.subarray(0, written + 1).lastIndexOf(NEWLINE) > 0;
      Object.assign(failedWrite, { start, end: start + written, hasLine });
    }
    // If this fails as well, it's done before the next write.
    await truncateFailedWrite(target).catch(() => undefined);
    throw error;
  }
}

/**
 * Truncates a failed write (see `truncateFailedWrite`). If that fails, because the file can only be appended to, a part
 * of a line stays, which the next write terminates. With a complete line, throws the file system's error.
 */
export async function removeFailedWrite(target: JournalTarget): Promise<void> {
  const { failedWrite } = target;
  try {
    await truncateFailedWrite(target);
  } catch (error) {
    if (failedWrite.hasLine || errorCode(error) === undefined) throw error;
  }
  failedWrite.end = 0;
}

/**
 * Removes a failed write from the file. Otherwise, its events would count although the write was reported as failed, or
 * twice after a retry. Does so only while the lock is held and nothing else was written. If something was, the written
 * part is read like any other lines.
 */
async function truncateFailedWrite({ path, lock, failedWrite }: JournalTarget): Promise<void> {
  const { start, end } = failedWrite;
  if (end === 0) return;
  if ((await lock.isHeld()) && (await stat(path)).size === end) await truncate(path, start);
  failedWrite.end = 0;
}

const NEWLINE = Buffer.from('\n');
