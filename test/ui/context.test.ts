import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Locator } from 'playwright-core';
import type { WireServer } from '../support/wire-server.ts';
import { showTheme, THEMES, violations } from './axe.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

const run = promisify(execFile);

describe('composer with context', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = (await startModelServer()).answer('Understood.');
    const settings = {
      ...chatServerSettings(server),
      'threadkeeper.models.overrides': { 'test-model': { contextWindow: 24_000, maxOutput: 2048 } },
      'testModels.offered': true,
      // Without GPU acceleration, the terminal's rows are DOM elements, whose text can be selected.
      'terminal.integrated.gpuAcceleration': 'off',
    };
    chat = await ChatPage.open('context', settings, async (folder) => {
      await writeFile(path.join(folder, 'broken.json'), '{\n  "port": ,\n  "host": "local"\n}\n');
      await run('git', ['-C', folder, 'init', '-q']);
      await run('git', ['-C', folder, 'add', 'README.md']);
    });
    keys = new Keyboard(chat);
  });

  const implicit = (): Locator => chat.page.locator('.composer .implicit');

  /** Types # or @ and some letters, moves to a suggestion, and accepts it. */
  async function pick(typed: string, wanted: RegExp): Promise<void> {
    await keys.enterQuery(typed);
    await chat.options(wanted).first().waitFor();
    const chosen = chat.page.locator('[role="option"][aria-selected="true"]', { hasText: wanted });
    for (let presses = 0; (await chosen.count()) === 0; presses++) {
      assert.ok(presses < 40, `${wanted.source} is reached by the arrow keys`);
      await keys.press('ArrowDown');
    }
    await keys.press('Enter');
    await chat.options().first().waitFor({ state: 'detached' });
  }

  /** Accepts a suggestion and waits for its chip. */
  async function attach(typed: string, wanted: RegExp, chip: RegExp): Promise<void> {
    await pick(typed, wanted);
    await chat.chips(chip).first().waitFor();
  }

  async function ask(question: string): Promise<string> {
    await keys.type(question);
    await chat.waitForReply('Understood.', () => keys.press('Enter'));
    await chat.chips().first().waitFor({ state: 'detached' });
    return JSON.stringify(server.lastRequest?.body);
  }

  it('suggests files, folders and symbols after # and @, and attaches the chosen one', async () => {
    await keys.toComposer();
    await attach('Look at #SQLITE', /^sqlite-store\.ts/, /sqlite-store\.ts.*tokens/);
    await keys.waitForDraft('Look at');
    await keys.clear();
    await attach('@jobs', /^jobs.*src\/jobs/, /jobs.*tokens/);
    await attach('#readConf', /^readConfig/, /config\.ts:\d+-\d+/);
    const sent = await ask('Why?');
    assert.match(sent, /src\/jobs\/reminders\.ts:/);
    assert.match(sent, /export function readConfig/);
  });

  it('attaches the selection, the current file, all open editors and their problems', async () => {
    const { page } = chat.workbench;
    await chat.workbench.openFile('broken.json');
    await page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await chat.workbench.openFile('config.ts');
    await chat.workbench.editorText().click();
    await keys.press('Control+Home', 'Shift+ArrowDown', 'Shift+ArrowDown');
    await chat.show();
    await keys.toComposer();
    await attach('#sel', /^Selection/, /config\.ts:1-3/);
    await attach('@current', /^Current File/, /config\.ts:1-\d\d/);
    await attach('#open', /^Open Editors/, /broken\.json/);
    await attach('#prob', /^Problems/, /Problems.*tokens/);
    await chat.workbench
      .webview()
      .getByText(/tokens in attachments$/)
      .waitFor();
    const sent = await ask('And these?');
    assert.match(sent, /broken\.json:2: error/);
  });

  it('attaches source control changes, the terminal selection and an earlier session', async () => {
    const { page } = chat.workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chat.newSession();
    await chat.workbench.runCommand('Terminal: Create New Terminal');
    await page
      .locator('.terminal-wrapper.active .xterm-rows')
      .getByText(/[$#%>]/)
      .first()
      .waitFor();
    await page.locator('.terminal-wrapper.active .xterm').click();
    await page.keyboard.type('echo port-$((8000+443))');
    await page.keyboard.press('Enter');
    await page.locator('.terminal-wrapper.active .xterm-rows').getByText('port-8443').first().waitFor();
    await chat.show();
    await keys.toComposer();
    await attach('#chang', /^Changes/, /Changes.*tokens/);
    await pick('@term', /^Terminal Selection/);
    await chat.toast('No text is selected in the terminal.').waitFor();
    await chat.workbench.runCommand('Terminal: Select All');
    await chat.show();
    await keys.toComposer();
    await attach('@term', /^Terminal Selection/, /Terminal.*tokens/);
    await attach('#why', /^Why/, /Why.*tokens/);
    const sent = await ask('Anything new?');
    assert.match(sent, /README\.md/);
    assert.match(sent, /port-8443/);
    assert.match(sent, /user: Why\?/);
    await chat.workbench.runCommand('Terminal: Kill All Terminals');
  });

  it('attaches files dropped from the Explorer and from another program', async () => {
    await chat.show();
    const address = `file://${path.join(chat.folder, 'src/main.ts')}`;
    await chat.composer().evaluate((field, uri) => {
      const drop = (dataTransfer: DataTransfer): unknown =>
        field.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      const fromExplorer = new DataTransfer();
      fromExplorer.setData('application/vnd.code.uri-list', uri);
      drop(fromExplorer);
      const fromElsewhere = new DataTransfer();
      fromElsewhere.items.add(new File(['tide: high'], 'tides.yaml', { type: 'text/yaml' }));
      drop(fromElsewhere);
    }, address);
    await chat.chips(/main\.ts:1-/).waitFor();
    await chat.chips('tides.yaml').waitFor();
    await keys.toComposer();
    const sent = await ask('And these two?');
    assert.match(sent, /tide: high/);
  });

  it('includes the active file until the user removes it', async () => {
    await chat.workbench.openFile('pricing.ts');
    await chat.show();
    // There is no chip if the session already contains the file.
    await chat.newSession();
    await keys.toComposer();
    await implicit().filter({ hasText: 'pricing.ts' }).waitFor();
    await keys.tabTo(chat.button('Remove pricing.ts'), 'Shift+Tab');
    await keys.press('Enter');
    await implicit().waitFor({ state: 'detached' });
    await keys.send('And now?', 'Understood.');
    assert.doesNotMatch(JSON.stringify(server.lastRequest?.body), /pricing\.ts/);
  });

  it('has no accessibility violation in any theme or in a narrow side bar', async () => {
    await keys.toComposer();
    await attach('#SQLITE', /^sqlite-store\.ts/, /sqlite-store\.ts/);
    await keys.enterQuery('Why? #s');
    await chat.options(/^store\.ts/).waitFor();
    for (const theme of THEMES) {
      await showTheme(chat, theme);
      assert.deepEqual(await violations(chat.workbench), []);
      await chat.workbench.screenshot(`context-${theme.name}`);
    }
    // Uses the workspace's settings, because the command would change the user's settings, which all tests share.
    await chat.changeSettings({ 'threadkeeper.chat.location': 'sidebar' });
    await chat.workbench.page.locator('.sidebar .composite.title', { hasText: 'Chat' }).waitFor();
    await chat.chips().first().waitFor();
    for (const width of [300, 480]) {
      await chat.workbench.widenSidebar(width);
      await keys.toComposer();
      await keys.enterQuery('Why? #s');
      await chat.options(/^store\.ts/).waitFor();
      assert.deepEqual(await violations(chat.workbench), []);
      await chat.workbench.screenshot(`context-${width}`);
      await keys.press('Escape');
    }
  });
});
