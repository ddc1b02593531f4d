import assert from 'node:assert/strict';
import { ChatPage } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { ATTEMPT_TIMEOUT_MS } from './workbench.ts';

describe('chat in different locations', () => {
  let chat: ChatPage;

  before(async () => {
    chat = await ChatPage.open('chat-location');
    await chat.send('The first of two sessions.', 'No model is configured');
    await chat.newSession();
    await chat.send('The second of two sessions.', 'No model is configured');
  });

  const tab = () => chat.workbench.page.locator('.tab', { hasText: 'Threadkeeper:' });
  const pane = () => chat.workbench.page.locator('.sidebar .composite.title', { hasText: 'Chat' });

  const areTwo = (selector: string): Promise<void> =>
    eventually(async () => assert.equal(await chat.workbench.page.locator(selector).count(), 2));

  it('opens beside an untitled file', async () => {
    await chat.workbench.runCommand('View: Close Editor');
    await chat.workbench.runCommand('File: New Untitled Text File');
    await chat.show();
    await chat.message('The second of two sessions.').waitFor();
    await areTwo('.editor-group-container');
  });

  it('moves into the side bar with its draft, and works by keyboard there', async () => {
    await chat.composer().fill('half a thought');
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Side Bar');
    await pane().waitFor();
    await tab().waitFor({ state: 'detached' });
    await chat.message('The second of two sessions.').waitFor();
    await chat.waitForDraft('half a thought');
    await chat.composer().focus();
    // VS Code needs a moment to notice that the view has the focus, so the key is pressed until it works. The first
    // session is the last in the list, so pressing it too often does nothing.
    await chat.workbench.retry(async () => {
      await chat.workbench.page.keyboard.press('Alt+PageDown');
      await chat.message('The first of two sessions.').waitFor({ timeout: ATTEMPT_TIMEOUT_MS });
    });
    await chat.workbench.page.keyboard.press('Alt+PageUp');
    await chat.message('The second of two sessions.').waitFor();
    await chat.composer().fill('');
    await chat.send('Written in the sidebar.', 'No model is configured');
    await chat.workbench.screenshot('sidebar');
    const room = await chat.page.locator('.transcript').boundingBox();
    assert.ok(room && room.height > 250, `the transcript has ${room?.height} px`);
  });

  it('stays in the side bar after a reload, and moves back into the editor area', async () => {
    await chat.composer().fill('the rest of it');
    await chat.message('Written in the sidebar.').waitFor();
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Editor Area');
    await tab().waitFor();
    await pane().waitFor({ state: 'detached' });
    await chat.message('Written in the sidebar.').waitFor();
    await chat.waitForDraft('the rest of it');
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Side Bar');
    await pane().waitFor();
    await chat.workbench.reload();
    await chat.show();
    await pane().waitFor();
    await chat.waitForDraft('the rest of it');
    await chat.composer().fill('');
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Editor Area');
    await tab().waitFor();
  });

  it('moves into a separate window with its draft, works there, and moves back', async () => {
    await chat.show();
    await chat.composer().fill('on its way');
    const own = await chat.workbench.openedBy(() =>
      chat.workbench.chooseCommand('Threadkeeper: Move Chat into New Window'),
    );
    const there = new ChatPage(own);
    await there.message('The second of two sessions.').waitFor();
    await tab().waitFor({ state: 'detached' });
    await there.waitForDraft('on its way');
    await there.send('Said in a window of its own.', 'No model is configured');
    await there.composer().fill('on its way back');
    await own.screenshot('own-window');
    await own.chooseCommand('View: Restore Editors into Main Window');
    await tab().waitFor();
    await chat.show();
    await chat.message('Said in a window of its own.').first().waitFor();
    await chat.waitForDraft('on its way back');
    await chat.composer().fill('');
  });
});
