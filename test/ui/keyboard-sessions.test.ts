import type { Locator } from 'playwright-core';
import { ChatPage } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

describe('sessions by keyboard alone', () => {
  let chat: ChatPage;
  let keys: Keyboard;
  let made = 0;

  before(async function () {
    if (process.env.THREADKEEPER_LONG === undefined) this.skip();
    chat = await ChatPage.open('keyboard-sessions');
    keys = new Keyboard(chat);
    await keys.send('Alpha release', 'No model is configured');
  });

  const title = (): Locator => chat.page.locator('.title-button');
  const search = (): Locator => chat.page.getByRole('searchbox', { name: 'Search sessions' });
  const rows = (): Locator => chat.page.locator('.session');
  const row = (name: string): Locator => rows().filter({ hasText: name });

  async function session(name: string): Promise<string> {
    const unlike = `${name} ${++made}`;
    await keys.toComposer();
    await keys.tabTo(chat.page.locator('.header').getByTitle('New Session', { exact: true }), 'Shift+Tab');
    await keys.press('Enter');
    await chat.page.getByText('What are you working on?').waitFor();
    await keys.send(unlike, 'No model is configured');
    await title().filter({ hasText: unlike }).waitFor();
    return unlike;
  }

  /** Opens the session list if it's closed, and focuses its search field. */
  async function openList(): Promise<void> {
    await keys.toComposer();
    if ((await search().count()) === 0) {
      await keys.tabTo(title(), 'Shift+Tab');
      await keys.press('Enter');
    } else {
      await keys.tabTo(search(), 'Shift+Tab');
    }
    await keys.waitForFocus(search());
    await keys.clear();
  }

  async function act(name: string, action: string): Promise<void> {
    await openList();
    await keys.type(name);
    await rows().nth(1).waitFor({ state: 'detached' });
    await keys.tabTo(row(name).getByRole('button', { name: action, exact: true }));
    await keys.press('Enter');
  }

  it('are created with a button, found by search, and opened with Enter', async () => {
    const name = await session('Beta feedback');
    await session('Gamma ray');
    await openList();
    await keys.type(name);
    await row(name).waitFor();
    await rows().nth(1).waitFor({ state: 'detached' });
    await keys.press('ArrowDown', 'Enter');
    await title().filter({ hasText: name }).waitFor();
    await search().waitFor({ state: 'detached' });
    await keys.waitForFocus(chat.composer());
  });

  it('are listed until Escape closes the list and returns the focus to the title', async () => {
    await openList();
    await keys.press('Escape');
    await search().waitFor({ state: 'detached' });
    await keys.waitForFocus(title());
  });

  it('are renamed, and keep the focus', async () => {
    const name = await session('Delta');
    await act(name, 'Rename');
    const field = chat.page.getByRole('textbox', { name: 'New title' });
    await keys.waitForFocus(field);
    await keys.clear();
    await keys.type(`${name}, renamed`);
    await keys.press('Enter');
    await row(`${name}, renamed`).waitFor();
    await keys.waitForFocus(row(`${name}, renamed`).locator('.session-open'));
    await keys.press('Escape');
  });

  it('are pinned and unpinned, archived and unarchived', async () => {
    const name = await session('Epsilon');
    for (const [action, then] of [
      ['Pin', 'Unpin'],
      ['Unpin', 'Pin'],
      ['Archive', 'Unarchive'],
      ['Unarchive', 'Archive'],
    ] as const) {
      await act(name, action);
      await row(name).getByRole('button', { name: then, exact: true }).waitFor();
    }
  });

  it('are deleted, and restored with Undo', async () => {
    const name = await session('Zeta');
    await session('Eta');
    await act(name, 'Delete');
    await row(name).waitFor({ state: 'detached' });
    await keys.tabTo(chat.toast(/deleted\./).getByRole('button', { name: 'Undo' }));
    await keys.press('Enter');
    await row(name).waitFor();
  });

  it('have a model list, which Escape closes', async () => {
    await keys.toComposer();
    await keys.tabTo(chat.page.locator('.model-button'));
    await keys.press('Enter');
    await chat.workbench.paletteRow('No model').waitFor();
    await keys.press('Escape');
    await chat.workbench.quickInput().waitFor({ state: 'hidden' });
    await keys.toComposer();
    await keys.waitForDraft('');
  });
});
