import { statSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { libraryEntryOf, readSession, type LibraryEntry, type ReadSession } from '../app/library/read-session.ts';
import { readFailureReason, type Source, type SourceFile, type UnreadablePath } from '../app/library/source.ts';
import { inEnglish } from '../core/text/phrase.ts';
import type { Home } from '../sources/home-folders.ts';
import { requiredOption, UsageError, type OptionValues } from './command.ts';

export interface Chat {
  readonly entry: LibraryEntry;
  readonly session: ReadSession;
  readonly source: Source;
  readonly file: SourceFile;
}

/** A file, database, or folder that can't be read, in output. */
export const refusedOutput = ({ path, tool, reason }: UnreadablePath) => ({ path, tool, reason: inEnglish(reason) });

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

/** Reads all sessions, one at a time. Adds those that can't be read to `refused`. */
export async function* readChats(sources: readonly Source[], refused: UnreadablePath[]): AsyncGenerator<Chat> {
  for (const source of sources) {
    const { files, unreadable } = await source.find();
    refused.push(...unreadable);
    for (const file of files) {
      try {
        const session = await readSession(source, file);
        yield { entry: libraryEntryOf(file, session), session, source, file };
      } catch (error) {
        refused.push({ path: file.path, tool: file.tool, reason: readFailureReason(error) });
      }
    }
  }
}
