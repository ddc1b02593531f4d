import type { Dirent } from 'node:fs';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import {
  isOfDisk,
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

/** A user's home folder, and the environment that moves stores elsewhere. */
export interface Home {
  readonly folder: string;
  /** Empty for a home other than the user's own. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Editors of VS Code's family, by the name of their folder. */
const EDITORS = ['Code', 'Code - Insiders', 'Code - OSS', 'VSCodium', 'Cursor', 'Windsurf'];

/** Where the server half of a remote window keeps its data. */
const SERVERS = [
  '.vscode-server',
  '.vscode-server-insiders',
  '.vscode-remote',
  '.vscodium-server',
  '.cursor-server',
  '.windsurf-server',
];

/** Folders of applications' data on Linux, macOS and Windows. */
export function dataFolders({ folder, env }: Home): string[] {
  return [
    env['XDG_DATA_HOME'] ?? path.join(folder, '.local/share'),
    path.join(folder, 'Library/Application Support'),
    env['LOCALAPPDATA'] ?? path.join(folder, 'AppData/Local'),
    env['APPDATA'] ?? path.join(folder, 'AppData/Roaming'),
  ];
}

/** The `User` folders of every editor: installed, remote, portable. `names` narrows the installed ones. */
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

/** A tool's own folder in the home, or where a variable says. */
export function toolFolder({ folder, env }: Home, variable: string, name: string): string {
  return env[variable] ?? path.join(folder, name);
}

/** What a folder holds; nothing where there is none. Links are not followed: they may lead out of the store. */
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
      return finder.found;
    },
    read: async (file, sink, from) => (await read(file, sink, from)) ?? { resumed: false },
  };
}

/** Gathers what a tool has; a place that cannot be looked into is refused by name, and the others are looked into. */
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

  /** Looks somewhere; `look` may add files. */
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

  /** The files in a folder whose name matches, and those at most `depth` folders down. */
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

  /** Adds a file, unless it has gone since it was listed. Its session is named as the file is, where nothing else tells. */
  add(file: string, facts: SessionFacts = {}): Promise<void> {
    const id = path.basename(file).replace(/\.jsonl?$/, '');
    return this.in(file, async () => {
      const told = await ifThere(stat(file));
      if (!told) return;
      const [bytes, modifiedAt] = [told.size, Math.round(told.mtimeMs)];
      this.#files.push({ tool: this.#tool, path: file, bytes, modifiedAt, facts: { id, ...facts } });
    });
  }

  /** Looks into the databases of that name in a folder. */
  async stores(folder: string, name: string, look: (store: string) => Promise<void>): Promise<void> {
    for (const store of await this.filesBelow(folder, (one) => one === name)) await this.in(store, () => look(store));
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
}

export function isCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}

/** What is read of a file; undefined when there is no such file. */
export async function ifThere<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Bytes of a file, as far as it has them. */
export async function readSlice(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** A document of this size is read as one text, which has no more room. */
const MAX_DOCUMENT_BYTES = 400_000_000;

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
  if (value === undefined) throw damaged();
  return value;
}

/** A small file beside a session; empty when it can’t be read: it only adds to a title. */
export async function textBeside(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isOfDisk(error)) return '';
    throw error;
  }
}

/** The same of a JSON object; empty when it is none. */
export const fieldsBeside = async (file: string): Promise<JsonObject> => fieldsOf(tryParse(await textBeside(file)));

/** A value’s fields; none where it is no object. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const damaged = (): TranscriptError =>
  new TranscriptError(phrase('The file is damaged or still being written.'));

export function unknownFormat(tool: string): TranscriptError {
  return new TranscriptError(phrase('The file isn’t in a known {0} format.', tool));
}

/** Throws `TranscriptError` where a document is of a version that is not known yet. */
export function checkVersion(version: unknown, known: number): void {
  if (typeof version === 'number' && version > known) throw newerFormat(version, known);
}

export function newerFormat(version: string | number, known: string | number): TranscriptError {
  return new TranscriptError(
    phrase('The file uses format version {0}. Versions newer than {1} aren’t supported.', version, known),
  );
}
