import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isFileSystemError,
  refusalOf,
  TOOL_NAMES,
  type FoundFiles,
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

/** A user's home folder, and the environment variables that move stores. */
export interface Home {
  readonly folder: string;
  /** Empty for a home folder other than the user's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** VS Code and its forks, by the name of their folder. */
const EDITORS = ['Code', 'Code - Insiders', 'Code - OSS', 'VSCodium', 'Cursor', 'Windsurf'];

/** Data folders of the server of a remote window. */
const SERVERS = [
  '.vscode-server',
  '.vscode-server-insiders',
  '.vscode-remote',
  '.vscodium-server',
  '.cursor-server',
  '.windsurf-server',
];

/** Folders for application data on Linux, macOS, and Windows. */
export function dataFolders({ folder, env }: Home): string[] {
  return [
    env['XDG_DATA_HOME'] ?? path.join(folder, '.local/share'),
    path.join(folder, 'Library/Application Support'),
    env['LOCALAPPDATA'] ?? path.join(folder, 'AppData/Local'),
    env['APPDATA'] ?? path.join(folder, 'AppData/Roaming'),
  ];
}

/** The `User` folders of all editors: installed, remote, and portable. `names` limits the installed ones. */
export function editorFolders({ folder, env }: Home, names: readonly string[] = EDITORS): string[] {
  const settings = [
    env['XDG_CONFIG_HOME'] ?? path.join(folder, '.config'),
    path.join(folder, 'Library/Application Support'),
    env['APPDATA'] ?? path.join(folder, 'AppData/Roaming'),
  ];
  const installed = settings.flatMap((one) => names.map((name) => path.join(one, name, 'User')));
  const remote = SERVERS.map((name) => path.join(folder, name, 'data/User'));
  const portable = [env['VSCODE_PORTABLE'] ?? [], folder].flat().map((one) => path.join(one, 'user-data/User'));
  return [...installed, ...(names === EDITORS ? remote : []), ...portable];
}

/** A tool's folder in the home folder, or the one in an environment variable. */
export function toolFolder({ folder, env }: Home, variable: string, name: string): string {
  return env[variable] ?? path.join(folder, name);
}

/**
 * The entries of a folder; empty if it doesn't exist. Symbolic links are skipped, because they may lead out of the
 * store.
 */
export async function entries(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (isCode(error, 'ENOENT', 'ENOTDIR')) return [];
    throw error;
  }
}

export const endsIn =
  (...endings: readonly string[]) =>
  (name: string): boolean =>
    endings.some((ending) => name.endsWith(ending));

/**
 * Creates a tool's source. `look` finds its sessions; `read` returns where to resume, or nothing for files that are
 * rewritten as a whole.
 */
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
      return finder.found;
    },
    read: async (file, sink, from) => (await read(file, sink, from)) ?? { resumed: false },
  };
}

/** Collects a tool's sessions. A place that can't be read is refused by name, and the others are still searched. */
export class Finder {
  readonly #tool: Tool;
  readonly #files: SourceFile[] = [];
  readonly #refused: Refused[] = [];

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  get found(): FoundFiles {
    return { files: this.#files, refused: this.#refused };
  }

  /** Searches a place; `look` may add files. */
  async in(place: string, look: () => Promise<void>): Promise<void> {
    try {
      await look();
    } catch (error) {
      this.#refused.push({ tool: this.#tool, path: place, reason: refusalOf(error) });
    }
  }

  async entries(folder: string): Promise<Dirent[]> {
    let found: Dirent[] = [];
    await this.in(folder, async () => {
      found = await entries(folder);
    });
    return found;
  }

  async folders(folder: string): Promise<string[]> {
    const found = await this.entries(folder);
    return found.filter((one) => one.isDirectory()).map(({ name }) => path.join(folder, name));
  }

  /** The files in a folder and its subfolders, up to `depth` levels, whose names match. */
  async filesBelow(folder: string, matches: (name: string) => boolean, depth = 0): Promise<string[]> {
    const found: string[] = [];
    for (const one of await this.entries(folder)) {
      const full = path.join(folder, one.name);
      if (one.isFile() && matches(one.name)) found.push(full);
      else if (one.isDirectory() && depth > 0) found.push(...(await this.filesBelow(full, matches, depth - 1)));
    }
    return found;
  }

  /** Adds the files that `filesBelow` finds. */
  async addAll(folder: string, matches: (name: string) => boolean, depth = 0): Promise<void> {
    for (const file of await this.filesBelow(folder, matches, depth)) await this.add(file);
  }

  /** Adds a file, unless it was deleted since. By default, its session's ID is the file name. */
  add(file: string, facts: SessionFacts = {}): Promise<void> {
    const id = path.basename(file).replace(/\.jsonl?$/, '');
    return this.in(file, async () => {
      const told = await ifThere(stat(file));
      if (!told) return;
      const [bytes, modifiedAt] = [told.size, Math.round(told.mtimeMs)];
      this.#files.push({ tool: this.#tool, path: file, bytes, modifiedAt, facts: { id, ...facts } });
    });
  }

  /** Searches the databases with this name in a folder. */
  async stores(folder: string, name: string, look: (store: string) => Promise<void>): Promise<void> {
    for (const store of await this.filesBelow(folder, (one) => one === name)) await this.in(store, () => look(store));
  }

  /** Adds a session of a database, with the size of its messages. */
  addRow(
    path: string,
    facts: SessionFacts & { readonly id: string },
    size: { readonly bytes: unknown; readonly modifiedAt: number | undefined },
    key = facts.id,
  ): void {
    const { bytes, modifiedAt = 0 } = size;
    this.#files.push({ tool: this.#tool, path, key, bytes: Number(bytes ?? 0), modifiedAt, facts });
  }
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** The result of reading a file; undefined if it doesn't exist. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** A range of a file's bytes, as far as they exist. */
export async function readSlice(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** Maximum size of a document, because it's read as one string. */
const MAX_DOCUMENT_BYTES = 400_000_000;

/** Reads a whole document. Throws `TranscriptError`. */
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

/** Reads a whole JSON document. Throws `TranscriptError`. */
export async function readJson(file: string): Promise<unknown> {
  const value = tryParse(await readDocument(file));
  if (value === undefined) throw damaged();
  return value;
}

/** Reads a small file next to a session; '' if it can't be read, because it only improves a title. */
export async function textBeside(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isFileSystemError(error)) return '';
    throw error;
  }
}

/** Like `textBeside`, for a JSON object; empty if it isn't one. */
export const fieldsBeside = async (file: string): Promise<JsonObject> => fieldsOf(tryParse(await textBeside(file)));

/** A value's fields; empty if it isn't an object. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const damaged = (): TranscriptError =>
  new TranscriptError(phrase('The file is damaged or still being written.'));

export function unknownFormat(tool: string): TranscriptError {
  return new TranscriptError(phrase('The file isn’t in a known {0} format.', tool));
}

/** Throws `TranscriptError` for a document of an unknown version. */
export function checkVersion(version: unknown, known: number): void {
  if (typeof version === 'number' && version > known) throw newerFormat(version, known);
}

export function newerFormat(version: string | number, known: string | number): TranscriptError {
  return new TranscriptError(
    phrase('The file uses format version {0}. Versions newer than {1} aren’t supported.', version, known),
  );
}
