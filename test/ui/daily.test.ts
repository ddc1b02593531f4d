import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { WireServer } from '../support/wire-server.ts';
import { violations } from './axe.ts';
import { answeredBy, ChatPage, writeSettings } from './chat-page.ts';
import { Keyboard } from './keyboard.ts';

const SLOW = { text: 'Drop by drop. '.repeat(400), dripMs: 40 };

describe('the chat in daily use', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = await WireServer.start();
    chat = await ChatPage.open('daily', answeredBy(server));
    keys = new Keyboard(chat);
  });

  after(async () => {
    await chat.workbench.close();
    await server.stop();
  });

  const page = () => chat.workbench.webview();
  const queue = (): Locator => page().getByRole('region', { name: /^Queued messages/ });
  const startsSlowly = async (text: string): Promise<void> => {
    server.answer(SLOW);
    await chat.write(text);
    await chat.message('Drop by drop.').last().waitFor();
    await chat.button('Stop response').waitFor();
    server.answer('A short reply.');
  };

  describe('while a reply streams', () => {
    it('queues what Enter sends, in sight, to be edited, removed and sent at once, by keyboard alone', async () => {
      await startsSlowly('Go slowly.');
      await keys.toComposer();
      for (const text of ['The second', 'The third']) {
        await keys.type(text);
        await keys.press('Enter');
        await queue().getByText(text).waitFor();
      }
      assert.deepEqual(await violations(chat.workbench), []);
      await chat.workbench.screenshot('queue');
      await keys.tabTo(queue().getByRole('button', { name: 'Remove from queue' }).last(), 'Shift+Tab');
      await keys.press('Enter');
      await queue().getByText('The third').waitFor({ state: 'detached' });
      await keys.toComposer();
      await keys.tabTo(queue().getByRole('button', { name: 'Edit' }), 'Shift+Tab');
      await keys.press('Enter');
      await queue().waitFor({ state: 'detached' });
      await keys.reads('The second');
      await keys.type(', better said');
      await keys.press('Enter');
      await queue().getByText('The second, better said').waitFor();
      await keys.tabTo(queue().getByRole('button', { name: 'Send now' }), 'Shift+Tab');
      await keys.press('Enter');
      await chat.message('A short reply.').waitFor();
      await chat.message('Drop by drop.').last().getByText('Stopped').waitFor();
      assert.equal(await chat.message('The third').count(), 0);
    });

    it('holds what is queued where the reply is stopped, over a reload too', async () => {
      await startsSlowly('Slowly again.');
      await chat.write('Once you are done');
      await queue().getByText('Once you are done').waitFor();
      await chat.button('Stop response').click();
      await page().getByRole('region', { name: 'Queued messages (on hold)' }).waitFor();
      await chat.workbench.reload();
      await chat.show();
      await queue().getByText('Once you are done').waitFor();
      await queue().getByRole('button', { name: 'Send now' }).click();
      await chat.message('A short reply.').nth(1).waitFor();
    });

    it('stops and sends where the user has chosen that', async () => {
      await writeSettings(chat.folder, {
        ...answeredBy(server),
        'threadkeeper.chat.sendWhileResponding': 'stopAndSend',
      });
      await startsSlowly('Slowly, and for the last time.');
      await chat.composer().fill('No, quickly!');
      await chat.button('Stop and send').click();
      await chat.message('A short reply.').nth(2).waitFor();
      assert.equal(server.lastRequest?.body['model'], 'test-model');
      await writeSettings(chat.folder, answeredBy(server));
    });
  });
});
