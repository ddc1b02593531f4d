import { mkdir } from 'node:fs/promises';
import { SmallDisk } from '../support/small-disk.ts';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';
import { globalStorageFolder } from './editor.ts';

const FULL = /disk is full/;
/** A message that takes much more space than is left on the disk. */
const LONG = `Kept all the same. ${'word '.repeat(8_000)}`;

describe('chat on a disk that fills up', function () {
  // Each test continues with the disk as the previous one left it.
  this.bail(true);
  this.retries(0);
  let server: WireServer;
  let disk: SmallDisk | undefined;
  let chat: ChatPage;

  before(async function () {
    const folder = await globalStorageFolder();
    await mkdir(folder, { recursive: true });
    disk = SmallDisk.mount(folder, 4);
    if (!disk) return this.skip();
    server = (await startModelServer()).answer('There is room.');
    chat = await ChatPage.open('full-disk', chatServerSettings(server));
    await chat.send('While there is room.', 'There is room.');
  });

  after(async () => {
    await chat?.workbench.close();
    disk?.[Symbol.dispose]();
  });

  const gauge = () => chat.workbench.statusBarItem('threadkeeper.gauge').locator('.codicon-warning');
  const notice = () => chat.page.locator('.notices').getByText(FULL);

  it('continues in memory, and warns in a notification, in the chat and on the gauge', async () => {
    await disk!.fill(4 * 1024);
    server.answer({ text: LONG, pieceSize: 20_000 });
    await chat.submit('Without room.');
    await chat.message('Kept all the same.').waitFor();
    await chat.workbench.toast(FULL).waitFor();
    await notice().waitFor();
    await gauge().waitFor();
    await chat.workbench.screenshot('full-disk');
  });

  it('saves all messages automatically when there is space again', async () => {
    await disk!.clear();
    await chat.workbench.waitForNotice('All messages have been saved');
    await notice().waitFor({ state: 'detached' });
    await gauge().waitFor({ state: 'detached' });
  });

  it('still shows, after a reload, the reply that arrived while the disk was full', async () => {
    await chat.workbench.reload();
    await chat.show();
    await chat.message('Kept all the same.').waitFor();
    server.answer('There is room again.');
    await chat.send('And on.', 'There is room again.');
  });
});
