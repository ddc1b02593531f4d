import assert from 'node:assert/strict';
import { eventually } from './eventually.ts';
import { Workbench } from './workbench.ts';

describe('chat in other languages', () => {
  it('is in German from the command palette to the page', async () => {
    const workbench = await Workbench.open({ profile: 'german', language: 'de' });
    await workbench.runCommand('Threadkeeper: Chat öffnen');
    const page = workbench.webview();
    await page.getByText('Woran arbeiten Sie?').waitFor();
    const composer = page.getByRole('textbox', { name: 'Nachricht' });
    await composer.fill('Die Buchungen bleiben in SQLite.');
    await page.getByRole('button', { name: 'Senden' }).click();
    await page.getByRole('article', { name: 'Sie' }).waitFor();
    assert.equal(await page.locator('html').getAttribute('lang'), 'de');
    assert.equal(await page.locator('html').getAttribute('dir'), 'ltr');
    await workbench.close();
  });

  it('runs from right to left in Arabic, without horizontal overflow', async () => {
    const workbench = await Workbench.open({ profile: 'arabic', language: 'ar' });
    await workbench.runCommand('Threadkeeper: Open Chat');
    const page = workbench.webview();
    const composer = page.getByRole('textbox', { name: 'Message' });
    await composer.fill('مرحبا، استخدم SQLite دائما');
    await composer.press('Enter');
    const sent = page.getByRole('article', { name: 'You' }).locator('p');
    await sent.waitFor();
    const root = page.locator('html');
    assert.equal(await root.getAttribute('dir'), 'rtl');
    await eventually(async () =>
      assert.equal(await root.evaluate((element) => element.scrollWidth - element.clientWidth), 0),
    );
    await workbench.close();
  });
});
