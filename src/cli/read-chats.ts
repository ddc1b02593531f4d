import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { libraryEntryOf, readSession, type LibraryEntry, type ReadSession } from '../app/library/read-session.ts';
import { readFailureReason, type Source, type SourceFile } from '../app/library/source.ts';
import { inEnglish } from '../core/text/phrase.ts';
import { allSources } from '../sources/all-sources.ts';
import { Databases } from '../sources/sqlite-databases.ts';
import type { Home } from '../sources/home-folders.ts';
import { requiredOption, UsageError, type OptionValues } from './command.ts';

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

/** The `--home` folder, or else the user's. Throws `UsageError` if `--home` isn't a folder. */
export function homeOf(options: OptionValues, env: Readonly<Record<string, string | undefined>>): Home {
  if (options['home'] === undefined) return { folder: os.homedir(), env };
  const home = requiredOption(options, 'home');
  const folder = path.resolve(home);
  const stats = statSync(folder, { throwIfNoEntry: false });
  if (!stats) throw new UsageError(`The folder ${folder} doesn’t exist. Check --home.`);
  if (!stats.isDirectory()) throw new UsageError(`${folder} isn’t a folder. Check --home.`);
  return { folder, env: {} };
}

/** Calls `use` with the sources of all tools in the home folder, and closes their databases. Throws like `homeOf`. */
export async function withSources<Result>(
  options: OptionValues,
  env: Readonly<Record<string, string | undefined>>,
  use: (sources: readonly Source[]) => Promise<Result>,
): Promise<Result> {
  const home = homeOf(options, env);
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
