import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { readSession, type ReadSession } from '../../../src/app/library/read-session.ts';
import type { Source, SourceFile, Tool, UnreadablePath } from '../../../src/app/library/source.ts';
import { allSources } from '../../../src/sources/all-sources.ts';
import { Databases } from '../../../src/sources/sqlite-databases.ts';
import { folderForEachTest } from '../per-test.ts';

type Environment = Readonly<Record<string, string>>;

/**
 * Makes a home folder for each test, and returns functions that read the tools' chats in it. Copies of databases must be
 * removed when they're closed.
 */
export function homeForEachTest(take: (home: string) => void) {
  let home = '';
  let scratch = '';
  let databases: Databases;
  folderForEachTest((made) => take((home = made)));
  folderForEachTest((made) => (databases = new Databases((scratch = made))));
  const closeDatabases = (): Promise<void> => databases.close();
  afterEach(async () => {
    await closeDatabases();
    assert.deepEqual(readdirSync(scratch), [], 'copies of databases are removed');
  });

  /** The sources of all tools, or of one, which is faster. */
  const sources = (tool?: Tool, env: Environment = {}): readonly Source[] =>
    allSources({ folder: home, env }, databases).filter((one) => tool === undefined || one.tool === tool);
  const findAny = async (tool?: Tool, env?: Environment) => {
    const files: [Source, SourceFile][] = [];
    const unreadable: UnreadablePath[] = [];
    for (const source of sources(tool, env)) {
      const found = await source.find();
      files.push(...found.files.map((file): [Source, SourceFile] => [source, file]));
      unreadable.push(...found.unreadable);
    }
    return { files, unreadable };
  };
  /** The files of all tools, or of one, all of which must be readable. */
  const find = async (tool?: Tool, env?: Environment): Promise<[Source, SourceFile][]> => {
    const { files, unreadable } = await findAny(tool, env);
    assert.deepEqual(unreadable, []);
    return files;
  };
  const readAll = async (tool?: Tool, env?: Environment): Promise<ReadSession[]> =>
    Promise.all((await find(tool, env)).map((one) => readSession(...one)));
  const readOnly = async (tool?: Tool, env?: Environment): Promise<ReadSession> => {
    const [only, ...others] = await readAll(tool, env);
    assert.ok(only && others.length === 0, `${others.length + 1} sessions`);
    return only;
  };
  return { closeDatabases, sources, findAny, find, readAll, readOnly };
}
