import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isFileSystemError,
  readFailureReason,
  TOOL_NAMES,
  type FoundFiles,
  type ReadEnd,
  type UnreadablePath,
  type Resume,
  type Source,
  type SourceFile,
  type Tool,
} from '../app/library/source.ts';
import { phrase } from '../core/text/phrase.ts';
import { isObject, tryParse, type JsonObject } from '../core/text/json-value.ts';
import { TranscriptError, type SessionFacts, type TranscriptSink } from '../core/transcript/transcript-message.ts';

/** A user's home folder, and the environment variables that relocate tools' folders; empty ones count as unset. */
export interface Home {
  readonly folder: string;
  /** Empty for a home folder other than the user's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Configuration folders of VS Code and its forks. */
const EDITOR_FOLDERS = ['Code', 'Code - Insiders', 'Code - OSS', 'VSCodium', 'Cursor', 'Windsurf'];

/** Folders of the editors' servers for remote windows. */
const SERVER_FOLDERS = [
  '.vscode-server',
  '.vscode-server-insiders',
  '.vscode-remote',
  '.vscodium-server',
  '.cursor-server',
  '.windsurf-server',
];

/** Folders for application data on Linux, macOS, and Windows. */
export function dataFolders({ folder, env }: Home): string[] {
  // VS Code from the Snap Store changes the variable, but other tools still use the default folder.
  const linux = [env['XDG_DATA_HOME'] || [], path.join(folder, '.local/share')].flat();
  return [
    ...new Set(linux.map((one) => path.resolve(one))),
    path.join(folder, 'Library/Application Support'),
    env['LOCALAPPDATA'] || path.join(folder, 'AppData/Local'),
    env['APPDATA'] || path.join(folder, 'AppData/Roaming'),
  ];
}

/** The `User` folders of all editors: installed, remote, and portable. `names` limits the installed ones. */
export function editorFolders({ folder, env }: Home, names: readonly string[] = EDITOR_FOLDERS): string[] {
  const settings = [
    env['XDG_CONFIG_HOME'] || path.join(folder, '.config'),
    path.join(folder, 'Library/Application Support'),
    env['APPDATA'] || path.join(folder, 'AppData/Roaming'),
  ];
  const installed = settings.flatMap((one) => names.map((name) => path.join(one, name, 'User')));
  const remote = SERVER_FOLDERS.map((name) => path.join(folder, name, 'data/User'));
  return [...installed, ...(names === EDITOR_FOLDERS ? remote : []), ...portableFolders({ folder, env })];
}

/** The `User` folders of portable editors, which don't tell which editor it is. */
export const portableFolders = ({ folder, env }: Home): string[] =>
  [env['VSCODE_PORTABLE'] || [], folder].flat().map((one) => path.join(one, 'user-data/User'));

/** A tool's folder: the value of an environment variable, or `name` in the home folder. */
export function toolFolder({ folder, env }: Home, variable: string, name: string): string {
  return env[variable] || path.join(folder, name);
}

/**
 * The entries of a folder; empty if it doesn't exist. Symbolic links are skipped, because they may lead out of the
 * store.
 */
export const folderEntries = async (folder: string): Promise<Dirent[]> =>
  (await ifExists(readdir(folder, { withFileTypes: true }))) ?? [];

export const hasExtension =
  (...extensions: readonly string[]) =>
  (name: string): boolean =>
    extensions.some((extension) => name.endsWith(extension));

/**
 * Creates a tool's source. `search` finds its sessions; `read` returns where to resume, or undefined for files that are
 * rewritten as a whole.
 */
export function createSource(
  tool: Tool,
  search: (finder: Finder) => Promise<void>,
  read: (file: SourceFile, sink: TranscriptSink, from?: Resume) => Promise<ReadEnd | undefined>,
): Source {
  return {
    tool,
    async find() {
      const finder = new Finder(tool);
      await finder.attempt(TOOL_NAMES[tool], () => search(finder));
      return finder.found;
    },
    read: async (file, sink, from) => (await read(file, sink, from)) ?? { resumed: false },
  };
}

/** Collects a tool's sessions, and the paths that can't be read with the reasons. */
export class Finder {
  readonly #tool: Tool;
  readonly #files: SourceFile[] = [];
  readonly #paths = new Set<string>();
  readonly #unreadable: UnreadablePath[] = [];

  constructor(tool: Tool) {
    this.#tool = tool;
  }

  get found(): FoundFiles {
    return { files: this.#files, unreadable: this.#unreadable };
  }

  /** Runs a search. If it fails, `location` is added to the refused paths with the reason. */
  async attempt(location: string, search: () => Promise<void>): Promise<void> {
    try {
      await search();
    } catch (error) {
      this.#unreadable.push({ tool: this.#tool, path: location, reason: readFailureReason(error) });
    }
  }

  async entries(folder: string): Promise<Dirent[]> {
    let found: Dirent[] = [];
    await this.attempt(folder, async () => {
      found = await folderEntries(folder);
    });
    return found;
  }

  async subfolders(folder: string): Promise<string[]> {
    const found = await this.entries(folder);
    return found.filter((one) => one.isDirectory()).map(({ name }) => path.join(folder, name));
  }

  /** The files whose names match, in a folder and up to `depth` levels of subfolders. */
  async findFiles(folder: string, matches: (name: string) => boolean, depth = 0): Promise<string[]> {
    const found: string[] = [];
    for (const one of await this.entries(folder)) {
      const fullPath = path.join(folder, one.name);
      if (one.isFile() && matches(one.name)) found.push(fullPath);
      else if (one.isDirectory() && depth > 0) found.push(...(await this.findFiles(fullPath, matches, depth - 1)));
    }
    return found;
  }

  /** Adds the files that `findFiles` finds. */
  async addFiles(folder: string, matches: (name: string) => boolean, depth = 0): Promise<void> {
    for (const file of await this.findFiles(folder, matches, depth)) await this.addFile(file);
  }

  /** Adds a file, unless it was deleted meanwhile. By default, its session's ID is the file name. */
  addFile(file: string, facts: SessionFacts = {}): Promise<void> {
    const id = path.basename(file).replace(/\.jsonl?$/, '');
    return this.attempt(file, async () => {
      const stats = await ifExists(stat(file));
      if (!stats || this.#paths.has(file)) return;
      this.#paths.add(file);
      const modifiedAt = Math.round(stats.mtimeMs);
      this.#files.push({ tool: this.#tool, path: file, bytes: stats.size, modifiedAt, facts: { id, ...facts } });
    });
  }

  /** Runs a search for each database with this name in a folder. */
  async searchDatabases(folder: string, name: string, search: (file: string) => Promise<void>): Promise<void> {
    for (const file of await this.findFiles(folder, (one) => one === name))
      await this.attempt(file, () => search(file));
  }

  /** Adds a session of a database, with the size of its messages. */
  addFromDatabase(
    file: string,
    facts: SessionFacts & { readonly id: string },
    size: { readonly bytes: unknown; readonly modifiedAt: number | undefined },
    key = facts.id,
  ): void {
    const { bytes, modifiedAt = 0 } = size;
    this.#files.push({ tool: this.#tool, path: file, key, bytes: Number(bytes ?? 0), modifiedAt, facts });
  }
}

export function hasErrorCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** The result of reading a file or folder; undefined if it doesn't exist. */
export async function ifExists<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** The bytes of a file from `from` to `to` (exclusive), fewer at its end. */
export async function readSlice(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A document is read as one string, whose length is limited. */
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
  if (value === undefined) throw damagedFile();
  return value;
}

/** Reads a small file with facts about a session, such as its title. Returns '' if it can't be read. */
export async function readOptionalText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isFileSystemError(error)) return '';
    throw error;
  }
}

/** Like `readOptionalText`, for a JSON object; empty if it isn't one. */
export const readOptionalFields = async (file: string): Promise<JsonObject> =>
  fieldsOf(tryParse(await readOptionalText(file)));

/** A value's fields; empty if it isn't an object. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const damagedFile = (): TranscriptError =>
  new TranscriptError(phrase('The file is damaged or still being written.'));

export function unknownFormat(tool: string): TranscriptError {
  return new TranscriptError(phrase('The file isn’t in a known {0} format.', tool));
}
