import assert from 'node:assert/strict';
import { ChatPage } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

const gaugeText = (workbench: Workbench): Promise<string> => workbench.statusBarItem('threadkeeper.gauge').innerText();

/** The percentage in the status bar's gauge. */
async function gaugePercent(workbench: Workbench): Promise<number> {
  const text = await gaugeText(workbench);
  const percent = /(\d+) ?%/.exec(text)?.[1];
  assert.ok(percent, `the gauge shows a percentage, not "${text}"`);
  return Number(percent);
}

describe('long session', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ profile: 'session-lifecycle' });
  });

  after(() => workbench.close());

  const answer = () => workbench.webview().getByRole('article').getByText('No model is configured').last();
  const nodes = () => workbench.page.locator('.sidebar .monaco-list-row[aria-level="2"]');

  it('is imported and shown', async () => {
    await workbench.openSampleSession();
    await workbench.screenshot('sample-session');
  });

  it('is compressed by the command, which more than halves the gauge’s percentage', async () => {
    let before = 0;
    await eventually(async () => {
      before = await gaugePercent(workbench);
      assert.ok(before > 0);
    });
    await workbench.compressHistory();
    await workbench.waitForNotice(/Compressed \d+ messages\. Context: [\d.,]+ → [\d.,]+ tokens/);
    await workbench.screenshot('compressed');
    await workbench.clearToasts();
    await eventually(async () => {
      const after = await gaugePercent(workbench);
      assert.ok(after < before / 2, `${after} % is less than half of ${before} %`);
    });
  });

  it('shows its summary tree down to the messages, and opens a summary', async () => {
    await workbench.openSidebar('Threadkeeper');
    await workbench.treeRow(/^Summaries/).waitFor();
    await nodes().first().click();
    await workbench.newestWebview().locator('.document [role="link"]').first().waitFor();
    await nodes().first().locator('.monaco-tl-twistie').click();
    await workbench.page.locator('.sidebar .monaco-list-row[aria-level="3"]').first().waitFor();
    // Wide enough for the rows' descriptions.
    await workbench.widenSidebar(640);
    await workbench.screenshot('summaries-tree');
    await workbench.widenSidebar(300);
    await workbench.runCommand('View: Close Editor');
  });

  it('answers another message after the compression', async () => {
    const chat = new ChatPage(workbench);
    await chat.show();
    const before = await gaugeText(workbench);
    await chat.send('What did we decide about the database?', 'No model is configured');
    // Updated only once the reply has ended.
    await eventually(async () => assert.notEqual(await gaugeText(workbench), before));
    await workbench.screenshot('answered');
  });

  it('is restored after the window is reloaded', async () => {
    const before = await gaugePercent(workbench);
    await workbench.reload();
    await workbench.runCommand('Threadkeeper: Open Chat');
    await answer().waitFor();
    await eventually(async () => assert.equal(await gaugePercent(workbench), before));
    await workbench.openSidebar('Threadkeeper');
    await nodes().first().waitFor();
  });

  it('is restored after the browser is restarted', async () => {
    const before = await gaugePercent(workbench);
    workbench = await workbench.restart();
    await workbench.runCommand('Threadkeeper: Open Chat');
    await answer().waitFor();
    await eventually(async () => assert.equal(await gaugePercent(workbench), before));
  });
});

describe('window without a folder', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ folder: null, profile: 'no-folder' });
  });

  after(() => workbench.close());

  it('opens the bundled sample session, and answers a message', async () => {
    await workbench.openSampleSession();
    const chat = new ChatPage(workbench);
    await chat.show();
    await chat.send('What did we decide about the database?', 'No model is configured');
  });
});
