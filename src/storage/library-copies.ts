import { copyFile, open, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync, gzipSync, constants } from 'node:zlib';
import * as v from 'valibot';
import {
  copyRecordSchema,
  keptSessionSchema,
  type CopyPiece,
  type CopyRecord,
  type KeptSession,
  type LibraryStore,
} from '../app/library/library-store.ts';
import { StoreFault } from '../app/ports.ts';
import { TOOLS, type Tool } from '../app/library/source.ts';
import type { TranscriptMessage } from '../core/transcript/transcript-message.ts';
import { phrase } from '../core/text/phrase.ts';
import { ifExists, makeFolder, OWNER_ONLY, replaceFile, succeedsUnless } from './disk-errors.ts';
import { readRange } from './journal-lines.ts';

/** Other tools' chats may contain secrets, so only the user can read the copies. */
const FOLDER_MODE = 0o700;
/** A piece ends once it has this many UTF-16 units: enough to compress well, few enough not to block. */
const PIECE_UNITS = 1 << 16;
const VERSION = 1;
const MESSAGE_LINE = Buffer.from('{"message":');

const catalogSchema = v.object({ version: v.literal(VERSION), sessions: v.array(keptSessionSchema) });

/**
 * Copies of other tools' chats in a folder: `<key>.jsonl.gz`, to which each sync appends compressed pieces,
 * `<key>.index` for searching, and `catalog.json`, which is replaced atomically. `catalog.json.previous` is used if it's
 * damaged.
 */
export class LibraryCopies implements LibraryStore {
  readonly #folder: string;
  readonly #catalog: string;
  readonly #previousCatalog: string;
  readonly #copy = (key: string): string => path.join(this.#folder, `${key}.jsonl.gz`);
  readonly #index = (key: string): string => path.join(this.#folder, `${key}.index`);
  readonly #mayWrite: () => Promise<boolean>;
  readonly #onDamage: () => void;
  #isCatalogDamaged = false;

  /**
   * `mayWrite` is checked before each write, because another window may have become the writer. `onDamage` is called if
   * the catalog is damaged.
   */
  constructor(folder: string, mayWrite = () => Promise.resolve(true), onDamage = (): void => undefined) {
    this.#folder = folder;
    this.#catalog = path.join(folder, 'catalog.json');
    this.#previousCatalog = `${this.#catalog}.previous`;
    this.#mayWrite = mayWrite;
    this.#onDamage = onDamage;
  }

  /** If the catalog is damaged, the previous one. Throws if that doesn't exist, or if a catalog is of another version. */
  async catalog(): Promise<readonly KeptSession[]> {
    try {
      const sessions =
        (await this.#readCatalog(this.#catalog)) ?? (await this.#readCatalog(this.#previousCatalog)) ?? [];
      // Not before reading, because `saveCatalog` may check it meanwhile.
      this.#isCatalogDamaged = false;
      return sessions;
    } catch (error) {
      const previous = error instanceof SyntaxError ? await this.#readCatalog(this.#previousCatalog) : undefined;
      if (!previous) throw error;
      this.#isCatalogDamaged = true;
      this.#onDamage();
      return previous;
    }
  }

  async #readCatalog(file: string): Promise<readonly KeptSession[] | undefined> {
    const text = await ifExists(readFile(file, 'utf8'));
    return text === undefined ? undefined : v.parse(catalogSchema, JSON.parse(text)).sessions;
  }

  async saveCatalog(sessions: readonly KeptSession[]): Promise<void> {
    await this.#beginWriting();
    const text = JSON.stringify({ version: VERSION, sessions });
    // A damaged catalog doesn't replace the previous one, because writing the next one may fail. Copied instead of
    // renamed, because without a catalog, expired copies aren't deleted, and a reader may find no chats.
    if (!this.#isCatalogDamaged) await succeedsUnless(copyFile(this.#catalog, this.#previousCatalog), 'ENOENT');
    await replaceFile(this.#catalog, text, { temporaryPath: `${this.#catalog}.next`, flush: true });
    this.#isCatalogDamaged = false;
  }

  async isComplete({ key, copyBytes, indexBytes }: KeptSession): Promise<boolean> {
    const sizeOf = async (file: string): Promise<number> => (await ifExists(stat(file)))?.size ?? 0;
    return (await sizeOf(this.#copy(key))) >= copyBytes && (await sizeOf(this.#index(key))) >= indexBytes;
  }

  async append(
    key: string,
    bytes: number,
    records: readonly CopyRecord[],
    from: number,
  ): Promise<{ readonly bytes: number; readonly pieces: readonly CopyPiece[] }> {
    const placed: CopyPiece[] = [];
    const compressed = function* (): Generator<Uint8Array> {
      let [offset, first] = [bytes, from];
      for (const { text, messages } of pieces(records)) {
        const piece = gzipSync(text, { level: constants.Z_BEST_SPEED });
        placed.push({ offset, bytes: piece.length, first });
        offset += piece.length;
        first += messages;
        yield piece;
      }
    };
    return { bytes: await this.#append(this.#copy(key), bytes, compressed()), pieces: placed };
  }

  appendIndex(key: string, bytes: number, block: Uint8Array): Promise<number> {
    return this.#append(this.#index(key), bytes, [block]);
  }

  async readIndex(key: string, bytes: number): Promise<Uint8Array> {
    // A chat has no messages, and no file, if all its turns were undone.
    if (bytes === 0) return new Uint8Array();
    return (await readFile(this.#index(key))).subarray(0, bytes);
  }

  async readMessage(key: string, piece: CopyPiece, message: number): Promise<TranscriptMessage | undefined> {
    const file = await open(this.#copy(key), 'r');
    const lines = gunzipSync(await readRange(file, piece.offset, piece.bytes).finally(() => file.close()));
    let index = piece.first;
    for (let at = 0, end = 0; at < lines.length; at = end + 1) {
      end = lines.indexOf('\n', at);
      if (end === -1) end = lines.length;
      if (lines.compare(MESSAGE_LINE, 0, undefined, at, at + MESSAGE_LINE.length) !== 0 || index++ < message) continue;
      const record = v.parse(copyRecordSchema, JSON.parse(lines.toString('utf8', at, end)));
      return 'message' in record ? record.message : undefined;
    }
    return undefined;
  }

  /** Appends to a file of `bytes` bytes after truncating it to that size; returns its new size. */
  async #append(path: string, bytes: number, pieces: Iterable<Uint8Array>): Promise<number> {
    await this.#beginWriting();
    // Creates the file if necessary, and truncates it after a sync that was killed.
    await writeFile(path, '', { flag: 'a', mode: OWNER_ONLY });
    await truncate(path, bytes);
    const file = await open(path, 'a', OWNER_ONLY);
    let size = bytes;
    try {
      for (const piece of pieces) {
        await file.writeFile(piece);
        size += piece.length;
      }
      await file.datasync();
    } finally {
      await file.close();
    }
    return size;
  }

  async read(key: string, bytes: number): Promise<readonly CopyRecord[]> {
    if (bytes === 0) return [];
    const packed = (await readFile(this.#copy(key))).subarray(0, bytes);
    return gunzipSync(packed)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => v.parse(copyRecordSchema, JSON.parse(line)));
  }

  async remove(key: string): Promise<void> {
    await rm(this.#copy(key), { force: true });
    await rm(this.#index(key), { force: true });
    await this.#removePreviousCatalog();
  }

  async removeUnlisted(listed: ReadonlySet<string>, before: number): Promise<void> {
    await this.#beginWriting();
    for (const name of await this.#names()) {
      const file = path.join(this.#folder, name);
      if (!TOOLS.some((tool) => isCopyOf(tool, name)) || listed.has(name.slice(0, name.indexOf('.')))) continue;
      if (((await ifExists(stat(file)))?.mtimeMs ?? before) < before) await rm(file, { force: true });
    }
  }

  /** The tools that have copies, including copies that the catalog doesn't list. */
  async tools(): Promise<readonly Tool[]> {
    const names = await this.#names();
    return TOOLS.filter((tool) => names.some((name) => isCopyOf(tool, name)));
  }

  async removeAll(tool: Tool): Promise<void> {
    const names = await this.#names();
    for (const name of names) if (isCopyOf(tool, name)) await rm(path.join(this.#folder, name), { force: true });
    await this.#removePreviousCatalog();
  }

  /** Removes the previous catalog, which still lists the removed sessions with their titles. */
  async #removePreviousCatalog(): Promise<void> {
    await rm(this.#previousCatalog, { force: true });
  }

  async #names(): Promise<readonly string[]> {
    return (await ifExists(readdir(this.#folder))) ?? [];
  }

  async #beginWriting(): Promise<void> {
    if (!(await this.#mayWrite())) {
      throw new StoreFault(
        'read_only',
        phrase('Chats from other tools are managed in another window. Run the command in that window.'),
      );
    }
    await makeFolder(this.#folder, FOLDER_MODE);
  }
}

function isCopyOf(tool: Tool, name: string): boolean {
  return name.startsWith(`${tool}-`) && /^[0-9a-f]+\.(?:jsonl\.gz|index)$/.test(name.slice(tool.length + 1));
}

function* pieces(records: readonly CopyRecord[]): Generator<{ readonly text: string; readonly messages: number }> {
  let text = '';
  let messages = 0;
  for (const record of records) {
    text += `${JSON.stringify(record)}\n`;
    if ('message' in record) messages++;
    if (text.length < PIECE_UNITS) continue;
    yield { text, messages };
    [text, messages] = ['', 0];
  }
  if (text !== '') yield { text, messages };
}
