import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer, writeSettings } from './chat-page.ts';

/** A white pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

describe('message attachments', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = (await startModelServer()).answer('Understood.');
    chat = await ChatPage.open('attachments', {
      ...chatServerSettings(server),
      'threadkeeper.models.overrides': { 'test-model': { takesImages: true } },
    });
    await writeFile(path.join(chat.folder, 'broken.json'), '{\n  "port": ,\n  "host": "local"\n}\n');
    await writeFile(path.join(chat.folder, 'pixel.png'), Buffer.from(PIXEL, 'base64'));
  });

  it('a long paste becomes an attachment', async () => {
    const { page } = chat.workbench;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    await chat.composer().fill('A long line of a log. '.repeat(300));
    await chat.composer().press('Control+a');
    await chat.composer().press('Control+x');
    await chat.composer().press('Control+v');
    await chat.chips('Pasted text').waitFor();
    await chat.waitForDraft('');
    server.answer('A log of bookings.');
    await chat.waitForReply('A log of bookings.', () => chat.composer().press('Enter'));
    const sent = chat.messages().filter({ has: chat.page.locator('.chip') });
    await sent.last().getByText('Pasted text').waitFor();
    assert.match(JSON.stringify(server.lastRequest?.body), /A long line of a log/);
    await chat.chips().first().waitFor({ state: 'detached' });
  });

  it('the editor’s context menu attaches the selection', async () => {
    await chat.workbench.openFile('config.ts');
    await chat.workbench.editorText().click();
    await chat.workbench.page.keyboard.press('Control+a');
    await chat.workbench.editorText().click({ button: 'right' });
    await chat.workbench.page.locator('.monaco-menu').getByText('Explain Problem').waitFor();
    await chat.workbench.chooseInMenu('Ask About Selection');
    await chat.chips(/config\.ts:1-\d+/).waitFor();
    await chat.button(/^Remove config\.ts/).click();
    await chat.chips().waitFor({ state: 'detached' });
  });

  it('the Explorer’s context menu attaches a file, and shows the chat', async () => {
    const file = chat.workbench.page.locator('.explorer-folders-view .monaco-list-row', { hasText: 'package.json' });
    await file.click({ button: 'right' });
    await chat.workbench.chooseInMenu('Attach File to Chat');
    await chat.chips(/package\.json.*[\d.,]+ tokens/).waitFor();
    await chat.button(/^Remove package\.json/).click();
    await chat.chips().waitFor({ state: 'detached' });
  });

  it('a Quick Fix attaches a problem and writes a question about it, but does not send it', async () => {
    await chat.workbench.openFile('broken.json');
    const { page } = chat.workbench;
    await page.locator('.monaco-editor .squiggly-error').first().waitFor();
    await page.keyboard.press('F8');
    await page.keyboard.press('Escape');
    await chat.workbench.chooseQuickFix(/Explain with Threadkeeper/);
    await chat.chips(/broken\.json:1-\d/).waitFor();
    await chat.waitForDraft(/^Explain this problem in `broken\.json:2`/);
    const requests = server.requests.length;
    await chat.button(/^Remove broken\.json/).click();
    await chat.composer().fill('');
    assert.equal(server.requests.length, requests, 'nothing was sent');
  });

  it('an image is sent to a model that supports images, and shown in the message', async () => {
    const chosen = chat.workbench.page.waitForEvent('filechooser');
    await chat.show();
    await chat.button('Add Context').click();
    await chat.page.getByRole('menuitem', { name: 'Image…' }).click();
    await (await chosen).setFiles(path.join(chat.folder, 'pixel.png'));
    await chat.chips(/pixel\.png.*1 token/).waitFor();
    server.answer('One white pixel.');
    await chat.send('What is in the picture?', 'One white pixel.');
    assert.ok(JSON.stringify(server.lastRequest?.body).includes(`data:image/png;base64,${PIXEL}`));
    await chat.message('What is in the picture?').getByRole('img', { name: 'Image' }).waitFor();
  });

  it('an image is refused if the model doesn’t support images, and earlier ones are not sent to it', async () => {
    await writeSettings(chat.folder, chatServerSettings(server));
    await chat.show();
    await chat.button('Add Context').click();
    await chat.page.getByRole('menuitem', { name: 'Current File', exact: true }).waitFor();
    await chat.page.getByRole('menuitem', { name: 'Image…' }).waitFor({ state: 'detached' });
    await chat.workbench.page.keyboard.press('Escape');
    await chat.composer().evaluate((field, base64) => {
      const bytes = Uint8Array.from(atob(base64), (one) => one.charCodeAt(0));
      const clipboardData = new DataTransfer();
      clipboardData.items.add(new File([bytes], 'pixel.png', { type: 'image/png' }));
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
    }, PIXEL);
    await chat.toast('The selected model doesn’t support images.').waitFor();
    assert.equal(await chat.chips().count(), 0);
    server.answer('I see none.');
    await chat.send('And now?', 'I see none.');
    const sent = JSON.stringify(server.lastRequest?.body);
    assert.ok(!sent.includes(PIXEL));
    assert.match(sent, /\[image of type image\/png\]/);
  });
});
