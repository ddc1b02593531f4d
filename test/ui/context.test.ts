import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { WireServer } from '../support/wire-server.ts';
import { violations } from './axe.ts';
import { answeredBy, ChatPage, writeSettings } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

describe('what goes with a message, by keyboard alone', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = await WireServer.start();
    chat = await ChatPage.open('context', answeredBy(server));
    keys = new Keyboard(chat);
  });

  after(async () => {
    await chat?.workbench.close();
    await server?.stop();
  });

  const option = (text: string | RegExp): Locator => chat.workbench.webview().getByRole('option', { name: text });
  const chips = (): Locator => chat.workbench.webview().locator('.composer .chip');
  const implicit = (): Locator => chat.workbench.webview().locator('.composer .implicit');

  it('is chosen behind # and @, and sent', async () => {
    await chat.workbench.openFile('config.ts');
    await chat.show();
    await keys.toComposer();
    await implicit().filter({ hasText: 'config.ts' }).waitFor();
    await keys.type('Why? #STORE');
    await option(/sqlite-store\.ts/).waitFor();
    await option(/^store src\/store$/).waitFor();
    for (const [name, theme] of [
      ['light', 'Default Light Modern'],
      ['dark', 'Default Dark Modern'],
    ] as const) {
      await writeSettings(chat.folder, { ...answeredBy(server), 'workbench.colorTheme': theme });
      await chat.workbench.webview().locator(`body.vscode-${name}`).waitFor();
      assert.deepEqual(await violations(chat.workbench), []);
      await chat.workbench.screenshot(`context-${name}`);
    }
    await keys.press('Enter');
    await chips().first().waitFor();
    await keys.type('@current');
    await option(/Current file/).waitFor();
    await keys.press('Enter');
    await chips().nth(1).waitFor();
    await chat.workbench.page.setViewportSize({ width: 760, height: 800 });
    await chat.workbench.screenshot('context-narrow');
    await chat.workbench.page.setViewportSize({ width: 1280, height: 800 });
    server.answer('Because.');
    await keys.press('Enter');
    await chat.message('Because.').waitFor();
    const sent = JSON.stringify(server.lastRequest?.body);
    assert.match(sent, /export interface Config/);
    assert.equal(await chips().count(), 0);
  });

  it('is the active file until it is taken off', async () => {
    await chat.workbench.openFile('pricing.ts');
    await chat.show();
    await keys.toComposer();
    await implicit().filter({ hasText: 'pricing.ts' }).waitFor();
    await keys.tabTo(chat.button('Remove pricing.ts'), 'Shift+Tab');
    await keys.press('Enter');
    await implicit().waitFor({ state: 'detached' });
    server.answer('Nothing else.');
    await keys.send('And now?', 'Nothing else.');
    assert.doesNotMatch(JSON.stringify(server.lastRequest?.body), /pricing\.ts/);
  });
});
