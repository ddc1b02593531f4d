import type { Locator } from 'playwright-core';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

const PLAN = 'The plan:\n\n- [ ] Write the parser\n- [ ] Test it';

describe('composer by keyboard alone', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = (await startModelServer()).answer('Understood.');
    chat = await ChatPage.open('keyboard-writing', chatServerSettings(server));
    keys = new Keyboard(chat);
  });

  const steps = (): Locator => chat.page.locator('.task').getByRole('checkbox');

  it('chooses a command from the slash suggestions, and closes the suggestions with Escape', async () => {
    await keys.toComposer();
    await keys.type('/re');
    await chat.options('/reset').waitFor();
    await keys.press('ArrowDown');
    await chat.options().and(chat.page.locator('[aria-selected="true"]')).filter({ hasText: '/recall' }).waitFor();
    await keys.press('Enter');
    await keys.waitForDraft('/recall');
    await keys.toComposer();
    await keys.type('/');
    await chat.options().first().waitFor();
    await keys.press('Escape');
    await chat.options().first().waitFor({ state: 'detached' });
    await keys.waitForFocus(chat.composer());
  });

  it('attaches a file from the # suggestions, and removes it', async () => {
    await keys.toComposer();
    await keys.enterQuery('Look at #config');
    await chat.options().first().filter({ hasText: 'config.ts' }).waitFor();
    await keys.press('Tab');
    await chat.chips('config.ts').waitFor();
    await keys.tabTo(chat.button('Remove config.ts'), 'Shift+Tab');
    await keys.press('Enter');
    await chat.chips().first().waitFor({ state: 'detached' });
    await keys.waitForFocus(chat.composer());
  });

  it('opens the Add Context menu, moves through it with the arrow keys, and closes it', async () => {
    await keys.toComposer();
    await keys.tabTo(chat.button('Add Context'));
    await keys.press('Enter');
    const items = chat.page.getByRole('menuitem');
    await keys.waitForFocus(items.first());
    await keys.press('ArrowDown');
    await keys.waitForFocus(items.nth(1));
    await keys.press('Escape');
    await items.first().waitFor({ state: 'detached' });
    await keys.waitForFocus(chat.button('Add Context'));
  });

  it('completes, skips and adds task steps, and ends the task', async () => {
    await keys.toComposer();
    await keys.type('/task Ship it; Write it; Test it; Tell the others');
    await keys.press('Enter');
    await chat.page.getByText('0 of 3 steps').waitFor();
    await keys.tabTo(steps().filter({ hasText: 'Write it' }), 'Shift+Tab');
    await keys.press('Space');
    await chat.page.getByText('1 of 3 steps').waitFor();
    await keys.tabTo(chat.button('Skip “Tell the others”'));
    await keys.press('Enter');
    await chat.page.locator('.step-skipped').waitFor();
    await chat.page.getByText('1 of 3 steps').waitFor();
    await keys.tabTo(chat.page.getByRole('textbox', { name: 'Add step' }));
    await keys.type('Rest');
    await keys.press('Enter');
    await chat.page.getByText('1 of 4 steps').waitFor();
    await keys.tabTo(chat.button('End Task'), 'Shift+Tab');
    await keys.press('Enter');
    await steps().first().waitFor({ state: 'detached' });
  });

  it('adopts task steps from a reply', async () => {
    server.answer(PLAN);
    await keys.send('Plan it.', 'The plan:');
    await keys.pressButton(chat.message('The plan:').last(), 'Use as Task Steps');
    await chat.page.getByText('0 of 2 steps').waitFor();
    await keys.toComposer();
    await keys.type('/reset');
    await keys.press('Escape', 'Enter');
    await steps().first().waitFor({ state: 'detached' });
  });
});
