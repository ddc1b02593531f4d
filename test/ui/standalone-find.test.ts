import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { servePages, type StandaloneChat } from './standalone-page.ts';

describe('find on the chat page', () => {
  const open = servePages();
  let chat: StandaloneChat;
  let page: Page;

  beforeEach(async () => {
    chat = await open();
    ({ page } = chat);
  });

  afterEach(() => page.close());

  /** Finds words, which the session's message contains. */
  async function find(words: string): Promise<void> {
    await page.keyboard.press('Control+f');
    await page.getByLabel('Find in this session').fill(words);
    await chat.answer('find', [0]);
  }

  it('expands the output of a tool that contains the match', async () => {
    const row = await chat.show('$ npm test\n27 tools passing', { role: 'tool' });
    await row.getByRole('button', { name: '$ npm test', expanded: false }).waitFor();
    await find('tool');
    await row.getByText('27 tools passing').waitFor();
    // It's expanded only once, so that the user can collapse it.
    await row.getByRole('button', { name: '$ npm test', expanded: true }).click();
    await chat.post({ type: 'task', task: null });
    await row.getByText('27 tools passing').waitFor({ state: 'detached' });
  });

  it('expands no tool call if the text of the message contains the match, even in several elements', async () => {
    const parts = [
      { type: 'text', text: 'I **run** the tests.' },
      { type: 'tool_call', name: 'shell', json: '{"command":"npm test"}' },
    ];
    const row = await chat.show('', { role: 'assistant', parts });
    const call = row.getByRole('button', { name: 'shell', expanded: false });
    await call.waitFor();
    await find('run the tests');
    await page.getByText('1 / 1').waitFor();
    await chat.post({ type: 'task', task: null });
    await call.waitFor();
    assert.equal(await row.getByRole('button', { name: 'shell', expanded: true }).count(), 0);
  });
});
