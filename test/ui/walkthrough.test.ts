import assert from 'node:assert/strict';
import { ATTEMPT_TIMEOUT_MS, Workbench } from './workbench.ts';

describe('first minutes with the walkthrough', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ profile: 'walkthrough' });
  });

  async function openWalkthrough(): Promise<void> {
    await workbench.ask('Welcome: Open Walkthrough...', () =>
      workbench.paletteRow('Get Started with Threadkeeper').click(),
    );
  }

  /** Returns to the walkthrough, opens a step, and presses a button in it. */
  async function follow(step: string, name: string): Promise<void> {
    await openWalkthrough();
    const walkthrough = workbench.page.locator('.gettingStartedContainer');
    const button = walkthrough.getByRole('button', { name, exact: true });
    const title = walkthrough.locator('.getting-started-step', { hasText: step });
    // A click would close an open step, and a step may open while the walkthrough is rendered.
    await workbench.retry(async () => {
      await title.waitFor();
      if (!(await button.isVisible())) await title.click({ timeout: ATTEMPT_TIMEOUT_MS });
      await button.click({ timeout: ATTEMPT_TIMEOUT_MS });
    });
  }

  it('the first step opens the model selection', async () => {
    await openWalkthrough();
    await workbench.page.getByRole('button', { name: 'Select Model…' }).waitFor();
    await workbench.screenshot('walkthrough');
    await follow('Select a model, or continue without one', 'Select Model…');
    await workbench.page.getByText('Select Model for This Session').waitFor();
  });

  it('further steps open the sample session, the gauge’s actions, a compression and the Context view', async () => {
    await follow('Open a chat', 'Open Sample Session');
    await workbench.webview().getByRole('article').first().waitFor();
    await follow('Watch the context usage', 'Show Actions');
    await workbench.paletteRow('Compress History').waitFor();
    await follow('Compress the history and undo it', 'Compress History');
    await workbench.confirmCompression();
    await workbench.waitForNotice(/Compressed \d+ messages/);
    // The sample session's replies are from a model, so the chat doesn't offer to select one.
    assert.equal(await workbench.webview().locator('.model-setup').count(), 0);
    await follow('See what is sent', 'Show Context');
    await workbench.treeRow(/^Summaries\s*\d/).waitFor();
  });

  it('the log shows the completed compression', async () => {
    await workbench.runCommand('Threadkeeper: Show Log');
    await workbench.page.locator('.panel .view-lines', { hasText: 'history_compression_complete' }).waitFor();
  });
});
