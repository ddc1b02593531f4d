import assert from 'node:assert/strict';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type * as WorkspaceFilesModule from '../../../src/host/platform/workspace-files.ts';
import { hostIn } from '../../support/fake-editor.ts';
import { folderForAllTests } from '../../support/per-test.ts';

let folder: string;
let git: object | undefined;

const load = hostIn({
  extensions: { getExtension: () => git },
  workspace: { getWorkspaceFolder: () => ({ uri: { fsPath: folder } }) },
});

describe('the files of a workspace', () => {
  const inside = (name: string) => ({ scheme: 'file', fsPath: path.join(folder, name) });
  const repository = (name: string) => ({
    rootUri: inside(name),
    checkIgnore: (files: readonly string[]) => Promise.resolve(new Set(files.filter((file) => file.endsWith('.log')))),
  });
  /** The names of those files that are in the workspace and that git doesn't ignore. */
  const filesOf = async (...names: readonly string[]): Promise<string[]> => {
    const { workspaceFilesOnly } = await load<typeof WorkspaceFilesModule>('platform/workspace-files.ts');
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

  it('are found even if the Git extension fails to start', async () => {
    git = { isActive: false, activate: () => Promise.reject(new Error('The Git extension failed.')) };
    assert.deepEqual(await filesOf('a.ts'), ['a.ts']);
  });
});
