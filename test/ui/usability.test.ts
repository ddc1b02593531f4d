import assert from 'node:assert/strict';
import type { WireServer } from '../support/wire-server.ts';
import { chatServerSettings, ChatPage, startModelServer, scrollBackTo, SLOW_REPLY } from './chat-page.ts';
import { eventually } from './eventually.ts';
import { Keyboard } from './keyboard.ts';
import { ContextView } from './context-view.ts';

/** Small problems that users had. */
describe('usability of the chat and its views', () => {
  let server: WireServer;
  let chat: ChatPage;

  before(async () => {
    server = (await startModelServer()).answer('A reply.');
    chat = await ChatPage.open('usability', {
      ...chatServerSettings(server),
      'threadkeeper.summarizer.provider': 'local',
    });
  });

  it('a stopped reply can be continued only while it is the newest', async () => {
    server.answer(SLOW_REPLY);
    await chat.submit('Slowly.');
    await chat.message('Drop by drop.').waitFor();
    await chat.button('Stop Response').click();
    const stopped = chat.message('Drop by drop.');
    await stopped.getByRole('button', { name: 'Continue' }).waitFor();
    server.answer('On to other things.');
    await chat.send('Something else.', 'On to other things.');
    await stopped.getByText('Stopped').waitFor();
    assert.equal(await stopped.getByRole('button', { name: 'Continue' }).count(), 0);
  });

  it('Shift+Tab, pressed twice, moves the focus from the composer to the transcript', async () => {
    const keys = new Keyboard(chat);
    await keys.toComposer();
    await keys.press('Shift+Tab', 'Shift+Tab');
    await keys.waitForFocus(
      chat.page.locator('.off-screen[tabindex], .transcript, .message').and(chat.page.locator(':focus')),
    );
  });

  it('a compression preview states the cost before a model is asked', async () => {
    const { workbench } = chat;
    await workbench.openSampleSession();
    const preview = chat.page.locator('.preview');
    const looks = async (summarizer: string, cost: RegExp): Promise<void> => {
      const priced = { contextWindow: 8192, maxOutput: 2048, price: { input: 30, output: 60 } };
      await chat.changeSettings({
        'threadkeeper.models.overrides': { 'test-model': priced },
        'threadkeeper.summarizer.provider': summarizer,
      });
      await workbench.previewCompression(cost);
      await preview.getByRole('button', { name: 'Cancel' }).click();
      await preview.waitFor({ state: 'detached' });
    };
    const asked = server.requests.length;
    await looks('chat', /Cost: up to about \$(?!0\.00)\d+\.\d\d\./);
    await looks('local', /No cost\./);
    assert.equal(server.requests.length, asked);
  });

  it('a notification appears on the chat page if it is visible, and covers nothing', async () => {
    await chat.workbench.compressHistory();
    const told = chat.toast(/^Compressed /);
    await told.waitFor();
    const [toast, composer] = await Promise.all([told.boundingBox(), chat.page.locator('.composer').boundingBox()]);
    assert.ok(toast && composer && toast.y + toast.height <= composer.y, 'it stands above the composer');
    assert.equal(await chat.workbench.page.locator('.notification-toast').count(), 0);
  });

  it('a summary is named only once, above the first message that it covers', async () => {
    await scrollBackTo(chat.page.locator('.transcript'), chat.page.locator('.message[aria-posinset="1"] .cover-chip'));
    await eventually(async () => {
      const covered = await chat.page.locator('.message.covered').count();
      const named = await chat.page.locator('.cover-chip').count();
      assert.ok(covered > 3 && named < covered / 2, `${named} names above ${covered} messages`);
    });
    const [name = ''] = await chat.page.locator('.cover-chip').allInnerTexts();
    const said = await chat.messages().allInnerTexts();
    // A topic, not just the first line.
    assert.deepEqual(
      said.filter((text) => text.includes(`\n${name.replace(/^In a summary: |…$/g, '')}`)),
      [],
      name,
    );
  });

  it('a document next to the chat fits its pane, and its quoted blocks offer only to copy', async () => {
    const view = new ContextView(chat.workbench);
    server.answer('A reply.');
    await chat.send('What goes with this?', 'A reply.');
    await view.preview();
    await view.waitForText('You are a careful programming assistant');
    await eventually(async () => {
      const [text, pane] = await Promise.all([
        view.reader().boundingBox(),
        chat.workbench.newestWebview().locator('body').boundingBox(),
      ]);
      assert.ok(text && pane && text.width <= pane.width, `${text?.width} of ${pane?.width} px`);
    });
    const offered = view.reader().locator('.code-block').first().getByRole('button');
    assert.equal(await offered.count(), 1);
    assert.equal(await offered.getAttribute('title'), 'Copy');
    await chat.workbench.runCommand('View: Close Editor');
  });

  it('opening a summary at another level keeps the sent level, and changing the sent level is confirmed', async () => {
    const view = new ContextView(chat.workbench);
    await chat.workbench.openSidebar('Threadkeeper');
    await view.onFirst('Threadkeeper: Open Summary or Change Detail Level…');
    await chat.workbench.paletteRow(/^Detailed.*currently sent/).waitFor();
    await view.pick(/^Brief/);
    await chat.workbench.activeTab('(Brief)').waitFor();
    await view.onFirst('Threadkeeper: Open Summary or Change Detail Level…');
    await chat.workbench.paletteRow(/^Detailed.*currently sent/).waitFor();
    await view.pick('Send as: Brief');
    await chat.workbench.waitForNotice(/is now sent as: Brief\./);
    await view.onFirst('Threadkeeper: Open Summary or Change Detail Level…');
    await chat.workbench.paletteRow(/^Brief.*currently sent/).waitFor();
    await chat.workbench.page.keyboard.press('Escape');
  });

  it('the chart fills its page, has round ticks, and shows its figures on hover', async () => {
    await chat.workbench.runCommand('View: Close All Editors');
    await chat.workbench.runCommand('Threadkeeper: Show Context Chart');
    const chart = chat.page.locator('svg:visible');
    await chart.waitFor();
    await eventually(async () => {
      const [drawn, body] = await Promise.all([chart.boundingBox(), chat.page.locator('body').boundingBox()]);
      assert.ok(drawn && body && drawn.width > body.width * 0.9, `${drawn?.width} of ${body?.width} px`);
    });
    const ticks = (await chart.locator('text.label').allTextContents()).filter((text) => /^[\d,]+$/.test(text));
    assert.ok(ticks.length > 6, ticks.join(' '));
    for (const tick of ticks) assert.match(tick.replaceAll(',', ''), /^\d{1,2}5?0*$/, tick);
    await chart.locator('.spot rect').nth(3).hover({ force: true });
    assert.match((await chart.locator('.spot title').nth(3).textContent()) ?? '', /messages? · [\d,]+ tokens/);
  });

  it('an empty session says that it has no messages, whatever else is in the workspace', async () => {
    await chat.workbench.runCommand('View: Close All Editors');
    await chat.show();
    await chat.newSession();
    await chat.workbench.openSidebar('Threadkeeper');
    await chat.workbench.page.getByText('No messages in this session yet.').waitFor();
  });
});
