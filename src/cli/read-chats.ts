import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { libraryEntryOf, readSession, type LibraryEntry, type ReadSession } from '../app/library/read-session.ts';
import { readFailureReason, type Source, type SourceFile } from '../app/library/source.ts';
import { inEnglish } from '../core/text/phrase.ts';
import { allSources } from '../sources/all-sources.ts';
import { Databases } from '../sources/sqlite-databases.ts';
import type { Home } from '../sources/home-folders.ts';
import { textOption, UsageError, type OptionValues } from './command.ts';

export interface Chat {
  readonly entry: LibraryEntry;
  readonly session: ReadSession;
  readonly source: Source;
  readonly file: SourceFile;
}

export interface UnreadableOutput {
  readonly path: string;
  readonly tool: string;
  readonly reason: string;
}

export function homeOf(options: OptionValues, env: Readonly<Record<string, string | undefined>>): Home {
  const home = textOption(options, 'home');
  return home === undefined ? { folder: os.homedir(), env } : { folder: path.resolve(home), env: {} };
}

/**
 * Calls `use` with the sources of all tools in the `--home` folder, and closes their databases afterwards. Throws
 * `UsageError` if it isn't a folder.
 */
export async function withSources<Result>(
  options: OptionValues,
  env: Readonly<Record<string, string | undefined>>,
  use: (sources: readonly Source[]) => Promise<Result>,
): Promise<Result> {
  const home = homeOf(options, env);
  if (textOption(options, 'home') !== undefined) {
    const stats = statSync(home.folder, { throwIfNoEntry: false });
    if (!stats) throw new UsageError(`The folder ${home.folder} doesn’t exist. Check --home.`);
    if (!stats.isDirectory()) throw new UsageError(`${home.folder} isn’t a folder. Check --home.`);
  }
  const databases = new Databases(os.tmpdir());
  try {
    return await use(allSources(home, databases));
  } finally {
    await databases.close();
  }
}

/** Reads all sessions, one at a time. Adds those that can't be read to `refused`. */
export async function* readChats(sources: readonly Source[], refused: UnreadableOutput[]): AsyncGenerator<Chat> {
  for (const source of sources) {
    const found = await source.find();
    for (const { path, tool, reason } of found.unreadable) refused.push({ path, tool, reason: inEnglish(reason) });
    for (const file of found.files) {
      try {
        const session = await readSession(source, file);
        yield { entry: libraryEntryOf(file, session), session, source, file };
      } catch (error) {
        refused.push({ path: file.path, tool: file.tool, reason: inEnglish(readFailureReason(error)) });
      }
    }
  }
}
