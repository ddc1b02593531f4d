import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { phrase } from '../core/text/phrase.ts';
import { TranscriptError } from '../core/transcript/transcript-message.ts';
import { damaged, ifThere, readSlice } from './files.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** Larger databases aren't copied, because that would happen at each of the tool's writes. */
const MAX_COPIED_BYTES = 32_000_000;

/**
 * Opens other tools' SQLite databases without leaving a trace. SQLite opens a database's write-ahead log for writing
 * even to read, and may create an index next to it, so a database with a log is copied to `scratch` first. A large one
 * is read in place with the index that the tool maintains, which doesn't write either.
 */
export class Databases {
  readonly #scratch: string;
  readonly #open = new Map<string, Promise<Database>>();

  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  /** Throws `TranscriptError`. */
  open(file: string): Promise<Database> {
    const known = this.#open.get(file) ?? this.#read(file);
    this.#open.set(file, known);
    return known;
  }

  /** Closes every database and removes the copies. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    for (const one of opened) if (one.status === 'fulfilled') await one.value.close();
  }

  async #read(file: string): Promise<Database> {
    const sqlite = await import('node:sqlite').catch(() => undefined);
    if (!sqlite)
      throw new TranscriptError(
        phrase('Reading this file requires Node.js 22.13 or later. Update VS Code or Node.js and try again.'),
      );
    await checkWhole(file);
    const hasLog = (await sizeOf(`${file}-wal`)) > 0;
    const isLarge = (await sizeOf(file)) > MAX_COPIED_BYTES;
    const isShared = hasLog && isLarge && (await sizeOf(`${file}-shm`)) > 0;
    const copy = hasLog && !isShared ? await mkdtemp(path.join(this.#scratch, 'threadkeeper-')) : undefined;
    try {
      if (copy !== undefined) await copyInto(copy, file);
      const address = pathToFileURL(copy ? path.join(copy, 'copy.db') : file);
      address.search = copy ? '' : `?mode=ro&${isShared ? 'readonly_shm' : 'immutable'}=1`;
      return new Database(new sqlite.DatabaseSync(address, { readOnly: copy === undefined }), copy);
    } catch (error) {
      if (copy !== undefined) await rm(copy, { recursive: true, force: true });
      throw TranscriptError.is(error) ? error : unreadable(error);
    }
  }
}

/**
 * Copies a database and its log. They must be of the same time, because SQLite restarts the log once the database
 * contains all of it.
 */
async function copyInto(folder: string, file: string): Promise<void> {
  const log = `${file}-wal`;
  const begun = await readSlice(log, 0, LOG_HEADER_BYTES);
  await copyFile(file, path.join(folder, 'copy.db'));
  await copyFile(log, path.join(folder, 'copy.db-wal'));
  if (!begun.equals(await readSlice(log, 0, LOG_HEADER_BYTES))) throw damaged();
}

/** Ends with a salt that changes whenever the log restarts: https://sqlite.org/fileformat.html#walformat. */
const LOG_HEADER_BYTES = 32;

class Database {
  readonly #database: DatabaseSync;
  readonly #copy: string | undefined;

  constructor(database: DatabaseSync, copy: string | undefined) {
    this.#database = database;
    this.#copy = copy;
  }

  /** Throws `TranscriptError` if a table or column doesn't exist. */
  rows(query: string, ...values: readonly string[]): Row[] {
    try {
      return this.#database.prepare(query).all(...values);
    } catch (error) {
      throw unreadable(error);
    }
  }

  /** The columns of a table; empty if it doesn't exist. */
  columns(table: string): ReadonlySet<string> {
    return new Set(this.rows('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => String(name)));
  }

  async close(): Promise<void> {
    this.#database.close();
    if (this.#copy !== undefined) await rm(this.#copy, { recursive: true, force: true });
  }
}

export type { Database };

/** SQLite reads the missing end of a truncated page as zeros, in which it finds no rows. */
async function checkWhole(file: string): Promise<void> {
  const header = await readSlice(file, 0, 100);
  if (header.length < 100) return;
  // https://sqlite.org/fileformat.html#the_database_header; a page size of 65,536 is stored as 1.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if ((await sizeOf(file)) < header.readUInt32BE(28) * pageBytes) throw damaged();
}

const sizeOf = async (file: string): Promise<number> => (await ifThere(stat(file)))?.size ?? 0;

function unreadable(error: unknown): TranscriptError {
  return new TranscriptError(
    phrase('The database can’t be read: {0}.', error instanceof Error ? error.message : String(error)),
  );
}

/** A column's text, stored as text or as bytes. */
export function textOf(value: SQLOutputValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined;
}
