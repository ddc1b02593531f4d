import assert from 'node:assert/strict';
import { ChatPage } from './chat-page.ts';

describe('the place of the chat', () => {
  let chat: ChatPage;

  before(async () => {
    chat = await ChatPage.open('place');
    await chat.send('The first of two sessions.', 'No model is configured');
    await chat.newSession();
    await chat.send('The second of two sessions.', 'No model is configured');
  });

  after(() => chat.workbench.close());

  const tab = () => chat.workbench.page.locator('.tab', { hasText: 'Threadkeeper:' });
  const pane = () => chat.workbench.page.locator('.sidebar .pane-header', { hasText: 'Chat' });

  it('is beside the file that is open', async () => {
    await chat.workbench.runCommand('View: Close Editor');
    await chat.workbench.runCommand('File: New Untitled Text File');
    await chat.show();
    await chat.message('The second of two sessions.').waitFor();
    assert.equal(await chat.workbench.page.locator('.editor-group-container').count(), 2);
  });

  it('is moved into the sidebar with what was being written, and is used by keyboard there', async () => {
    await chat.composer().fill('half a thought');
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Sidebar');
    await pane().waitFor();
    await tab().waitFor({ state: 'detached' });
    await chat.message('The second of two sessions.').waitFor();
    assert.equal(await chat.composer().inputValue(), 'half a thought');
    await chat.composer().focus();
    await chat.workbench.page.keyboard.press('Alt+PageDown');
    await chat.message('The first of two sessions.').waitFor();
    await chat.workbench.page.keyboard.press('Alt+PageUp');
    await chat.message('The second of two sessions.').waitFor();
    await chat.composer().fill('');
    await chat.send('Written in the sidebar.', 'No model is configured');
    await chat.workbench.screenshot('sidebar');
  });

  it('is there again after a reload, and goes back into the editor area', async () => {
    await chat.composer().fill('the rest of it');
    await chat.message('Written in the sidebar.').waitFor();
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Editor Area');
    await tab().waitFor();
    await pane().waitFor({ state: 'detached' });
    await chat.message('Written in the sidebar.').waitFor();
    assert.equal(await chat.composer().inputValue(), 'the rest of it');
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Sidebar');
    await pane().waitFor();
    await chat.workbench.reload();
    await chat.show();
    await pane().waitFor();
    assert.equal(await chat.composer().inputValue(), 'the rest of it');
    await chat.composer().fill('');
    await chat.workbench.runCommand('Threadkeeper: Move Chat into Editor Area');
    await tab().waitFor();
  });
});
