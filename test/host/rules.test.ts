import assert from 'node:assert/strict';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { ProjectRules } from '../../src/host/rules/project-rules.ts';
import { memento } from '../support/fake-editor.ts';
import { folderForAllTests } from '../support/per-test.ts';
import { answering, restricted, withSettings } from './product.ts';

describe('project instructions as context', () => {
  const folder = vscode.workspace.workspaceFolders![0]!.uri.fsPath;
  let outside: string;
  folderForAllTests((made) => (outside = made));

  before(async () => {
    await writeFile(path.join(outside, 'copilot-instructions.md'), 'From outside.');
    await mkdir(path.join(folder, '.github'), { recursive: true });
    await writeFile(path.join(folder, 'AGENTS.md'), 'Use tabs.\n');
    await symlink('AGENTS.md', path.join(folder, 'CLAUDE.md'));
    await symlink(path.join(outside, 'copilot-instructions.md'), path.join(folder, '.github/copilot-instructions.md'));
  });

  after(async () => {
    for (const name of ['AGENTS.md', 'CLAUDE.md', '.github']) await rm(path.join(folder, name), { recursive: true });
  });

  it('are sent only with the user’s consent, which is asked for once per workspace', async () => {
    const kept = memento();
    const asked: string[] = [];
    const ask = async (answer: number): Promise<ProjectRules> => {
      const rules = new ProjectRules(kept, () => undefined);
      await rules.load();
      const showInformationMessage = (text: string, ...buttons: string[]): Promise<string | undefined> => {
        asked.push(text);
        return Promise.resolve(buttons[answer]);
      };
      await answering({ showInformationMessage }, () => rules.ask());
      return rules;
    };
    assert.equal((await ask(2)).text, '', 'not without an answer');
    const agreed = await ask(0);
    assert.match(agreed.text, /^<project_rules-\w+>[^]*\[AGENTS\.md\]\nUse tabs\.\n<\/project_rules-/);
    assert.doesNotMatch(agreed.text, /CLAUDE\.md|From outside/, 'once, and no link out of the workspace');
    await ask(0);
    assert.deepEqual(
      asked,
      Array<string>(2).fill('This workspace has project instructions: AGENTS.md. Send them with each request?'),
    );
    await withSettings({ 'chat.projectRules': 'never' }, async () => assert.equal((await ask(0)).text, ''));
    await withSettings({ 'chat.projectRules': 'always' }, async () => {
      const rules = new ProjectRules(memento(), () => undefined);
      await rules.load();
      assert.match(rules.text, /Use tabs/);
      await restricted(() => Promise.resolve(assert.equal(rules.text, '', 'never in Restricted Mode')));
    });
  });
});
