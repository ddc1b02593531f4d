import assert from 'node:assert/strict';
import { Workbench } from './workbench.ts';

/** Percent in the gauge of the status bar. */
async function gaugePercent(workbench: Workbench): Promise<number> {
  const text = await workbench.statusBarItem('threadkeeper.gauge').innerText();
  const percent = /(\d+) ?%/.exec(text)?.[1];
  assert.ok(percent, `the gauge shows a percentage, not "${text}"`);
  return Number(percent);
}

describe('a long session', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ profile: 'journey' });
  });

  after(() => workbench.close());

  it('is imported and shown', async () => {
    await workbench.runCommand('Threadkeeper: Open Sample Session');
    await workbench.toast(/Imported \d+ messages/).waitFor();
    const page = workbench.webview();
    await page.getByRole('article').first().waitFor();
    await workbench.screenshot('sample-session');
  });

  it('is compressed by the command, and the gauge falls', async () => {
    const before = await gaugePercent(workbench);
    await workbench.runCommand('Threadkeeper: Compress History');
    await workbench.toast(/Compressed \d+ messages: [\d.,]+ → [\d.,]+ tokens/).waitFor({ timeout: 60_000 });
    await workbench.screenshot('compressed');
    const after = await gaugePercent(workbench);
    assert.ok(after < before / 2, `${after} % is less than half of ${before} %`);
  });

  it('shows its tree of summaries down to the messages, and opens one', async () => {
    await workbench.openSidebar('Threadkeeper');
    await workbench.treeRow(/^Summaries/).waitFor();
    const node = workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]').first();
    await node.waitFor();
    await node.click();
    await workbench.page.locator('.editor-group-container .monaco-editor').first().waitFor();
    await workbench.screenshot('summaries-tree');
  });

  it('goes on: a message is answered with quotes from what was said', async () => {
    await workbench.runCommand('Threadkeeper: Open Chat');
    const page = workbench.webview();
    const composer = page.getByRole('textbox');
    await composer.fill('What did we decide about the database?');
    await composer.press('Enter');
    await page.getByRole('article').getByText('No model is configured').waitFor();
    await workbench.screenshot('answered');
  });

  it('is all there after the window is reloaded', async () => {
    const before = await gaugePercent(workbench);
    await workbench.reload();
    const page = workbench.webview();
    await page.getByRole('article').getByText('No model is configured').waitFor({ timeout: 60_000 });
    assert.equal(await gaugePercent(workbench), before);
    await workbench.openSidebar('Threadkeeper');
    await workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().waitFor();
    await workbench.screenshot('reloaded');
  });
});
