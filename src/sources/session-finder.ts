import type { Dirent } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import {
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
import { errorCode } from '../core/text/error-details.ts';
import type { SessionFacts, TranscriptSink } from '../core/transcript/transcript-message.ts';
import { ifExists } from './read-files.ts';

/** A folder's entries, if it exists. Symbolic links count as neither files nor folders, as they may lead elsewhere. */
export const folderEntries = async (folder: string): Promise<Dirent[]> =>
  (await ifExists(readdir(folder, { withFileTypes: true }))) ?? [];

/** Like `folderEntries`, but empty without read permission. */
export const readableEntries = (folder: string): Promise<Dirent[]> =>
  folderEntries(folder).catch((error: unknown) => {
    if (['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) return [];
    throw error;
  });

export const hasExtension =
  (...extensions: readonly string[]) =>
  (name: string): boolean =>
    extensions.some((extension) => name.endsWith(extension));

/** `search` finds a tool's sessions; `read` returns where to resume, or undefined for files that are rewritten. */
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

  /** Runs a search. If it fails, `location` is added to the unreadable paths with the reason. */
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

  async searchDatabases(folder: string, name: string, search: (file: string) => Promise<void>): Promise<void> {
    for (const file of await this.findFiles(folder, (one) => one === name))
      await this.attempt(file, () => search(file));
  }

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
