import os from 'node:os';
import { entryOf, readSession, type LibraryEntry, type ReadSession } from '../app/library/read-session.ts';
import { refusalOf, type Refused, type Source, type SourceFile } from '../app/library/source.ts';
import { Redactor } from '../core/redact/redact.ts';
import { allSources } from '../sources/all-sources.ts';
import { Databases } from '../sources/databases.ts';
import { textOption, type OptionValues } from './command.ts';

/** A session, with its source for reading it again. */
export interface Chat {
  readonly entry: LibraryEntry;
  readonly session: ReadSession;
  readonly source: Source;
  readonly file: SourceFile;
}

/** Calls `use` with the stores of all tools in the `--home` folder, and closes them afterwards. */
export async function withSources<Result>(
  options: OptionValues,
  env: Readonly<Record<string, string | undefined>>,
  use: (sources: readonly Source[]) => Promise<Result>,
): Promise<Result> {
  const home = textOption(options, 'home');
  const databases = new Databases(os.tmpdir());
  try {
    return await use(allSources({ folder: home ?? os.homedir(), env: home === undefined ? env : {} }, databases));
  } finally {
    await databases.close();
  }
}

/** Reads all sessions, one at a time, and masks secrets in titles. Calls `refuse` for those that can't be read. */
export async function* readChats(sources: readonly Source[], refuse: (refused: Refused) => void): AsyncGenerator<Chat> {
  const mask = (text: string): string => new Redactor().redact(text);
  for (const source of sources) {
    const { files, refused } = await source.find();
    refused.forEach(refuse);
    for (const file of files) {
      try {
        const session = await readSession(source, file);
        yield { entry: entryOf(file, session, undefined, mask), session, source, file };
      } catch (error) {
        refuse({ tool: file.tool, path: file.path, reason: refusalOf(error) });
      }
    }
  }
}
