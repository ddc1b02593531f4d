import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

describe('first chat without a key or a model', () => {
  let workbench: Workbench;

  before(async () => {
    workbench = await Workbench.open({ profile: 'first-chat' });
  });

  it('is listed in the command palette', async () => {
    await workbench.findCommand('Threadkeeper: Open Chat');
    await workbench.page.keyboard.press('Escape');
    await workbench.quickInput().waitFor({ state: 'hidden' });
  });

  it('opens with the composer ready', async () => {
    await workbench.runCommand('Threadkeeper: Open Chat');
    await workbench.webview().getByRole('textbox', { name: 'Message' }).waitFor();
    await workbench.statusBarItem('threadkeeper.gauge').waitFor();
  });

  it('answers a message', async () => {
    const composer = workbench.webview().getByRole('textbox', { name: 'Message' });
    await composer.fill('We decided to keep the bookings in SQLite.');
    await composer.press('Enter');
    await workbench.webview().getByRole('article').nth(1).waitFor();
  });

  it('is restored after the window is reloaded', async () => {
    await workbench.reload();
    await workbench.runCommand('Threadkeeper: Open Chat');
    const message = workbench.webview().getByRole('article', { name: 'You' });
    await message.filter({ hasText: 'keep the bookings in SQLite' }).waitFor();
    await workbench.webview().getByRole('article').nth(1).waitFor();
  });

  it('stays in one tab when the window is reloaded with another tab in front', async () => {
    const { page } = workbench;
    await workbench.openFile('config.ts');
    const file = workbench.activeTab('config.ts');
    await file.waitFor();
    await workbench.reloadByCommand();
    await file.waitFor();
    assert.equal(await page.locator('.tab', { hasText: 'Threadkeeper' }).count(), 1);
    await workbench.runCommand('Threadkeeper: Open Chat');
    await workbench.webview().getByRole('article', { name: 'You' }).first().waitFor();
    // The restored tab is closed when the new one has been opened.
    await eventually(async () => assert.equal(await page.locator('.tab', { hasText: 'Threadkeeper' }).count(), 1));
  });
});
