import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { INIT, PREVIEW } from './page-states.ts';
import { lines, servePages, type StandaloneChat } from './standalone-page.ts';
import { openForAllTests } from '../support/per-test.ts';

describe('small chat page', () => {
  const open = servePages();
  let chat: StandaloneChat;
  let page: Page;

  openForAllTests(async () => ({ page } = chat = await open()));

  it('shows the whole context usage and when the next compression is due in a narrow Side Bar', async () => {
    await page.setViewportSize({ width: 200, height: 600 });
    const parts = ['system', 'summaries', 'recalled', 'recent'].map((name) => ({ name, tokens: 52_848 }));
    const gauge = { used: 211_395, budget: 927_904, contextWindow: 1_000_000, reserved: 4_096, parts, threshold: 0.7 };
    const more = { costUsd: 12.3, droppedEvents: 1, policy: 'balanced', next: 'Soon.' };
    await chat.show('Hello.', {}, { gauge: { ...gauge, ...more } });
    const usage = page.getByText('211,395 of 927,904 tokens');
    await usage.waitFor();
    assert.equal(await page.evaluate(`document.querySelector('.chat').scrollWidth`), 200);
    await usage.click();
    await page.getByText('Soon.', { exact: true }).waitFor();
    const overflow = `(() => {
      const panel = document.querySelector('.gauge-panel');
      const { left, right, top } = panel.getBoundingClientRect();
      return { left: left < 0, right: right > innerWidth, top: top < 0, inside: panel.scrollWidth > panel.clientWidth };
    })()`;
    assert.deepEqual(await page.evaluate(overflow), { left: false, right: false, top: false, inside: false });
  });

  for (const [width, place] of [
    [300, 'below'],
    [900, 'beside'],
  ] as const)
    it(`shows the buttons of notices ${place} their texts at a width of ${width} pixels`, async () => {
      await page.setViewportSize({ width, height: 600 });
      const { status } = INIT;
      const compression = { stage: 'summarizing', done: 12_314, total: 59_996 };
      await chat.show('Hello.', {}, { status: { ...status, compression } });
      const text =
        'The server at http://localhost:11434 can’t be reached. Check that it’s running and that the URL is correct.';
      await chat.post({ type: 'toast', text, action: { id: 1, label: 'Change Base URL…' } });
      for (const [said, button] of [
        [text, 'Change Base URL…'],
        ['Compressing: summarizing (12,314 of 59,996)', 'Cancel'],
      ] as const) {
        const [words, action] = [
          await page.getByText(said).boundingBox(),
          await page.getByRole('button', { name: button }).boundingBox(),
        ];
        assert.ok(words && action);
        if (place === 'below') assert.ok(action.y >= words.y + words.height && words.width > 200, said);
        else assert.ok(action.x >= words.x + words.width, said);
      }
      assert.equal(await page.evaluate(`document.querySelector('.chat').scrollWidth`), width);
    });

  it('shows the goal of a task in a narrow Side Bar', async () => {
    await page.setViewportSize({ width: 240, height: 600 });
    const task = { id: 't1', goal: 'Ship the gateway', steps: [{ text: 'Write it', status: 'pending' }] };
    await chat.show('Hello.', {}, { task });
    const goal = page.getByText(task.goal);
    await goal.waitFor();
    assert.ok(await goal.evaluate((element) => element.scrollWidth <= element.clientWidth), 'the goal is cut off');
    assert.equal(await page.evaluate(`document.querySelector('.chat').scrollWidth`), 240);
  });

  it('can be scrolled to the top of an empty session in a low and narrow window', async () => {
    await page.setViewportSize({ width: 200, height: 400 });
    await chat.post({ ...INIT, session: 'empty', total: 0, messages: [] });
    const heading = page.getByRole('heading', { name: 'What are you working on?' });
    await heading.waitFor();
    await page.evaluate(`document.querySelector('.empty').scrollTop = 0`);
    const [box, list] = [await heading.boundingBox(), await page.locator('.empty').boundingBox()];
    assert.ok(box && list && box.y >= list.y, `the heading begins at ${box?.y}, its container at ${list?.y}`);
  });

  it('shows the first of all commands at 200% zoom', async () => {
    await page.setViewportSize({ width: 640, height: 298 });
    await chat.show('Hello.');
    await chat.composer().fill('/');
    const first = page.getByRole('option', { selected: true }).filter({ hasText: '/compress' });
    await first.waitFor();
    const box = await first.boundingBox();
    assert.ok(box && box.y >= 0, `it begins at ${box?.y}`);
  });

  describe('with a long session', () => {
    before(async () => {
      // The placeholder takes several lines.
      await page.setViewportSize({ width: 200, height: 600 });
      await chat.showAll(lines(40));
    });

    it('stays at its end when the composer’s text is deleted', async () => {
      for (const text of ['A single line', 'Five\n\n\n\nlines']) {
        await chat.composer().fill(text);
        await chat.drawn();
        await chat.composer().press('Control+a');
        await chat.composer().press('Delete');
        await chat.drawn();
        assert.equal(await chat.button('Jump to Latest').count(), 0, text);
      }
    });

    it('stays where the user has scrolled in the same frame as the composer’s text was deleted', async () => {
      const scrolled = () => page.evaluate<number>("document.querySelector('.transcript').scrollTop");
      await chat.composer().fill('A single line');
      await chat.button('Jump to Latest').waitFor({ state: 'detached' });
      await chat.composer().press('Control+a');
      await chat.drawn();
      const end = await scrolled();
      // Before the page is told that it was scrolled, which happens with the next frame.
      await page.evaluate(`{
        const [field, transcript] = ['textarea', '.transcript'].map((selector) => document.querySelector(selector));
        field.addEventListener('keydown', () => (transcript.scrollTop -= 300), { once: true });
      }`);
      await chat.composer().press('Delete');
      await chat.drawn();
      assert.ok((await scrolled()) <= end - 290, `${end} to ${await scrolled()}`);
      assert.equal(await chat.composer().inputValue(), '');
      await chat.button('Jump to Latest').click();
    });

    it('stays at its end when a message is sent', async () => {
      await chat.submit('Five\n\n\n\nlines');
      await chat.drawn();
      assert.equal(await chat.button('Jump to Latest').count(), 0);
    });

    it('wraps the name of a setting in the compression preview', async () => {
      await chat.post({ type: 'focus', target: 'preview' });
      const emptyText = 'Nothing to compress. To change it, use threadkeeper.compression.recentMessages.';
      await chat.answer('previewCompression', { ...PREVIEW, emptyText });
      await page.getByText(emptyText).waitFor();
      assert.equal(
        await page.evaluate("((text) => text.scrollWidth > text.clientWidth)(document.querySelector('.preview p'))"),
        false,
      );
    });
  });
});
