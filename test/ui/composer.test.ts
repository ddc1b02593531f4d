import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer, SLOW_REPLY } from './chat-page.ts';
import { eventually } from './eventually.ts';

describe('composer', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = (await startModelServer()).answer('Understood.');
    chat = await ChatPage.open('composer', chatServerSettings(server));
  });

  afterEach(() => chat.stopReply());

  const steps = (): Locator => chat.page.locator('.task').getByRole('checkbox');

  it('adopts task steps from a reply, and checks off the steps that a reply reports as done', async () => {
    server.answer('The plan:\n\n- [ ] Write the parser\n- [ ] Test it');
    await chat.send('Plan it.', 'The plan:');
    await chat.runAction(chat.message('The plan:'), 'Use as Task Steps');
    await chat.page.getByText('0 of 2 steps').waitFor();
    server.answer('Half way:\n\n- [x] **Write the parser**\n- [ ] Test it');
    await chat.send('Begin.', 'Half way:');
    await chat.page.getByText('1 of 2 steps').waitFor();
    await steps().and(chat.page.locator('[aria-checked="true"]')).filter({ hasText: 'Write the parser' }).waitFor();
  });

  it('resets a task automatically with the next message when all its steps are done', async () => {
    await steps().filter({ hasText: 'Test it' }).click();
    await chat.page.getByText('2 of 2 steps').waitFor();
    server.answer('On to new things.');
    await chat.send('What is next?', 'On to new things.');
    await steps().first().waitFor({ state: 'detached' });
  });

  it('postpones a reset requested while a reply streams, and says so', async () => {
    await chat.submit('/task Watch the stream; To its end');
    await chat.page.getByText('0 of 1 step').waitFor();
    server.answer(SLOW_REPLY);
    await chat.submit('Go slowly.');
    await chat.message('Drop by drop.').first().waitFor();
    await chat.submit('/reset Then go on.');
    await chat.page.getByText('The task will end when this response finishes.').waitFor();
    await chat.waitForDraft('Then go on.');
    await steps().first().waitFor();
    await chat.button('Stop Response').click();
    await steps().first().waitFor({ state: 'detached' });
    await chat.page.getByText('The task will end').waitFor({ state: 'detached' });
  });

  it('pins a sentence with /pin, and restores the key event after it is dismissed', async () => {
    server.answer('We settled on port 8443 for the gateway.');
    await chat.send('Which port?', 'We settled on port 8443');
    await chat.submit('/pin port 8443 for the gateway');
    await chat.toast('Pinned').waitFor();
    await chat.message('We settled on port 8443').getByRole('button', { name: '1 key event' }).click();
    const event = chat.message('We settled on port 8443').locator('.event');
    await event.getByRole('button', { name: 'Dismiss Key Event' }).click();
    await event.waitFor({ state: 'detached' });
    await chat.toast('Key event dismissed.').getByRole('button', { name: 'Undo' }).click();
    await chat.message('We settled on port 8443').getByRole('button', { name: '1 key event' }).click();
    await event.locator('q').getByText('port 8443 for the gateway').waitFor();
  });

  it('searches with /recall, and asks for the format in a quick pick with /export', async () => {
    await chat.submit('/recall gateway');
    const field = chat.page.getByRole('searchbox', { name: 'Search this session' });
    await eventually(async () => assert.equal(await field.inputValue(), 'gateway'));
    await chat.page.locator('.hit-text', { hasText: '8443' }).first().click();
    await field.waitFor({ state: 'detached' });
    await chat.page.locator('.message:focus', { hasText: '8443' }).waitFor();
    await chat.submit('/export');
    await chat.workbench.paletteRow('Markdown').waitFor();
    await chat.workbench.page.keyboard.press('Escape');
    await chat.workbench.quickInput().waitFor({ state: 'hidden' });
  });

  it('keeps a draft for each session when switching with Alt+PageUp and Alt+PageDown', async () => {
    await chat.composer().fill('not yet sent');
    await chat.newSession();
    await chat.waitForDraft('');
    await chat.workbench.page.keyboard.press('Alt+PageDown');
    await chat.message('Half way:').waitFor();
    await chat.waitForDraft('not yet sent');
    await chat.workbench.page.keyboard.press('Alt+PageUp');
    await chat.page.getByText('What are you working on?').waitFor();
    await chat.workbench.page.keyboard.press('Alt+PageDown');
    await chat.message('Half way:').waitFor();
    await chat.submit('/new');
    await chat.page.getByText('What are you working on?').waitFor();
    await chat.workbench.page.keyboard.press('Alt+PageDown');
    await chat.message('Half way:').waitFor();
    await chat.composer().fill('');
  });

  const showsPolicy = async (name: string): Promise<void> => {
    await chat.page.locator('.gauge').click();
    await chat.page.locator('.gauge-policy', { hasText: name }).waitFor();
    await chat.composer().press('Escape');
    await chat.page.locator('.gauge-panel').waitFor({ state: 'detached' });
  };

  it('changes the session’s compression policy with /policy', async () => {
    await chat.submit('/policy');
    await chat.workbench.paletteRow('frugal').click();
    await showsPolicy('frugal');
  });

  it('keeps model, policy, task and draft separate for each session', async () => {
    const page = chat.page;
    const model = page.locator('.model-button');
    const asked = () => server.lastRequest?.body['model'];
    await chat.submit('/model');
    await chat.workbench.chooseListed(/^Select Model for This Session$/, 'OpenAI-compatible server');
    await chat.workbench.chooseListed(/^Select Model$/, 'gpt-4o');
    await model.filter({ hasNotText: 'test-model' }).waitFor();
    await chat.submit('/task Its own; One step');
    await page.getByText('0 of 1 step').waitFor();
    await chat.composer().fill('its draft');
    await chat.newSession();
    // A chosen model stays selected until the user chooses another.
    await model.filter({ hasText: 'gpt-4o' }).waitFor();
    await chat.submit('/model');
    await chat.workbench.chooseListed(/^Select Model for This Session$/, 'gemini-2.0-flash');
    await model.filter({ hasText: 'gemini-2.0-flash' }).waitFor();
    assert.equal(await steps().count(), 0);
    await chat.waitForDraft('');
    await showsPolicy('balanced');
    server.answer('From the other.');
    await chat.send('Who is it?', 'From the other.');
    assert.equal(asked(), 'gemini-2.0-flash');
    await chat.workbench.page.keyboard.press('Alt+PageDown');
    await page.getByText('0 of 1 step').waitFor();
    await chat.waitForDraft('its draft');
    await showsPolicy('frugal');
    server.answer('From the first.');
    await chat.send('And now?', 'From the first.');
    assert.equal(asked(), 'gpt-4o');
  });

  it('names a new session by the text after /new', async () => {
    await chat.submit('/new Kayak prices');
    await chat.page.getByRole('button', { name: 'Kayak prices' }).waitFor();
    await chat.waitForDraft('');
  });
});
