import assert from 'node:assert/strict';
import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import * as vscode from 'vscode';
import { NEVER_YIELDS } from '../../src/core/pace/yielder.ts';
import { applyEdits } from '../../src/host/edits/apply-edits.ts';
import { EditReviews } from '../../src/host/edits/edit-reviews.ts';
import { candidateUris } from '../../src/host/platform/workspace-files.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { answering, collectIn, product, rejection, replacing, run } from './product.ts';

const BEFORE = `export function first(): number {
  return 1;
}

export function second(): number {
  return 2;
}

export function third(): number {
  return 3;
}
`;

const fenced = (info: string, code: string): string => `\`\`\`${info}\n${code}\n\`\`\`\n`;

/** The same change in two formats that models use: `2` becomes `two()`, `3` becomes `three()`. */
const AFTER = BEFORE.replace('return 2', 'return two()').replace('return 3', 'return three()');
const SHAPES = {
  'a unified diff': fenced(
    'diff',
    '--- a/apply/a.ts\n+++ b/apply/a.ts\n@@ -5,3 +5,3 @@\n export function second(): number {\n-  return 2;\n+  return two();\n }\n@@ -9,3 +9,3 @@\n export function third(): number {\n-  return 3;\n+  return three();\n }',
  ),
  'SEARCH/REPLACE': `apply/a.ts\n${fenced('ts', '<<<<<<< SEARCH\n  return 2;\n=======\n  return two();\n>>>>>>> REPLACE\n<<<<<<< SEARCH\n  return 3;\n=======\n  return three();\n>>>>>>> REPLACE')}`,
} as const;

describe('edits suggested in a reply', () => {
  const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  const file = path.join(folder, 'apply/a.ts');
  const uri = vscode.Uri.file(file);
  let outside: string;
  folderForAllTests((made) => (outside = made));
  const onDisk = (): Promise<string> => readFile(file, 'utf8');

  beforeEach(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await mkdir(path.dirname(file), { recursive: true });
    const edit = new vscode.WorkspaceEdit();
    edit.createFile(uri, { overwrite: true, contents: Buffer.from(BEFORE) });
    assert.ok(await vscode.workspace.applyEdit(edit));
    assert.equal(await onDisk(), BEFORE);
  });

  after(async () => {
    await vscode.commands.executeCommand('workbench.action.closeAllEditors');
    await rm(path.dirname(file), { recursive: true, force: true });
  });

  const apply = async (reply: string, code?: string): Promise<void> =>
    applyEdits((await product()).reviews, reply, code);

  /** The active diff editor: its two sides, and the text on the right. */
  function comparison(): vscode.TabInputTextDiff {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    assert.ok(input instanceof vscode.TabInputTextDiff, 'a comparison is in front');
    return input;
  }
  const proposed = async (): Promise<string> =>
    (await vscode.workspace.openTextDocument(comparison().modified)).getText();

  for (const [shape, reply] of Object.entries(SHAPES)) {
    it(`are shown as a diff, and written only once accepted: ${shape}`, async () => {
      await apply(reply);
      assert.equal(comparison().original.toString(), uri.toString());
      assert.equal(await proposed(), AFTER);
      assert.equal(await onDisk(), BEFORE, 'nothing is written yet');
      await run('acceptAllChanges');
      assert.equal(await onDisk(), AFTER);
      const editor = vscode.window.activeTextEditor;
      assert.equal(editor?.document.uri.toString(), uri.toString(), 'the file is in front');
      await vscode.commands.executeCommand('undo');
      assert.equal(editor.document.getText(), BEFORE, 'one undo takes it back');
      await vscode.commands.executeCommand('workbench.action.files.revert');
    });
  }

  it('can still be accepted after their diff editor was moved to another group', async () => {
    await vscode.window.showTextDocument(uri);
    await apply(SHAPES['SEARCH/REPLACE']);
    await vscode.commands.executeCommand('workbench.action.moveEditorToNextGroup');
    assert.equal(vscode.window.tabGroups.activeTabGroup.viewColumn, vscode.ViewColumn.Two);
    assert.equal(await proposed(), AFTER);
    const showErrorMessage = (text: string): never => assert.fail(text);
    await answering({ showErrorMessage }, () => run('acceptAllChanges'));
    assert.equal(await onDisk(), AFTER);
  });

  it('leave no empty diff editor open after a window reload', async () => {
    const right = uri.with({ scheme: 'threadkeeper-suggestion', query: 'left' });
    await vscode.commands.executeCommand('vscode.diff', uri, right);
    assert.equal(await proposed(), '');
    const reviews = new EditReviews(NEVER_YIELDS);
    for (let times = 0; times < 50 && vscode.window.tabGroups.activeTabGroup.activeTab; times++) await pass(100);
    reviews.dispose();
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab, undefined);
  });

  it('are located again when the file changes meanwhile, or skipped with a warning', async () => {
    await apply(SHAPES['a unified diff']);
    const edit = new vscode.WorkspaceEdit();
    edit.insert(uri, new vscode.Position(0, 0), '// A comment.\n');
    edit.delete(uri, new vscode.Range(8, 0, 11, 0));
    const warnings: string[] = [];
    await answering({ showWarningMessage: collectIn(warnings) }, async () => {
      assert.ok(await vscode.workspace.applyEdit(edit));
      await run('acceptAllChanges');
    });
    const document = await vscode.workspace.openTextDocument(uri);
    assert.equal(
      document.getText(),
      `// A comment.\n${BEFORE.replace('return 2', 'return two()').split('export function third')[0]}`,
    );
    assert.ok(document.isDirty, 'unsaved changes of the user are left to the user to save');
    assert.match(
      warnings.join(),
      /^Skipped changes without a unique match in apply\/a\.ts: 1 of 2\. First skipped change: /,
    );
    await vscode.commands.executeCommand('workbench.action.files.revert');
  });

  it('are rejected when none of them matches the file', async () => {
    const reply = fenced('diff', '--- a/apply/a.ts\n+++ b/apply/a.ts\n@@ -1 +1 @@\n-gone();\n+here();');
    const error = await rejection(apply(reply));
    assert.equal(
      (error as Error).message,
      'Couldn’t find a unique match for the suggestion in apply/a.ts. Nothing was changed.',
    );
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab, undefined);
  });

  it('can span several files, including a new one, with a diff for each', async () => {
    const reply = `${SHAPES['SEARCH/REPLACE']}\n**apply/new/b.ts**\n${fenced('ts', 'export const b = 1;')}`;
    await apply(reply);
    assert.equal(vscode.window.tabGroups.activeTabGroup.tabs.length, 2);
    assert.equal(comparison().original.toString(), uri.toString(), 'the first is in front');
    await run('acceptAllChanges');
    assert.equal(await onDisk(), AFTER);
    await vscode.commands.executeCommand('workbench.action.openEditorAtIndex1');
    assert.equal(await proposed(), 'export const b = 1;\n');
    await assert.rejects(readFile(path.join(folder, 'apply/new/b.ts')), 'not made yet');
    await run('acceptAllChanges');
    assert.equal(await readFile(path.join(folder, 'apply/new/b.ts'), 'utf8'), 'export const b = 1;\n');
  });

  it('offer open files first, wherever they are, then workspace files, when the reply names no file', async () => {
    const other = vscode.Uri.file(path.join(outside, 'other.ts'));
    await writeFile(other.fsPath, BEFORE);
    for (const one of [other, uri]) await vscode.window.showTextDocument(one, { preview: false });
    let offered: readonly { readonly description: string; readonly uri: vscode.Uri }[] = [];
    const showQuickPick = (items: typeof offered): Promise<unknown> => {
      offered = items;
      return Promise.resolve(items[0]);
    };
    await answering({ showQuickPick }, () => apply(`Use this:\n\n${fenced('ts', AFTER.trimEnd())}`, AFTER));
    const uris = offered.slice(0, 2).map((item) => String(item.uri));
    assert.deepEqual(uris, [other, uri].map(String));
    assert.ok(offered.length > 3 && new Set(offered.map(({ description }) => description)).size === offered.length);
    assert.equal(comparison().original.toString(), other.toString());
    assert.equal(await proposed(), AFTER);
  });

  it('report that there is no file to choose when nothing is open and the window has no folder', async () => {
    await replacing(
      vscode.workspace,
      'findFiles',
      () => Promise.resolve([]),
      async () => {
        const showQuickPick = (): never => assert.fail('there is nothing to choose from');
        const error = await answering({ showQuickPick }, () => rejection(apply(fenced('ts', AFTER), AFTER)));
        assert.equal((error as Error).message, 'There is no editor to insert into. Open a file first.');
      },
    );
  });

  it('ask once which file is meant, even if several blocks name it', async () => {
    for (const name of ['one', 'two']) {
      await mkdir(path.join(folder, 'apply', name));
      await writeFile(path.join(folder, 'apply', name, 'same.ts'), BEFORE);
    }
    let asked = 0;
    const showQuickPick = (items: readonly unknown[]): Promise<unknown> => {
      asked++;
      return Promise.resolve(items[0]);
    };
    const block = (from: string, to: string): string =>
      `same.ts\n${fenced('ts', `<<<<<<< SEARCH\n  return ${from};\n=======\n  return ${to};\n>>>>>>> REPLACE`)}`;
    await answering({ showQuickPick }, () => apply(block('2', 'two()') + block('3', 'three()')));
    assert.equal(asked, 1);
    assert.equal(await proposed(), AFTER);
  });

  it('can be applied to a document that was never saved, based on its current text', async () => {
    const untitled = await vscode.workspace.openTextDocument({ content: BEFORE });
    await vscode.window.showTextDocument(untitled);
    const showQuickPick = (items: readonly { readonly uri: vscode.Uri }[]): Promise<unknown> =>
      Promise.resolve(items.find((item) => item.uri.toString() === untitled.uri.toString()));
    const reply = fenced('', '<<<<<<< SEARCH\n  return 2;\n=======\n  return two();\n>>>>>>> REPLACE');
    await answering({ showQuickPick }, () => apply(reply, reply.split('\n').slice(1, -2).join('\n')));
    assert.equal(comparison().original.toString(), untitled.uri.toString());
    await run('acceptAllChanges');
    assert.equal(untitled.getText(), BEFORE.replace('return 2', 'return two()'));
    await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor');
  });

  it('are based on the open document when its file was deleted', async () => {
    await vscode.window.showTextDocument(uri);
    await rm(file);
    await apply(SHAPES['a unified diff']);
    assert.equal(await proposed(), AFTER);
  });

  it('do not create a file where a folder has the same name', async () => {
    await mkdir(path.join(folder, 'apply/c.ts'));
    await rejection(apply(fenced('ts apply/c.ts', AFTER)));
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab, undefined);
  });

  it('never leave the workspace, neither by path nor by symbolic link', async () => {
    await writeFile(path.join(outside, 'a.ts'), BEFORE);
    await symlink(outside, path.join(folder, 'apply/link'));
    for (const named of [
      '../outside.ts',
      '/etc/hosts.ts',
      'apply/link/a.ts',
      'apply/link/new.ts',
      'apply/../../x.ts',
      `${folder}/../../x.ts`,
    ]) {
      const error = await rejection(apply(fenced(`ts ${named}`, AFTER)));
      assert.equal((error as Error).message, `${named} is outside the workspace, so it wasn’t changed.`);
    }
    assert.equal(vscode.window.tabGroups.activeTabGroup.activeTab, undefined);
  });

  it('resolve Windows paths regardless of case', async () => {
    const folders = ['api', 'The Site'].map((name) => ({ name, uri: vscode.Uri.parse(`file:///c%3A/Code/${name}`) }));
    await replacing(vscode.workspace, 'workspaceFolders', folders, () => {
      for (const [named, places] of [
        ['C:\\code\\the site\\src\\a.ts', [['/C:/code/the site/src/a.ts']]],
        [
          '.\\The Site\\a.ts',
          [['/c:/Code/The Site/a.ts'], ['/c:/Code/api/The Site/a.ts', '/c:/Code/The Site/The Site/a.ts']],
        ],
        ['D:/code/api/a.ts', []],
        ['api\\..\\..\\a.ts', []],
      ] as const)
        assert.deepEqual(
          candidateUris(named).map((step) => step.map((uri) => uri.path)),
          places,
        );
      return Promise.resolve();
    });
  });
});
