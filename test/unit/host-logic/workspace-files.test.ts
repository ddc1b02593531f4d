import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as WorkspaceFilesModule from '../../../src/host/platform/workspace-files.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { folderForAllTests } from '../../support/per-test.ts';

let folder: string;
let git: object | undefined;

const workspace: Record<string, unknown> = { getWorkspaceFolder: () => ({ uri: { fsPath: folder } }) };
const uriOf = (file: string) => ({ path: file, toString: () => `file://${file}` });
const load = hostIn({
  FileType: { File: 1, Directory: 2, SymbolicLink: 64 },
  extensions: { getExtension: () => git },
  Uri: { joinPath: (base: { path: string }, name: string) => uriOf(path.posix.join(base.path, name)) },
  workspace,
});
const { workspaceFilesOnly, candidateUris, relativePath } =
  await load<typeof WorkspaceFilesModule>('platform/workspace-files.ts');

describe('the files of a workspace', () => {
  const inside = (name: string) => ({ scheme: 'file', fsPath: path.join(folder, name) });
  const repository = (name: string) => ({
    rootUri: inside(name),
    checkIgnore: (files: readonly string[]) => Promise.resolve(new Set(files.filter((file) => file.endsWith('.log')))),
  });
  /** The names of those files that are in the workspace and that git doesn't ignore. */
  const filesOf = async (...names: readonly string[]): Promise<string[]> => {
    const files = await workspaceFilesOnly(names.map(inside) as never);
    return files.map(({ fsPath }) => path.basename(fsPath));
  };

  folderForAllTests((made) => (folder = made));
  before(async () => {
    for (const name of ['a.ts', 'a.log']) await writeFile(path.join(folder, name), '');
    await symlink('loop', path.join(folder, 'loop'));
  });

  it('are found next to a repository whose root cannot be resolved', async () => {
    const repositories = [repository('loop'), repository('')];
    git = { isActive: true, exports: { enabled: true, getAPI: () => ({ repositories }) } };
    assert.deepEqual(await filesOf('a.ts', 'a.log'), ['a.ts']);
  });

  it('are found without one whose folder has become a file, as in another branch', async () => {
    await writeFile(path.join(folder, 'shape'), '');
    assert.deepEqual(await filesOf('shape/round.ts', 'a.ts'), ['a.ts']);
  });

  it('are found even if the Git extension fails to start', async () => {
    git = { isActive: false, activate: () => Promise.reject(new Error('The Git extension failed.')) };
    assert.deepEqual(await filesOf('a.ts'), ['a.ts']);
  });
});

describe('a path in a response', () => {
  it('doesn’t lead to a link to a folder', async () => {
    const { workspaceFiles } = await load<typeof WorkspaceFilesModule>('platform/workspace-files.ts');
    const stat = ({ path: file }: { path: string }) => Promise.resolve({ type: file.endsWith('.ts') ? 65 : 66 });
    Object.assign(workspace, { workspaceFolders: [{ name: 'w', uri: uriOf('/w') }], fs: { stat } });
    const found = await Promise.all(['linked.ts', 'linked'].map(workspaceFiles));
    const lengths = found.map(({ length }) => length);
    assert.deepEqual(lengths, [1, 0]);
  });
});

describe('the folders of a workspace', () => {
  /** The paths of files as they are shown, and those to which each shown path refers. */
  function pathsIn(folders: Readonly<Record<string, string>>, files: readonly string[]) {
    const opened = Object.entries(folders).map(([folderPath, name]) => ({ name, uri: uriOf(folderPath) }));
    const folderOf = (file: { path: string }) => opened.find(({ uri }) => file.path.startsWith(`${uri.path}/`));
    const before = { ...workspace };
    Object.assign(workspace, {
      workspaceFolders: opened,
      getWorkspaceFolder: folderOf,
      asRelativePath: (file: { path: string }) =>
        `${folderOf(file)!.name}${file.path.slice(folderOf(file)!.uri.path.length)}`,
    });
    try {
      return files.map((file) => {
        const shown = relativePath(uriOf(file) as never);
        return [shown, candidateUris(shown)[0]?.map((uri) => uri.path)];
      });
    } finally {
      Object.assign(workspace, before);
    }
  }

  it('are told apart by their parents if they have the same name', () => {
    const folders = { '/w/one/app': 'app', '/w/two/app': 'app', '/v/two/app': 'app', '/w/site': 'site' };
    const files = ['/w/one/app/a.ts', '/w/two/app/src/a.ts', '/v/two/app/a.ts', '/w/site/a.ts'];
    assert.deepEqual(pathsIn(folders, files), [
      ['one/app/a.ts', ['/w/one/app/a.ts']],
      ['w/two/app/src/a.ts', ['/w/two/app/src/a.ts']],
      ['v/two/app/a.ts', ['/v/two/app/a.ts']],
      ['site/a.ts', ['/w/site/a.ts']],
    ]);
  });

  it('lead to a file once, even if one folder contains another', () => {
    const folders = { '/w/a': 'a', '/w/a/app': 'app', '/w/b/app': 'app' };
    assert.deepEqual(pathsIn(folders, ['/w/a/app/s.ts']), [['a/app/s.ts', ['/w/a/app/s.ts']]]);
  });

  it('are all looked in if a path begins with a name that they share', () => {
    const folders = ['/w/one/app', '/w/two/app'].map((folderPath) => ({ name: 'app', uri: uriOf(folderPath) }));
    Object.assign(workspace, { workspaceFolders: folders });
    const paths = candidateUris('app/a.ts')[0]?.map((uri) => uri.path);
    assert.deepEqual(paths, ['/w/one/app/a.ts', '/w/two/app/a.ts']);
  });
});
