import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isOfDisk,
  refusalOf,
  TOOL_NAMES,
  type Found,
  type ReadEnd,
  type Refused,
  type Resume,
  type Source,
  type SourceFile,
  type Tool,
} from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { isObject, tryParse, type JsonObject } from '../core/transcript/json-value.ts';
import { TranscriptError, type SessionFacts, type TranscriptSink } from '../core/transcript/transcript-message.ts';

/** A document of this size is read as one text, which has no more room. */
const MAX_DOCUMENT_BYTES = 400_000_000;

/** What a folder holds; nothing where there is none. Links are not followed: they may lead out of the store. */
export async function entries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

export async function folders(folder: string): Promise<string[]> {
  return (await entries(folder)).filter((one) => one.isDirectory()).map(({ name }) => path.join(folder, name));
}

/** The files below a folder whose name matches, at most `depth` folders down. */
export async function filesBelow(folder: string, matches: (name: string) => boolean, depth = 0): Promise<string[]> {
  const found: string[] = [];
  for (const one of await entries(folder)) {
    const full = path.join(folder, one.name);
    if (one.isFile() && matches(one.name)) found.push(full);
    else if (one.isDirectory() && depth > 0) found.push(...(await filesBelow(full, matches, depth - 1)));
  }
  return found;
}

export const endsIn =
  (...endings: readonly string[]) =>
  (name: string): boolean =>
    endings.some((ending) => name.endsWith(ending));

/** A tool's store. `look` finds what it has; `read` says where to read on, or nothing of a file that is rewritten as a whole. */
export function sourceOf(
  tool: Tool,
  look: (finder: Finder) => Promise<void>,
  read: (file: SourceFile, sink: TranscriptSink, from?: Resume) => Promise<ReadEnd | undefined>,
): Source {
  return {
    tool,
    async find() {
      const finder = new Finder(tool);
      await finder.in(TOOL_NAMES[tool], () => look(finder));
      return finder.found();
    },
    read: async (file, sink, from) => (await read(file, sink, from)) ?? { resumed: false },
  };
}

/** Gathers what a tool has; a place that cannot be looked into is refused by name. */
export class Finder {
  readonly #tool: Tool;
  readonly #files: SourceFile[] = [];
  readonly #refused: Refused[] = [];

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  /** Looks somewhere; `look` may add files. */
  async in(place: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.refuse(place, error);
    }
  }

  refuse(place: string, error: unknown): void {
    this.#refused.push({ tool: this.#tool, path: place, reason: refusalOf(error) });
  }

  /** Adds the files in a folder whose name matches, and those at most `depth` folders down. */
  addAll(folder: string, matches: (name: string) => boolean, facts: SessionFacts = {}, depth = 0): Promise<void> {
    return this.in(folder, async () => {
      for (const file of await filesBelow(folder, matches, depth)) await this.add(file, facts);
    });
  }

  /** Adds a file, unless it has gone since it was listed. Its session is named as the file is, where nothing else tells. */
  async add(file: string, facts: SessionFacts = {}): Promise<void> {
    const id = path.basename(file).replace(/\.jsonl?$/, '');
    try {
      const { size, mtimeMs } = await stat(file);
      const modifiedAt = Math.round(mtimeMs);
      this.#files.push({ tool: this.#tool, path: file, bytes: size, modifiedAt, facts: { id, ...facts } });
    } catch (error) {
      if (!isCode(error, 'ENOENT')) this.refuse(file, error);
    }
  }

  /** Looks into the databases of that name in a folder. */
  async stores(folder: string, name: string, look: (store: string) => Promise<void>): Promise<void> {
    for (const store of await filesBelow(folder, (one) => one === name)) await this.in(store, () => look(store));
  }

  /** Adds a session that a database holds, with what its messages take. */
  addRow(
    path: string,
    facts: SessionFacts & { readonly id: string },
    size: { readonly bytes: unknown; readonly modifiedAt: number | undefined },
    key = facts.id,
  ): void {
    const { bytes, modifiedAt = 0 } = size;
    this.#files.push({ tool: this.#tool, path, key, bytes: Number(bytes ?? 0), modifiedAt, facts });
  }

  found(): Found {
    return { files: this.#files, refused: this.#refused };
  }
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** A whole document. Throws `TranscriptError`. */
export async function readDocument(file: string): Promise<string> {
  const { size } = await stat(file);
  if (size > MAX_DOCUMENT_BYTES) {
    throw new TranscriptError(
      phrase(
        'The file is larger than {0} MB and isn’t line-delimited, so it can’t be read.',
        MAX_DOCUMENT_BYTES / 1_000_000,
      ),
    );
  }
  const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  if (text.trim() === '') throw new TranscriptError(phrase('The file is empty.'));
  return text;
}

/** A whole JSON document. Throws `TranscriptError`. */
export async function readJson(file: string): Promise<unknown> {
  const value = tryParse(await readDocument(file));
  if (value === undefined) throw new TranscriptError(phrase('The file is damaged or still being written.'));
  return value;
}

/** A small file beside a session; undefined when it can’t be read or is not what it should be: it only adds to a title. */
export async function readBeside(file: string): Promise<JsonObject | undefined> {
  const value = await valueBeside(file);
  return isObject(value) ? value : undefined;
}

/** As `readBeside`, whatever JSON value it should be. */
export async function valueBeside(file: string): Promise<unknown> {
  try {
    return tryParse(await readFile(file, 'utf8'));
  } catch (error) {
    if (isOfDisk(error)) return undefined;
    throw error;
  }
}

export function unknownFormat(tool: string): TranscriptError {
  return new TranscriptError(phrase('The file isn’t in a known {0} format.', tool));
}

export function newerFormat(version: string | number, known: string | number): TranscriptError {
  return new TranscriptError(
    phrase('The file uses format version {0}. Versions newer than {1} aren’t supported.', version, known),
  );
}
