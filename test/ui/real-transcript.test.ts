import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../../scripts/support/paths.ts';
import { freshWorkspace } from './editor.ts';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

const data = path.resolve(root, process.env.THREADKEEPER_DATA ?? '../shared/data');
const FILE = 'aider.chat.history.md';
const transcript = path.join(data, 'raw', FILE);
/** About 2,400,000 tokens are reduced to 8,000, because the rest of this context window is reserved for the reply. */
const CONTEXT_WINDOW = 12_096;

describe('real transcript of 4,806 messages', () => {
  let workbench: Workbench | undefined;
  /** Each test continues where the previous one ended. */
  let failed = false;

  before(async function () {
    if (!existsSync(transcript)) {
      console.log(`      skipped: there is no ${path.basename(transcript)} in THREADKEEPER_DATA`);
      this.skip();
    }
    const folder = await freshWorkspace();
    await mkdir(path.join(folder, '.vscode'), { recursive: true });
    await writeFile(
      path.join(folder, '.vscode/settings.json'),
      JSON.stringify({ 'threadkeeper.chat.contextWindow': CONTEXT_WINDOW }),
    );
    // The dialog opens in the workspace's folder.
    await copyFile(transcript, path.join(folder, FILE));
    workbench = await Workbench.open({ folder, profile: 'real' });
  });
  beforeEach(function () {
    if (failed) this.skip();
  });
  afterEach(function () {
    failed ||= this.currentTest?.state === 'failed';
  });

  const window = (): Workbench => {
    assert.ok(workbench);
    return workbench;
  };
  const gauge = async (): Promise<string> => window().statusBarItem('threadkeeper.gauge').innerText();
  const percent = async (): Promise<number> => Number(/([\d,]+) ?%/.exec(await gauge())?.[1]?.replaceAll(',', ''));

  it('is imported by the command', async () => {
    await window().ask('Threadkeeper: Import Transcript…', () => window().paletteRow(FILE).click());
    // Imports are previewed first.
    await window().paletteRow('Import 4,806 Messages').click();
    await window().waitForNotice(/Imported 4[,.]?806 messages/, { timeout: 100_000 });
    await eventually(async () => assert.ok((await percent()) > 100, await gauge()));
  });

  it('is compressed to 8,000 tokens, which brings the gauge down to 100% or less', async () => {
    await window().compressHistory();
    await window().waitForNotice(/Compressed [\d,.]+ messages/, { timeout: 240_000 });
    await eventually(async () => assert.ok((await percent()) <= 100, await gauge()));
  });

  it('shows its summary tree, answers a message, and is restored after a reload', async () => {
    const nodes = () => window().page.locator('.sidebar .monaco-list-row[aria-level="2"]');
    await window().openSidebar('Threadkeeper');
    await nodes().first().waitFor();
    await window().runCommand('Threadkeeper: Open Chat');
    const composer = window().webview().getByRole('textbox');
    await composer.fill('How is the repository map built?');
    await composer.press('Enter');
    const answer = () => window().webview().getByRole('article').getByText('No model is configured').last();
    await answer().waitFor();
    await window().clearToasts();
    const before = await percent();
    await window().reload();
    await answer().waitFor({ timeout: 120_000 });
    await nodes().first().waitFor();
    await eventually(async () => assert.equal(await percent(), before));
    await window().screenshot('real-transcript');
  });
});
