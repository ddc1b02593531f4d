import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Frame } from 'playwright-core';
import { WireServer } from '../support/wire-server.ts';
import { answeredBy, ChatPage } from './chat-page.ts';

const SHORT = 100;
const LONG = 10_000;
/** Names of the files, which become the sessions' titles: neither is part of the other. */
const NAMES: Readonly<Record<number, string>> = { [SHORT]: 'the-short-one', [LONG]: 'ten-thousand' };
/** Times that each session is opened; the median counts. */
const OPENINGS = 5;

/** A file with so many messages, as an importer reads it. */
function transcript(messages: number): string {
  const lines = Array.from({ length: messages }, (_, index) => {
    const content = `Message ${index} of ${messages}. ${'Some words on the bookings and their slots. '.repeat(1 + (index % 5))}`;
    return JSON.stringify({ role: index % 2 === 0 ? 'user' : 'assistant', content, at: 1_760_000_000_000 + index });
  });
  return `${lines.join('\n')}\n`;
}

/** Opens a session from the list and gives the milliseconds until its last message is in view, by the page's clock. */
const OPEN = `async (title, last) => {
  const row = [...document.querySelectorAll('.session-open')].find((one) => one.textContent.includes(title));
  const start = performance.now();
  row.click();
  for (;;) {
    if (performance.now() - start > 60_000) throw new Error('the last message did not come into view');
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const shown = [...document.querySelectorAll('.message[data-message]')].at(-1);
    if (shown?.textContent.includes(last) && shown.getBoundingClientRect().top < innerHeight) break;
  }
  return performance.now() - start;
}`;

/** Scrolls from the end to the beginning, a view and more at a time; gives the most rows that were on the page. */
const SCROLL = `async () => {
  const feed = document.querySelector('.transcript');
  let rows = 0;
  for (let top = feed.scrollHeight; top > 0; top -= feed.clientHeight * 3) {
    feed.scrollTop = top;
    await new Promise((resolve) => setTimeout(resolve, 25));
    rows = Math.max(rows, document.querySelectorAll('.row').length);
  }
  feed.scrollTop = 0;
  return rows;
}`;

/** Watches how long input events wait before the page handles them, and how long the page is busy at a stretch, in ms. */
const WATCH = `(() => {
  const seen = (globalThis.seen = { delay: 0, events: 0, busy: 0 });
  new PerformanceObserver((list) => {
    for (const { startTime, processingStart } of list.getEntries()) {
      seen.events++;
      seen.delay = Math.max(seen.delay, processingStart - startTime);
    }
  }).observe({ type: 'event', durationThreshold: 16 });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) seen.busy = Math.max(seen.busy, duration);
  }).observe({ type: 'longtask' });
})()`;

// The figures are printed; none of them fails a test, since the machine has other things to do as well.
describe('a very long session in the real page', function () {
  this.timeout(600_000);
  let server: WireServer;
  let chat: ChatPage;

  before(async function () {
    if (process.env.THREADKEEPER_LONG === undefined) this.skip();
    server = await WireServer.start();
    server.answer('Yes.');
    chat = await ChatPage.open('long', { ...answeredBy(server), 'threadkeeper.compression.strategy': 'off' });
    for (const count of [SHORT, LONG]) {
      const file = `${NAMES[count]!}.jsonl`;
      await writeFile(path.join(chat.folder, file), transcript(count));
      await chat.workbench.findCommand('Threadkeeper: Import Transcript');
      await chat.workbench.paletteRow('Threadkeeper: Import Transcript').click();
      await chat.workbench.paletteRow(file).click();
      await chat.workbench.paletteRow(`Import ${count.toLocaleString('en')} messages`).click();
      await chat.workbench.toast(/Imported [\d,.]+ messages/).waitFor({ timeout: 240_000 });
      await chat.workbench.clearToasts();
    }
  });

  after(async () => {
    await chat?.workbench.close();
    await server?.stop();
  });

  async function frame(): Promise<Frame> {
    for (const one of chat.workbench.page.frames()) if ((await one.locator('#root').count()) > 0) return one;
    return assert.fail('the chat page is not there');
  }

  async function openFromList(count: number): Promise<number> {
    await chat.workbench.webview().locator('.title-button').click();
    await chat.workbench.webview().locator('.session-open').first().waitFor();
    const last = `Message ${count - 1} of ${count}`;
    return (await frame()).evaluate<number>(`(${OPEN})(${JSON.stringify(NAMES[count])}, ${JSON.stringify(last)})`);
  }

  it('opens with its last messages in view about as soon as a short one', async () => {
    const times: Record<number, number[]> = { [SHORT]: [], [LONG]: [] };
    for (let turn = 0; turn < OPENINGS; turn++)
      for (const count of [SHORT, LONG]) times[count]!.push(await openFromList(count));
    const median = (count: number): number => times[count]!.sort((a, b) => a - b)[OPENINGS >> 1]!;
    const [short, long] = [median(SHORT), median(LONG)];
    console.log(
      `      ${SHORT} messages: ${short.toFixed(0)} ms, ${LONG}: ${long.toFixed(0)} ms, ratio ${(long / short).toFixed(2)}`,
    );
  });

  it('keeps a bounded part of itself on the page while all of it is scrolled through', async () => {
    const tools = await chat.workbench.page.context().newCDPSession(await frame());
    await tools.send('Performance.enable');
    const heap = async (): Promise<number> => {
      await tools.send('HeapProfiler.collectGarbage');
      const { metrics } = await tools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
    };
    const before = await heap();
    const rows = await (await frame()).evaluate<number>(`(${SCROLL})()`);
    await chat.workbench.webview().locator('.message[aria-posinset="1"][data-message]').waitFor();
    const after = await heap();
    console.log(`      at most ${rows} rows on the page; heap ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB`);
    assert.ok(rows <= 80, `${rows} rows`);
  });

  it('stays open to the keyboard while a reply of 20,000 tokens arrives at 1,000 a second', async () => {
    await chat.newSession();
    const paragraph = `The scheduler keeps a **queue** of slots; each has an owner and a time.\n\n- one \`item\`\n- another\n\n`;
    const code = '```ts\nconst slots = queue.filter((slot) => slot.free);\n```\n\n';
    const text = (paragraph.repeat(6) + code).repeat(120);
    // 80 characters are some 20 tokens: 50 such pieces a second.
    server.answer({ text, pieceSize: 80, dripMs: 20 });
    await (await frame()).evaluate(WATCH);
    await chat.write('Tell me all of it.');
    await chat.button('Stop the reply').waitFor();
    while (await chat.button('Stop the reply').isVisible()) {
      await chat.composer().press('a');
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    const { delay, events, busy } = await (
      await frame()
    ).evaluate<{ delay: number; events: number; busy: number }>('globalThis.seen');
    console.log(
      `      ${text.length} characters; an input event waited at most ${delay.toFixed(0)} ms (of ${events} slow ones); the page was busy for at most ${busy.toFixed(0)} ms at a stretch`,
    );
    await chat.messages().last().locator('.usage').waitFor();
  });
});
