import assert from 'node:assert/strict';
import { Workbench } from './workbench.ts';

describe('the workbench', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open();
  });

  after(() => workbench.close());

  it('offers the chat in the command palette', async () => {
    await workbench.findCommand('Threadkeeper: Open Chat');
    await workbench.page.keyboard.press('Escape');
    await workbench.quickInput().waitFor({ state: 'hidden' });
  });

  it('opens the chat in an editor tab', async () => {
    await workbench.runCommand('Threadkeeper: Open Chat');
    await workbench.webview().locator('body').waitFor();
    await workbench.screenshot('chat-opened');
    assert.equal(await workbench.page.locator('.tab', { hasText: 'Threadkeeper' }).count(), 1);
  });
});
