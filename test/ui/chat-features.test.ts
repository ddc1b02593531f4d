import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import type { WireServer } from '../support/wire-server.ts';
import { checkThemesAndWidths, violations } from './axe.ts';
import { chatServerSettings, ChatPage, startModelServer, SLOW_REPLY } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { Keyboard } from './keyboard.ts';

/** The colors of a match and of the surrounding text; `rgba(…)` if the background is transparent. */
function highlighted(element: Element): { background: string; color: string; text: string } {
  const { backgroundColor: background, color } = getComputedStyle(element, '::highlight(found)');
  return { background, color, text: getComputedStyle(element).color };
}

describe('chat in daily use', () => {
  let server: WireServer;
  let chat: ChatPage;
  let keys: Keyboard;

  before(async () => {
    server = await startModelServer();
    chat = await ChatPage.open('chat-features', {
      ...chatServerSettings(server),
      'threadkeeper.models.overrides': {
        'test-model': { contextWindow: 8192, maxOutput: 2048, price: { input: 200, output: 1000 } },
      },
    });
    keys = new Keyboard(chat);
  });

  const queue = (): Locator => chat.page.getByRole('region', { name: /^Queued messages/ });
  const startsSlowly = async (text: string, next = 'A short reply.'): Promise<void> => {
    server.answer(SLOW_REPLY);
    // Until the server has received the request, it would send the next reply instead.
    await chat.waitForNewMessage('Drop by drop.', () => chat.submit(text));
    await chat.button('Stop Response').waitFor();
    server.answer(next);
  };

  it('shows the session’s cost next to its tokens when the price is known', async () => {
    assert.doesNotMatch(await chat.page.locator('.gauge-label').innerText(), /\$/);
    server.answer({ text: 'Dear.', usage: { prompt_tokens: 1000, completion_tokens: 100, total_tokens: 1100 } });
    await chat.send('And now?', 'Dear.');
    await chat.page.locator('.gauge-label', { hasText: /· \$0\.\d+$/ }).waitFor();
  });

  describe('while a reply streams', () => {
    afterEach(() => chat.stopReply());
    after(() => chat.changeSettings({}));

    it('queues sent messages, which can be edited, removed and sent at once by keyboard alone', async () => {
      await startsSlowly('Go slowly.');
      await keys.toComposer();
      for (const text of ['The second', 'The third']) {
        await keys.type(text);
        await keys.press('Enter');
        await queue().getByText(text).waitFor();
      }
      assert.deepEqual(await violations(chat.workbench), []);
      await chat.workbench.screenshot('queue');
      await keys.tabTo(queue().getByRole('button', { name: 'Remove from Queue' }).last(), 'Shift+Tab');
      await keys.press('Enter');
      await queue().getByText('The third').waitFor({ state: 'detached' });
      await keys.toComposer();
      await keys.tabTo(queue().getByRole('button', { name: 'Edit' }), 'Shift+Tab');
      await keys.press('Enter');
      await queue().waitFor({ state: 'detached' });
      await keys.waitForDraft('The second');
      await keys.type(', better said');
      await keys.press('Enter');
      await queue().getByText('The second, better said').waitFor();
      await keys.tabTo(queue().getByRole('button', { name: 'Stop and Send' }), 'Shift+Tab');
      await keys.press('Enter');
      await chat.message('A short reply.').waitFor();
      await chat.message('Drop by drop.').last().getByText('Stopped').waitFor();
      assert.equal(await chat.message('The third').count(), 0);
    });

    it('holds queued messages when the reply is stopped, also after a reload', async () => {
      await startsSlowly('Slowly again.', 'A second short reply.');
      // Enters the text at once, because the results for each letter would move the option.
      await chat.composer().fill('#pricing');
      await chat
        .options(/^pricing\.ts/)
        .first()
        .click();
      await chat.chips('pricing.ts').waitFor();
      await chat.submit('Once you are done');
      await queue().getByText('Once you are done').waitFor();
      await chat.button('Stop Response').click();
      await chat.page.getByRole('region', { name: 'Queued messages (on hold)' }).waitFor();
      await chat.workbench.reload();
      await chat.show();
      await queue().getByText('Once you are done').waitFor();
      await queue().getByRole('button', { name: 'Send Now' }).click();
      // Only visible messages are rendered, so they can't be counted.
      await chat.message('A second short reply.').waitFor();
      assert.match(JSON.stringify(server.lastRequest?.body), /src\/domain\/pricing\.ts/);
    });

    it('stops the reply and sends the message if the user has chosen that setting', async () => {
      await chat.changeSettings({ 'threadkeeper.chat.sendWhileResponding': 'stopAndSend' });
      await startsSlowly('Slowly, and for the last time.', 'A third short reply.');
      await chat.composer().fill('No, quickly!');
      await chat.button('Stop and Send').click();
      await chat.message('A third short reply.').waitFor();
      assert.equal(server.lastRequest?.body['model'], 'test-model');
    });
  });

  describe('reply', () => {
    const LONG = `${'A paragraph of a reply that is longer than the view. '.repeat(12)}\n\n`.repeat(8);
    const actions = (text: string): Locator => chat.message(text).getByRole('group', { name: 'Message actions' });

    it('shows its tokens next to its name, and limits its line width', async () => {
      await chat.newSession();
      server.answer(LONG);
      await chat.send('At length, please.', 'A paragraph of a reply');
      const reply = chat.message('A paragraph of a reply');
      await eventually(async () => {
        const [name, usage, row] = await Promise.all(
          [reply.locator('.name'), reply.locator('.usage'), reply].map((each) => each.boundingBox()),
        );
        assert.ok(name && usage && row);
        assert.ok(Math.abs(name.y + name.height / 2 - usage.y - usage.height / 2) < 4, 'on one line');
        assert.ok(row.width <= 860, `${row.width} px`);
      });
    });

    it('repeats its actions at the end if it is long, and does not move on hover', async () => {
      const reply = chat.message('A paragraph of a reply');
      await eventually(async () => assert.equal(await actions('A paragraph of a reply').count(), 2));
      const end = actions('A paragraph of a reply').last();
      // Scroll first, because hovering would otherwise scroll the reply.
      await end.scrollIntoViewIfNeeded();
      const before = await reply.boundingBox();
      await end.getByRole('button', { name: 'Copy as Markdown' }).hover();
      assert.deepEqual(await reply.boundingBox(), before);
      await end.getByRole('button', { name: 'Retry' }).waitFor();
      server.answer('In a word.');
      await chat.send('Now shorter.', 'In a word.');
      await eventually(async () => assert.equal(await actions('In a word.').count(), 1));
    });

    it('is pinned, saved to memory and quoted as a whole when nothing is selected', async () => {
      server.answer('We keep all bookings for 30 days.');
      await chat.send('How long?', 'We keep all bookings');
      const reply = chat.message('We keep all bookings');
      await chat.runAction(reply, 'Pin as Key Event');
      await chat.toast('Pinned').waitFor();
      await reply.getByRole('button', { name: '1 key event' }).click();
      await reply.locator('q', { hasText: 'We keep all bookings for 30 days.' }).waitFor();
      await chat.runAction(reply, 'Save to Workspace Memory');
      await chat.toast('Added 1 memory.').waitFor();
      await chat.runAction(reply, 'Save to Workspace Memory');
      await chat.toast('This is already in the workspace memory.').waitFor();
      await chat.runAction(reply, 'Quote');
      await keys.waitForDraft('> We keep all bookings for 30 days.');
      await chat.composer().fill('');
      await chat.runAction(chat.message('A paragraph of a reply'), 'Pin as Key Event');
      await chat.toast('This text is too long').waitFor();
    });

    it('renders formulas, shows the source of unreadable formulas, and leaves prices as text', async () => {
      server.answer('It takes $O(n^2)$ steps for $5 or $6:\n\n$$\n\\frac{a}{b}\n- c\n$$\n\nand $\\nosuch{x}$.');
      await chat.send('How many steps?', 'It takes');
      const reply = chat.message('It takes');
      await reply.locator('.math-inline math msup').waitFor();
      await reply.locator('.math-display math mfrac').waitFor();
      await reply.getByText('\\nosuch{x}').waitFor();
      await reply.getByText('for $5 or $6:').waitFor();
    });

    it('shows its diagrams in VS Code’s own preview', async () => {
      server.answer('So:\n\n```mermaid\nflowchart LR\n  Booking --> Mail\n```');
      await chat.send('Draw it.', 'So:');
      await chat.message('So:').getByRole('button', { name: 'Preview Diagram' }).click();
      await chat.workbench.activeTab('Preview Diagram').waitFor();
      const preview = chat.workbench.newestWebview();
      await preview.getByText('Booking').first().waitFor();
      await chat.workbench.screenshot('diagram');
      await chat.workbench.runCommand('View: Close Editor');
    });
  });

  describe('find in the session', () => {
    const field = (): Locator => chat.page.getByRole('searchbox', { name: 'Find in this session' });
    const count = (): Locator => chat.page.locator('.find-count');

    it('steps by keyboard alone through all matching messages, including those not rendered', async () => {
      await chat.workbench.openSampleSession();
      await keys.toComposer();
      await keys.press('Control+f');
      await keys.waitForFocus(field());
      // It's highlighted for a moment.
      await Promise.all([
        chat.page.locator('.message.marked', { hasText: /better-sqlite3/i }).waitFor(),
        keys.enterQuery('better-sqlite3'),
      ]);
      await count()
        .getByText(/^\d+ \/ \d+$/)
        .waitFor();
      const first = await count().innerText();
      await keys.press('Enter');
      await count().filter({ hasNotText: first }).waitFor();
      await keys.press('Shift+Enter');
      await count().filter({ hasText: first }).waitFor();
      await keys.waitForFocus(field());
      const marked = () => CSS.highlights.get('found-current')?.size ?? 0;
      await eventually(async () =>
        assert.ok(
          (await chat.page.locator('body').evaluate(marked)) > 0,
          'the words of the current message are marked',
        ),
      );
      assert.deepEqual(await violations(chat.workbench), []);
      await chat.workbench.screenshot('find');
      await keys.clear();
      await keys.type('zebra crossing');
      await count().getByText('No results').waitFor();
      await keys.press('Escape');
      await field().waitFor({ state: 'detached' });
      await keys.waitForFocus(chat.composer());
    });
  });

  describe('status bar and themes', () => {
    it('the status bar shows context usage after a reload, without a click', async () => {
      server.answer('Kept.');
      await chat.send('Keep this.', 'Kept.');
      await chat.workbench.runCommand('View: Close All Editors');
      await chat.workbench.runCommand('View: Show Explorer');
      await chat.workbench.reloadByCommand();
      await chat.workbench.statusBarItem('threadkeeper.gauge').getByText(/%$/).waitFor();
      assert.equal(await chat.workbench.page.locator('iframe.webview').count(), 0);
    });

    it('the chat is accessible and cuts off nothing in each theme, wide and at 300 and 480 px', async () => {
      await chat.show();
      const code = '```ts src/config.ts\nexport const port = 8443;\n```\n\n';
      server.answer(`It takes $O(n^2)$ steps:\n\n$$\\sum_{i=1}^{n} i = \\frac{n(n+1)}{2}$$\n\n${code}`);
      await chat.newSession();
      await chat.send('How many?', 'It takes');
      await chat.button('Apply in Editor').first().waitFor();
      await startsSlowly('Tell me more.');
      for (const text of ['Then write the tests', `And then the change log, with ${'all that has changed '.repeat(4)}`])
        await chat.submit(text);
      await queue().getByText('And then').waitFor();
      // The reply is paused, so the page doesn't change during the checks.
      await chat.button('Stop Response').click();
      await chat.page.getByRole('region', { name: 'Queued messages (on hold)' }).waitFor();
      await keys.toComposer();
      await keys.press('Control+f');
      await keys.waitForFocus(chat.page.getByRole('searchbox', { name: 'Find in this session' }));
      await keys.type('steps');
      await chat.page.locator('.find-count').getByText(/\d/).waitFor();
      await checkThemesAndWidths(chat, 'chat-features', async (look) => {
        const found = await chat.page.locator('.message').last().evaluate(highlighted);
        // axe ignores highlighted text, whose color must have enough contrast with its own background.
        if (!found.background.startsWith('rgba'))
          assert.notEqual(found.color, found.text, `${look}: ${found.background}`);
      });
    });
  });
});
