import assert from 'node:assert/strict';
import { Workbench } from './workbench.ts';

const EDITED = 'Written by hand: the booking service keeps its slots in SQLite.';

describe('the summaries of a session', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ profile: 'summaries' });
    await workbench.runCommand('Threadkeeper: Open Sample Session');
    await workbench.toast(/Imported \d+ messages/).waitFor();
    await workbench.runCommand('Threadkeeper: Compress History');
    await workbench.toast(/Compressed \d+ messages/).waitFor({ timeout: 60_000 });
    await workbench.clearToasts();
    await workbench.openSidebar('Threadkeeper');
    await workbench.treeRow(/^Summaries/).waitFor();
  });

  after(() => workbench.close());

  /** Runs a command on the first summary. */
  const onFirst = async (title: string): Promise<void> => {
    await workbench.page.keyboard.press('Escape');
    await workbench.runCommand('View: Close All Editors');
    await workbench.findCommand(title);
    await workbench.paletteRow(title).click();
    await workbench.page.locator('.quick-input-list .monaco-list-row').first().click();
  };
  const editor = () => workbench.page.locator('.editor-group-container.active .monaco-editor .view-lines');
  const preview = async (): Promise<void> => {
    await workbench.runCommand('Threadkeeper: Preview What Would Be Sent');
    await workbench.page.locator('.tab.active', { hasText: 'What Would Be Sent' }).waitFor();
  };
  /** Looks for a text in the document in front. */
  const find = async (text: string): Promise<number> => {
    await editor().first().click();
    await workbench.page.keyboard.press('Control+F');
    const widget = workbench.page.locator('.find-widget.visible');
    await widget.locator('textarea').first().fill(text);
    const count = widget.locator('.matchesCount');
    await workbench.page.waitForTimeout(700);
    const shown = await count.innerText();
    await workbench.page.keyboard.press('Escape');
    return Number(/of (\d+)/.exec(shown)?.[1] ?? 0);
  };

  it('are a tree: what is in context with its tokens, the summaries with their facts, key events, compressions', async () => {
    const rows = workbench.page.locator('.sidebar .monaco-list-row');
    await rows.filter({ hasText: 'Now in context' }).first().locator('.monaco-tl-twistie').click();
    await rows.filter({ hasText: 'Newest messages' }).first().waitFor();
    await rows.filter({ hasText: 'Key events' }).first().locator('.monaco-tl-twistie').click();
    await workbench.page
      .locator('.sidebar .monaco-list-row[aria-level="2"]', { hasText: /\d+–\d+ · .* → / })
      .first()
      .waitFor();
    await workbench.screenshot('summaries-view');
    await rows.filter({ hasText: 'Compressions' }).first().waitFor();
  });

  it('are edited in a tab: what is saved is what is sent next, and the change can be undone and redone', async () => {
    await onFirst('Threadkeeper: Edit Summary');
    await editor().first().click();
    await workbench.page.keyboard.press('Control+A');
    await workbench.page.keyboard.insertText(EDITED);
    await workbench.page.keyboard.press('Control+S');
    await workbench.page.locator('.tab.active:not(.dirty)').waitFor();
    await workbench.screenshot('summary-edited');
    await preview();
    assert.ok((await find('Written by hand')) > 0, 'the preview holds the edited text');
    await workbench.screenshot('preview-next');
    await workbench.runCommand('Threadkeeper: Undo Change to Summaries');
    await workbench.page.waitForTimeout(1000);
    assert.equal(await find('Written by hand'), 0);
    await workbench.runCommand('Threadkeeper: Redo Change to Summaries');
    await workbench.page.waitForTimeout(1000);
    assert.ok((await find('Written by hand')) > 0);
  });

  it('survive a reload of the window as they were edited', async () => {
    await workbench.reload();
    await workbench.runCommand('View: Close All Editors');
    await preview();
    assert.ok((await find('Written by hand')) > 0);
    await workbench.runCommand('Threadkeeper: Undo Change to Summaries');
  });

  it('are compared with their source, statement by statement', async () => {
    await onFirst('Threadkeeper: Compare Summary With Source');
    await workbench.toast(/\d+ statements; \d+ are not supported by the source/).waitFor();
    await workbench.screenshot('compare-with-source');
    await workbench.clearToasts();
  });

  it('answer why something was forgotten, and bring it back', async () => {
    await workbench.runCommand('View: Close All Editors');
    await workbench.findCommand('Threadkeeper: Why Did It Forget?');
    await workbench.paletteRow('Threadkeeper: Why Did It Forget?').click();
    await workbench.quickInput().fill('reminder mail SMTP timeout');
    await workbench.page.keyboard.press('Enter');
    const answer = workbench.page.locator('.quick-input-list .monaco-list-row, .notification-toast').first();
    await answer.waitFor();
    await workbench.screenshot('why-forgotten');
    await workbench.page.keyboard.press('Escape');
    await workbench.findCommand('Threadkeeper: Why Did It Forget?');
    await workbench.paletteRow('Threadkeeper: Why Did It Forget?').click();
    await workbench.quickInput().fill('zebra crossing in Timbuktu');
    await workbench.page.keyboard.press('Enter');
    await workbench.toast(/Never said/).waitFor();
    await workbench.clearToasts();
  });

  it('have a history and a chart of the context’s size', async () => {
    await workbench.runCommand('Threadkeeper: Show Compressions');
    await editor().getByText('Because of').first().waitFor();
    await workbench.screenshot('compressions');
    await workbench.runCommand('Threadkeeper: Show Context Over Time');
    const chart = workbench.webview().locator('svg');
    await chart.waitFor();
    assert.ok((await chart.locator('.compression').count()) > 0);
    await workbench.screenshot('context-chart');
  });

  it('are opened by undoing what was compressed since a point, and put back', async () => {
    await onFirst('Threadkeeper: Undo Compressions Since');
    await workbench.toast(/compressions were undone/).waitFor();
    await workbench.treeRow('Opened').waitFor();
    await workbench.runCommand('Threadkeeper: Undo Change to Summaries');
    await workbench.treeRow('Opened').waitFor({ state: 'detached' });
  });
});
