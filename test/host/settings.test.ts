import assert from 'node:assert/strict';
import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import {
  checkSettings,
  eventRules,
  hasOtherSettingChanged,
  moveRenamedSettings,
  readSettings,
  settingsQuery,
  validSettings,
} from '../../src/host/platform/settings.ts';
import { answering, collectIn, product } from './product.ts';

describe('settings', () => {
  const file = path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '', '.vscode/settings.json');
  let original: string;

  before(async () => {
    original = await readFile(file, 'utf8');
  });

  after(() => writeFile(file, original));

  /** Writes the workspace's settings and waits for the last change event. */
  async function write(settings: Readonly<Record<string, unknown>>): Promise<vscode.ConfigurationChangeEvent> {
    const last = Object.keys(settings).at(-1) ?? '';
    const told = new Promise<vscode.ConfigurationChangeEvent>((resolve) => {
      const listening = vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(last)) return;
        listening.dispose();
        resolve(event);
      });
    });
    // Atomically, because VS Code could read a partially written file and send two events.
    await writeFile(`${file}.new`, JSON.stringify({ ...JSON.parse(original), ...settings }));
    await rename(`${file}.new`, file);
    return told;
  }

  it('are all applied, even when they change together with the chat location', async () => {
    const place = 'threadkeeper.chat.location';
    const window = 'threadkeeper.chat.contextWindow';
    const alone = await write({ [place]: 'sidebar' });
    assert.ok(alone.affectsConfiguration(place));
    assert.equal(hasOtherSettingChanged('chat.location', alone), false);
    const together = await write({ [place]: 'editor', [window]: 20_000 });
    assert.ok(together.affectsConfiguration(place));
    assert.equal(hasOtherSettingChanged('chat.location', together), true);
    assert.equal(readSettings().chat.contextWindow, 20_000);
    const other = await write({ [place]: 'editor', [window]: 30_000 });
    assert.equal(hasOtherSettingChanged('chat.location', other), true);
    const foreign = await write({ [place]: 'editor', [window]: 30_000, 'editor.tabSize': 7 });
    assert.equal(hasOtherSettingChanged('chat.location', foreign), false);
  });

  it('are rejected with their name and limit when a value is invalid', async () => {
    for (const [name, value, problem] of [
      ['chat.temperature', 2.1, 'at most 2'],
      ['chat.temperature', -0.1, 'at least 0'],
      ['summarizer.temperature', 3, 'at most 2'],
      ['compression.backgroundThreshold', 1.2, 'at most 1'],
      ['compression.recentMessages', 2.5, 'an integer'],
    ] as const) {
      await write({ [`threadkeeper.${name}`]: value });
      assert.throws(validSettings, (error: Error) => error.message.includes(name) && error.message.includes(problem));
    }
    await write({ 'threadkeeper.chat.temperature': 1.5 });
    assert.equal(readSettings().chat.temperature, 1.5);
  });

  it('open at the invalid setting, even if VS Code lists it only when searched by name', async () => {
    for (const [name, value, query] of [
      ['compression.recentMessages', 2.5, '@id:threadkeeper.compression.recentMessages'],
      ['models.overrides', { mine: { contextWindow: 'large' } }, '@id:threadkeeper.models.overrides'],
      ['compression.backgroundThreshold', 0.99, '@tag:advanced threadkeeper.compression'],
      ['chat.temperature', 1.5, '@ext:threadkeeper.threadkeeper'],
    ] as const) {
      await write({ [`threadkeeper.${name}`]: value });
      assert.equal(await settingsQuery(), query);
    }
  });

  it('include all valid rules for key events, while an invalid one is reported', async () => {
    const phrase = { kind: 'decision', phrase: 'booking' };
    await write({ 'threadkeeper.keyEvents.rules': [{ kind: 'decision', pattern: '(?=x)y' }, phrase] });
    const names = (await eventRules(readSettings())).map(({ name }) => name);
    assert.deepEqual(names, ['rule “booking”']);
    await assert.rejects(checkSettings(), /Invalid rule 1/);
  });

  it('name an invalid rule once when it’s saved, although a session could be compressed without it', async () => {
    await write({ 'threadkeeper.keyEvents.rules': [] });
    const shown: string[] = [];
    await answering({ showWarningMessage: collectIn(shown) }, async () => {
      const rules = [{ kind: 'decision', pattern: '(?=y)x' }];
      await write({ 'threadkeeper.keyEvents.rules': rules });
      for (const end = Date.now() + 60_000; shown.length === 0 && Date.now() < end;)
        await new Promise((resolve) => setTimeout(resolve, 20));
      await write({ 'threadkeeper.keyEvents.rules': rules, 'threadkeeper.memory.maxTokens': 900 });
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(shown.length, 1);
      assert.match(shown[0] ?? '', /^Invalid rule 1 in threadkeeper\.keyEvents\.rules/);
    });
  });

  it('leave the restored chat tab usable when a value is invalid', async () => {
    const { panel } = await product();
    await write({ 'threadkeeper.memory.maxTokens': 'many' });
    const tab = vscode.window.createWebviewPanel('threadkeeper.chat', 'Chat', vscode.ViewColumn.Active);
    await panel.deserializeWebviewPanel(tab);
    assert.match(tab.webview.html, /<script/);
    await write({ 'threadkeeper.memory.maxTokens': 800 });
    tab.dispose();
  });

  it('leave the session list up to date when a value is invalid', async () => {
    const { sessions } = await product();
    const { journal } = await sessions.create();
    await write({ 'threadkeeper.memory.maxTokens': 'many' });
    const listed = new Promise<void>((resolve) => {
      const listening = sessions.onDidChange((what) => {
        if (what !== 'list') return;
        listening.dispose();
        resolve();
      });
    });
    await journal.append({ type: 'session_renamed', title: 'Renamed' });
    await listed;
    // An error in the timer that refreshes the views would fail the test here.
    await new Promise((resolve) => setImmediate(resolve));
    await write({ 'threadkeeper.memory.maxTokens': 800 });
  });

  it('move user values to their new names, unless the new name already has a value', async () => {
    const configuration = vscode.workspace.getConfiguration('threadkeeper');
    const set = (name: string, value: unknown): Thenable<void> =>
      configuration.update(name, value, vscode.ConfigurationTarget.Global);
    const valueOf = (name: string): unknown =>
      vscode.workspace.getConfiguration('threadkeeper').inspect(name)?.globalValue;
    // Known settings stand in for old ones, because VS Code refuses to set unknown names.
    const moved = ['compression.recentMessages', 'compression.keyEventBudget', 'recall.budget', 'memory.maxTokens'];
    const [from = '', to = '', other = '', kept = ''] = moved;
    await set(from, 7);
    await set(other, 0.2);
    await set(kept, 900);
    await moveRenamedSettings([
      [from, to],
      [other, kept],
    ]);
    assert.deepEqual(moved.map(valueOf), [undefined, 7, undefined, 900]);
    for (const name of moved) await set(name, undefined);
  });
});
