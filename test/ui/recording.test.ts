import path from 'node:path';
import { outFolder } from '../../scripts/support/paths.ts';
import { Recording } from './recording.ts';
import { Workbench } from './workbench.ts';

/** A film needs time to be read, in ms. */
const READING_MS = 1500;

describe('a recording of the first minutes', () => {
  let workbench: Workbench;

  before(async function () {
    if (process.env.THREADKEEPER_RECORD !== '1') {
      console.log('      skipped: a recording is made where THREADKEEPER_RECORD=1 asks for one');
      this.skip();
    }
    workbench = await Workbench.open({ profile: 'recording' });
  });

  after(async () => {
    // Nothing was opened where no recording was asked for.
    if (process.env.THREADKEEPER_RECORD === '1') await workbench.close();
  });

  it('shows a long session that is compressed, asked and read in its tree', async () => {
    const { page } = workbench;
    const pause = (): Promise<void> => page.waitForTimeout(READING_MS);
    await workbench.runCommand('Threadkeeper: Open Sample Session');
    await workbench.told(/Imported \d+ messages/);
    await workbench.webview().getByRole('article').first().waitFor();
    await workbench.clearToasts();
    const recording = new Recording(page);
    recording.start();
    await pause();
    await workbench.compressHistory();
    await workbench.told(/Compressed \d+ messages/, { timeout: 60_000 });
    await pause();
    await workbench.clearToasts();
    const composer = workbench.webview().getByRole('textbox').first();
    await composer.pressSequentially('Which database did we choose?', { delay: 40 });
    await composer.press('Enter');
    await workbench.webview().getByRole('article').getByText('No model is configured').last().waitFor();
    await pause();
    await workbench.openSidebar('Threadkeeper');
    await workbench.treeRow(/^Summaries/).waitFor();
    await pause();
    await page.locator('.sidebar .monaco-list-row[aria-level="2"]').first().click();
    await workbench.newestWebview().locator('.document').waitFor();
    await pause();
    await recording.save(path.join(outFolder, 'recording', 'first-minutes.webp'));
  });
});
