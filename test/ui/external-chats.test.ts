import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { portsChat } from '../support/external-chats.ts';
import { jsonl, putFile } from '../support/tool-homes/conversation.ts';
import { violations } from './axe.ts';
import { writeSettings } from './chat-page.ts';
import { homeFolder } from './editor.ts';
import { Workbench } from './workbench.ts';

describe('chats from other tools', () => {
  let workbench: Workbench;
  let home: string;

  const row = (text: string): Locator => workbench.treeRow(text).first();

  before(async () => {
    workbench = await Workbench.open({ profile: 'all-chats' });
    home = await homeFolder();
    const said = portsChat(workbench.folder!);
    putFile(
      home,
      '.claude/projects/demo/ports.jsonl',
      jsonl(
        said(0, 'user', 'Never use port 80 for the bookings service. We decided to use Valkey for the cache.'),
        said(1, 'assistant', [{ type: 'text', text: 'Understood: not port 80.' }]),
        said(2, 'user', 'They talked about ports.', { isCompactSummary: true }),
        said(3, 'user', 'Which port is free?'),
        said(4, 'assistant', [
          { type: 'text', text: '8080 is free, and config.ts says so now.' },
          {
            type: 'tool_use',
            id: 'c1',
            name: 'Edit',
            input: { file_path: path.join(workbench.folder!, 'src/config.ts') },
          },
        ]),
      ),
    );
  });

  after(async () => {
    await workbench.close();
    await rm(path.join(home, '.claude'), { recursive: true, force: true });
  });

  /** Answers the question which tools' chats to copy. `look` is called before. */
  const copy = (look?: () => Promise<unknown>): Promise<void> =>
    workbench.ask('Threadkeeper: Copy Chats from Other Tools', async () => {
      await workbench.paletteRow(/Claude Code.*1 session/).waitFor();
      await look?.();
      await workbench.page.keyboard.press('Enter');
    });

  it('are offered in a single question that shows what was found', async () => {
    await copy(() => workbench.screenshot('all-chats-question'));
    await row('ports').or(row('Never use port 80')).first().waitFor();
    await workbench.screenshot('all-chats-view');
  });

  describe('that were copied', () => {
    before(() => copy());

    it('open read-only, are labeled as such, and have no accessibility violations', async () => {
      await row('Never use port 80').click();
      const page = workbench.webview();
      await page.getByText('This chat from Claude Code is read-only.').waitFor();
      await page.getByRole('article').filter({ hasText: 'Which port is free?' }).waitFor();
      await workbench.screenshot('all-chats-open');
      // The tool's own compaction can't be undone here.
      await page.locator('.compression').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Undo', exact: true }).count(), 0);
      assert.deepEqual(await violations(workbench), []);
      await writeSettings(workbench.folder!, { 'workbench.colorTheme': 'Default Dark Modern' });
      await page.locator('body.vscode-dark').waitFor();
      await workbench.screenshot('all-chats-open-dark');
      assert.deepEqual(await violations(workbench), []);
      // The chat is about 300 pixels wide then, beside the list.
      const size = workbench.page.viewportSize()!;
      await workbench.page.setViewportSize({ width: 660, height: size.height });
      await page.getByRole('button', { name: 'Continue Here' }).first().waitFor();
      await workbench.screenshot('all-chats-open-narrow');
      await workbench.page.setViewportSize(size);
    });

    it('can be searched by keyboard alone', async () => {
      await workbench.ask('Threadkeeper: Search Chats from Other Tools', () =>
        workbench.chooseListed(/^Search Chats from Other Tools$/, 'Never use port 80', 'bookings cache'),
      );
      await workbench.quickInput().waitFor({ state: 'hidden' });
    });

    it('are listed for the file they are about', async () => {
      await workbench.openFile('config.ts');
      await workbench.page.locator('.monaco-editor .view-lines').first().click({ button: 'right' });
      await workbench.chooseInMenu('Show Chats About This File');
      // The row may be left from an earlier list until this one has the focus.
      await workbench.page
        .locator('.quick-input-list .monaco-list-row.focused', { hasText: /Never use port 80.*Edits: 1/ })
        .waitFor();
      await workbench.screenshot('all-chats-file');
      await workbench.page.keyboard.press('Enter');
      await workbench.quickInput().waitFor({ state: 'hidden' });
      await workbench.webview().getByText('This chat from Claude Code is read-only.').waitFor();
    });

    it('are removed when the user deletes the copies', async () => {
      await workbench.ask('Threadkeeper: Delete Copied Chats', () => workbench.paletteRow(/Claude Code/).click());
      await workbench.page.getByRole('button', { name: 'Delete Copies' }).click();
      await row('Never use port 80').waitFor({ state: 'detached' });
    });
  });
});
