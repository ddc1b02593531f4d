import { answerRequest, postedCount, postToPage, showMessage, StandalonePages } from './standalone-page.ts';

describe('find on the chat page', () => {
  let pages: StandalonePages;

  before(async () => {
    pages = await StandalonePages.start();
  });

  after(() => pages?.stop());

  it('expands the output of a tool that contains the match', async () => {
    const page = await pages.open();
    const row = await showMessage(page, 'a', '$ npm test\n27 passing', { role: 'tool' });
    await row.getByRole('button', { name: '$ npm test', expanded: false }).waitFor();
    await page.keyboard.press('Control+f');
    const posted = await postedCount(page);
    await page.getByLabel('Find in this session').fill('passing');
    await answerRequest(page, 'find', posted, { value: [0] });
    await row.getByText('27 passing').waitFor();
    // It's expanded only once, so that the user can collapse it.
    await row.getByRole('button', { name: '$ npm test', expanded: true }).click();
    await postToPage(page, { type: 'task', task: null });
    await row.getByText('27 passing').waitFor({ state: 'detached' });
    // What matches outside of it doesn't expand it, even if the match isn't in a single element.
    const other = await postedCount(page);
    await page.getByLabel('Find in this session').fill('npm test');
    await answerRequest(page, 'find', other, { value: [0] });
    await postToPage(page, { type: 'task', task: null });
    await row.getByRole('button', { name: '$ npm test', expanded: false }).waitFor();
    await page.close();
  });
});
