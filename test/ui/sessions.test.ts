import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { ChatPage } from './chat-page.ts';
import { eventually } from './eventually.ts';

describe('session list in the chat', () => {
  let chat: ChatPage;

  before(async () => {
    chat = await ChatPage.open('sessions');
    for (const title of ['Alpha release', 'Beta feedback', 'Gamma ray']) {
      if (title !== 'Alpha release') await chat.newSession();
      await chat.send(title, 'No model is configured');
    }
  });

  beforeEach(() => openList());

  const rows = (): Locator => chat.page.locator('.session');
  const titles = (): Promise<string[]> => rows().locator('.session-title').allInnerTexts();
  const search = (): Locator => chat.page.getByRole('searchbox', { name: 'Search sessions' });

  /** Opens the list if it's closed. */
  async function openList(): Promise<void> {
    const title = chat.page.locator('.title-button');
    if ((await title.getAttribute('aria-expanded')) === 'false') await title.click();
    await search().waitFor();
  }

  async function act(title: string, action: string): Promise<void> {
    const row = rows().filter({ hasText: title });
    await row.hover();
    await row.getByRole('button', { name: action, exact: true }).click();
  }

  /** Waits until the list shows these sessions in this order. */
  async function shows(...expected: string[]): Promise<void> {
    await eventually(async () => assert.deepEqual(await titles(), expected));
  }

  it('titles sessions by their first message, newest first, and searches the titles', async () => {
    await shows('Gamma ray', 'Beta feedback', 'Alpha release');
    await search().fill('alp');
    await shows('Alpha release');
    await search().fill('');
  });

  it('keeps a pinned session at the top, also after a reload', async () => {
    await act('Alpha release', 'Pin');
    await rows().first().filter({ hasText: 'Alpha release' }).waitFor();
    await chat.workbench.reload();
    await chat.show();
    await openList();
    await rows().first().filter({ hasText: 'Alpha release' }).waitFor();
    await act('Alpha release', 'Unpin');
    await act('Alpha release', 'Pin');
  });

  it('deletes a session, and restores it', async () => {
    await act('Beta feedback', 'Delete');
    await rows().filter({ hasText: 'Beta feedback' }).waitFor({ state: 'detached' });
    await chat.toast('Session deleted.').getByRole('button', { name: 'Undo' }).click();
    await rows().filter({ hasText: 'Beta feedback' }).waitFor();
  });

  it('is navigated by keyboard, and opens the chosen session', async () => {
    const [first = ''] = await titles();
    await search().press('ArrowDown');
    await chat.workbench.page.keyboard.press('Enter');
    await chat.page.locator('.title-button', { hasText: first.trim() }).waitFor();
    await rows().first().waitFor({ state: 'detached' });
  });

  it('never contains a second empty session', async () => {
    await chat.newSession();
    await chat.newSession();
    await rows().filter({ hasText: 'Gamma ray' }).waitFor();
    await eventually(async () => assert.equal((await titles()).filter((title) => title === 'New session').length, 1));
  });
});
