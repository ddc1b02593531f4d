import { copyFile, mkdtemp, rm, stat } from 'node:fs/promises';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { errorMessage } from '../core/text/error-details.ts';
import { tryParse } from '../core/text/json-value.ts';
import { phrase } from '../core/text/phrase.ts';
import { TranscriptError } from '../core/transcript/transcript-message.ts';
import { damagedFile, ifExists, readSlice } from './read-files.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

/** Larger databases are read in place if possible, because each write of the tool would cause another copy. */
const MAX_COPIED_BYTES = 32_000_000;

/**
 * Opens other tools' SQLite databases without writing to their folders. If a database has a write-ahead log (WAL),
 * SQLite opens the log for writing and may create an index (`-shm`) even to read, so the database is copied to
 * `scratch` first. A large database whose index exists is read in place, because SQLite can open an existing index
 * read-only.
 */
export class Databases {
  readonly #scratch: string;
  readonly #open = new Map<string, Promise<Database>>();
  readonly #copies: string[] = [];

  constructor(scratch: string) {
    this.#scratch = scratch;
  }

  /** Opens a database once. Rejects with `TranscriptError` if it's damaged or Node.js is too old. */
  open(file: string): Promise<Database> {
    const database = this.#open.get(file) ?? this.#openDatabase(file);
    this.#open.set(file, database);
    return database;
  }

  /** Closes every database and removes the copies. */
  async close(): Promise<void> {
    const opened = await Promise.allSettled(this.#open.values());
    this.#open.clear();
    for (const result of opened) if (result.status === 'fulfilled') result.value.close();
    for (const folder of this.#copies.splice(0)) await rm(folder, { recursive: true, force: true });
  }

  async #openDatabase(file: string): Promise<Database> {
    const sqlite = await import('node:sqlite').catch(() => undefined);
    if (!sqlite)
      throw new TranscriptError(
        phrase('Reading this file requires Node.js 22.13 or later. Update VS Code or Node.js and try again.'),
      );
    await requireComplete(file);
    const hasWal = (await fileSize(`${file}-wal`)) > 0;
    const isLarge = (await fileSize(file)) > MAX_COPIED_BYTES;
    const usesToolIndex = hasWal && isLarge && (await fileSize(`${file}-shm`)) > 0;
    try {
      if (hasWal && !usesToolIndex) return new Database(new sqlite.DatabaseSync(await this.#copy(file)));
      const uri = pathToFileURL(file);
      uri.search = `?mode=ro&${usesToolIndex ? 'readonly_shm' : 'immutable'}=1`;
      return new Database(new sqlite.DatabaseSync(uri, { readOnly: true }));
    } catch (error) {
      throw TranscriptError.is(error) ? error : unreadableDatabase(error);
    }
  }

  /**
   * Copies a database and its WAL. Throws `TranscriptError` if the WAL restarted meanwhile, because the copies don't
   * match then.
   */
  async #copy(file: string): Promise<string> {
    const folder = await mkdtemp(path.join(this.#scratch, 'threadkeeper-'));
    this.#copies.push(folder);
    const copy = path.join(folder, 'copy.db');
    const wal = `${file}-wal`;
    const headerBefore = await readSlice(wal, 0, WAL_HEADER_BYTES);
    await copyFile(file, copy);
    await copyFile(wal, `${copy}-wal`);
    if (!headerBefore.equals(await readSlice(wal, 0, WAL_HEADER_BYTES))) throw damagedFile();
    return copy;
  }
}

/** The header ends with a salt that changes whenever the WAL restarts: https://sqlite.org/fileformat.html#walformat. */
const WAL_HEADER_BYTES = 32;

export class Database {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Throws `TranscriptError` if a table or column doesn't exist. */
  rows(query: string, ...values: readonly string[]): Row[] {
    try {
      return this.#database.prepare(query).all(...values);
    } catch (error) {
      throw unreadableDatabase(error);
    }
  }

  /** The columns of a table; empty if it doesn't exist. */
  columns(table: string): ReadonlySet<string> {
    return new Set(this.rows('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => String(name)));
  }

  close(): void {
    this.#database.close();
  }
}

/** Throws `TranscriptError` if a database is truncated. SQLite would read missing pages as empty. */
async function requireComplete(file: string): Promise<void> {
  const header = await readSlice(file, 0, 100);
  if (header.length < 100) return;
  // https://sqlite.org/fileformat.html#the_database_header; a page size of 65,536 is stored as 1.
  const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  if ((await fileSize(file)) < header.readUInt32BE(28) * pageBytes) throw damagedFile();
}

const fileSize = async (file: string): Promise<number> => (await ifExists(stat(file)))?.size ?? 0;

const unreadableDatabase = (error: unknown): TranscriptError =>
  new TranscriptError(phrase('The database can’t be read: {0}.', errorMessage(error)));

/** The JSON value of a column; undefined if it's invalid. */
export const columnJson = (value: SQLOutputValue | undefined): unknown => tryParse(columnText(value) ?? '');

/** The text of a column that is stored as text or as a blob. */
export function columnText(value: SQLOutputValue | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : undefined;
}
