import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { hasChangedBeside, readSettings } from '../../src/host/platform/settings.ts';

describe('settings that change', () => {
  const file = path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', '.vscode/settings.json');
  let original: string;

  before(async () => {
    original = await readFile(file, 'utf8');
  });

  after(() => writeFile(file, original));

  /** Writes the workspace's settings anew, and waits for the one event with which the editor tells of all of it. */
  async function write(settings: Readonly<Record<string, unknown>>): Promise<vscode.ConfigurationChangeEvent> {
    const told = new Promise<vscode.ConfigurationChangeEvent>((resolve) => {
      const listening = vscode.workspace.onDidChangeConfiguration((event) => {
        listening.dispose();
        resolve(event);
      });
    });
    await writeFile(file, JSON.stringify({ ...JSON.parse(original), ...settings }));
    return told;
  }

  it('are all taken up, also those that change together with the place of the chat', async () => {
    const place = 'threadkeeper.chat.place';
    const window = 'threadkeeper.chat.contextWindow';
    const alone = await write({ [place]: 'sidebar' });
    assert.ok(alone.affectsConfiguration(place));
    assert.equal(hasChangedBeside('chat.place', alone), false);
    const together = await write({ [place]: 'editor', [window]: 20_000 });
    assert.ok(together.affectsConfiguration(place));
    assert.equal(hasChangedBeside('chat.place', together), true);
    assert.equal(readSettings().chat.contextWindow, 20_000);
    const other = await write({ [place]: 'editor', [window]: 30_000 });
    assert.equal(hasChangedBeside('chat.place', other), true);
    const foreign = await write({ [place]: 'editor', [window]: 30_000, 'editor.tabSize': 7 });
    assert.equal(hasChangedBeside('chat.place', foreign), false);
  });
});
