import assert from 'node:assert/strict';
import { answerRequest, postedCount, postToPage, showMessage, StandalonePages } from './standalone-page.ts';

describe('find on the chat page', () => {
  let pages: StandalonePages;

  before(async () => {
    pages = await StandalonePages.start();
  });

  after(() => pages?.stop());

  it('expands the output of a tool that contains the match', async () => {
    const page = await pages.open();
    const row = await showMessage(page, 'a', '$ npm test\n27 tools passing', { role: 'tool' });
    await row.getByRole('button', { name: '$ npm test', expanded: false }).waitFor();
    await page.keyboard.press('Control+f');
    const posted = await postedCount(page);
    await page.getByLabel('Find in this session').fill('tool');
    await answerRequest(page, 'find', posted, { value: [0] });
    await row.getByText('27 tools passing').waitFor();
    // It's expanded only once, so that the user can collapse it.
    await row.getByRole('button', { name: '$ npm test', expanded: true }).click();
    await postToPage(page, { type: 'task', task: null });
    await row.getByText('27 tools passing').waitFor({ state: 'detached' });
    await page.close();
  });

  it('expands no tool call if the text of the message contains the match, even in several elements', async () => {
    const page = await pages.open();
    const parts = [
      { type: 'text', text: 'I **run** the tests.' },
      { type: 'tool_call', name: 'shell', json: '{"command":"npm test"}' },
    ];
    const row = await showMessage(page, 'a', '', { role: 'assistant', parts });
    const call = row.getByRole('button', { name: 'shell', expanded: false });
    await call.waitFor();
    await page.keyboard.press('Control+f');
    const posted = await postedCount(page);
    await page.getByLabel('Find in this session').fill('run the tests');
    await answerRequest(page, 'find', posted, { value: [0] });
    await page.getByText('1 / 1').waitFor();
    await postToPage(page, { type: 'task', task: null });
    await call.waitFor();
    assert.equal(await row.getByRole('button', { name: 'shell', expanded: true }).count(), 0);
    await page.close();
  });
});
