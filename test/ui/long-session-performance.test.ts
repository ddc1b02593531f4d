import assert from 'node:assert/strict';
import type { Frame } from 'playwright-core';
import { syntheticSession } from '../bench/data/synthetic.ts';
import type { WireServer } from '../support/wire-server.ts';
import { pageFrame } from './axe.ts';
import { chatServerSettings, ChatPage, startModelServer } from './chat-page.ts';

const SHORT = 100;
const LONG = 10_000;
/** The file names, which become the sessions' titles. Neither contains the other. */
const NAMES: Readonly<Record<number, string>> = { [SHORT]: 'the-short-one', [LONG]: 'ten-thousand' };
/** Maximum heap growth from scrolling through the whole session, in MB: 600 messages and what else was loaded. */
const MAX_GROWTH = 15;
/** How often each session is opened. The median counts. */
const OPENINGS = 9;
/** Maximum ratio between opening the long and the short session, in one run. */
const MAX_LONGER = 1.5;

/** A session's last message. */
const ending = (messages: number): string => `That was the last of ${messages} messages.`;

/** A transcript with this many messages about software development, with a realistic number of key events. */
function transcript(messages: number): string {
  const said = syntheticSession(messages - 1).map(({ role, text }) => ({ role, content: text }));
  return [...said, { role: 'assistant', content: ending(messages) }]
    .map((one, index) => `${JSON.stringify({ ...one, at: 1_760_000_000_000 + index })}\n`)
    .join('');
}

/**
 * Opens a session from the list. Returns the time until the host has sent it, and until its last message is visible, in
 * ms by the page's clock.
 */
const OPEN = `async (title, last) => {
  const row = [...document.querySelectorAll('.session-open')].find((one) => one.textContent.includes(title));
  const start = performance.now();
  let sent = 0;
  const heard = ({ data }) => {
    if (data.type === 'init') sent = performance.now() - start;
  };
  addEventListener('message', heard);
  row.click();
  for (;;) {
    if (performance.now() - start > 60_000) throw new Error('the last message did not come into view');
    await new Promise((resolve) => requestAnimationFrame(resolve));
    const shown = [...document.querySelectorAll('.message[data-message]')].at(-1);
    if (shown?.textContent.includes(last) && shown.getBoundingClientRect().top < innerHeight) break;
  }
  removeEventListener('message', heard);
  return { sent, shown: performance.now() - start };
}`;

interface Opening {
  readonly sent: number;
  readonly shown: number;
}

/**
 * Scrolls from the end to the beginning, by a little more than a view at a time. Returns the maximum number of rendered
 * rows.
 */
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

/**
 * Measures how long input events wait for the page, and how long the page is busy at a time, in ms. The longest tasks
 * come with their time since the start.
 */
const WATCH = `(() => {
  const begin = performance.now();
  const seen = (globalThis.seen = { delay: 0, events: 0, busy: [], total: 0 });
  new PerformanceObserver((list) => {
    for (const { startTime, processingStart } of list.getEntries()) {
      seen.events++;
      seen.delay = Math.max(seen.delay, processingStart - startTime);
    }
  }).observe({ type: 'event', durationThreshold: 16 });
  new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries())
      seen.busy = [...seen.busy, { ms: duration, at: startTime - begin }].sort((a, b) => b.ms - a.ms).slice(0, 3);
  }).observe({ type: 'longtask' });
})()`;

interface Seen {
  readonly delay: number;
  readonly events: number;
  readonly busy: readonly { readonly ms: number; readonly at: number }[];
}

/** A reply of about this many tokens with lists, prose, and code. */
function reply(tokens: number): string {
  const paragraph = `The scheduler keeps a **queue** of slots; each has an owner and a time.\n\n- one \`item\`\n- another\n\n`;
  const code = '```ts\nconst slots = queue.filter((slot) => slot.free);\n```\n\n';
  const piece = paragraph.repeat(6) + code;
  return piece.repeat(Math.round((tokens * 4) / piece.length));
}

// Times are printed. Only ratios of one run can fail the test, because the machine may be busy.
describe('very long session in the real page', function () {
  this.timeout(600_000);
  let server: WireServer;
  let chat: ChatPage;

  before(async function () {
    if (process.env.THREADKEEPER_LONG === undefined) this.skip();
    server = (await startModelServer()).answer('Yes.');
    chat = await ChatPage.open('long', { ...chatServerSettings(server), 'threadkeeper.summarizer.provider': 'local' });
    for (const count of [SHORT, LONG]) {
      await chat.workbench.importTranscript(`${NAMES[count]!}.jsonl`, transcript(count), count);
      await chat.workbench.compressHistory();
      await chat.workbench.waitForNotice(/Compressed [\d,.]+ messages/, { timeout: 240_000 });
      await chat.workbench.clearToasts();
    }
  });

  const frame = (): Promise<Frame> => pageFrame(chat.workbench);

  async function openFromList(count: number): Promise<Opening> {
    await chat.page.locator('.title-button').click();
    await chat.page.locator('.session-open').first().waitFor();
    const last = ending(count);
    return (await frame()).evaluate<Opening>(`(${OPEN})(${JSON.stringify(NAMES[count])}, ${JSON.stringify(last)})`);
  }

  it('opens with its last messages in view about as fast as a short session', async () => {
    const openings: Record<number, Opening[]> = { [SHORT]: [], [LONG]: [] };
    for (let turn = 0; turn < OPENINGS; turn++)
      for (const count of [SHORT, LONG]) openings[count]!.push(await openFromList(count));
    const median = (count: number, what: keyof Opening): number =>
      openings[count]!.map((one) => one[what]).sort((a, b) => a - b)[OPENINGS >> 1]!;
    for (const count of [SHORT, LONG])
      console.log(
        `      ${count} messages: sent after ${median(count, 'sent').toFixed(0)} ms, in view after ${median(count, 'shown').toFixed(0)} ms`,
      );
    const ratio = median(LONG, 'shown') / median(SHORT, 'shown');
    console.log(`      ratio ${ratio.toFixed(2)}`);
    assert.ok(ratio <= MAX_LONGER, `${ratio.toFixed(2)} times as long`);
  });

  it('keeps rendered rows and heap growth bounded while it is scrolled through completely', async () => {
    // The page shares its process with the workbench, so the heap is that of both.
    const tools = await chat.workbench.page.context().newCDPSession(chat.workbench.page);
    await tools.send('Performance.enable');
    const heap = async (): Promise<number> => {
      await tools.send('HeapProfiler.collectGarbage');
      const { metrics } = await tools.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1e6;
    };
    const before = await heap();
    const rows = await (await frame()).evaluate<number>(`(${SCROLL})()`);
    await chat.page.locator('.message[aria-posinset="1"][data-message]').waitFor();
    const after = await heap();
    console.log(`      at most ${rows} rows on the page; heap ${before.toFixed(1)} MB, then ${after.toFixed(1)} MB`);
    assert.ok(rows <= 80, `${rows} rows`);
    assert.ok(after - before <= MAX_GROWTH, `${(after - before).toFixed(1)} MB more`);
  });

  it('accepts keyboard input while a 20,000-token reply streams at 1,000 tokens per second', async () => {
    const tools = await chat.workbench.page.context().newCDPSession(chat.workbench.page);
    // CPU time, so that other load on the machine doesn't count.
    await tools.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busy = async (): Promise<number> => {
      const { metrics } = await tools.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    };
    const spent: number[] = [];
    for (const tokens of [10_000, 20_000]) {
      await chat.newSession();
      // 80 characters are about 20 tokens, so this is 50 chunks per second.
      server.answer({ text: reply(tokens), pieceSize: 80, dripMs: 20 });
      await (await frame()).evaluate(WATCH);
      const before = await busy();
      await chat.submit('Tell me all of it.');
      await chat.button('Stop Response').waitFor();
      while (await chat.button('Stop Response').isVisible()) {
        await chat.composer().press('a');
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      spent.push((await busy()) - before);
      const seen = await (await frame()).evaluate<Seen>('globalThis.seen');
      const longest = seen.busy.map(({ ms, at }) => `${ms.toFixed(0)} ms at ${(at / 1000).toFixed(1)} s`).join(', ');
      console.log(
        `      ${tokens} tokens: an input event waited at most ${seen.delay.toFixed(0)} ms (of ${seen.events} slow ones); longest stretches: ${longest}`,
      );
    }
    console.log(
      `      busy for ${spent[0]!.toFixed(1)} s with 10,000 tokens, ${spent[1]!.toFixed(1)} s with 20,000: ${(spent[1]! / spent[0]!).toFixed(2)} times`,
    );
    await chat.messages().last().locator('.usage').waitFor();
  });
});
