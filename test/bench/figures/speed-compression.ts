import { monitorEventLoopDelay } from 'node:perf_hooks';
import { detectEvents } from '../../../src/core/events/detect.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { Harness } from '../../unit/app/harness.ts';
import { compressAtOnce, tokensOf } from '../compress-at-once.ts';
import { appendMessages } from '../append-messages.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { cpuMs, watchLoop } from '../report/cpu.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';

/**
 * Compression without a model, including token counts, with the time for which the event loop is blocked, and event
 * detection alone.
 */
export async function measureCompression(context: BenchContext): Promise<Measured> {
  const figures: Figure[] = await detection(context);
  for (const count of context.quick ? [1_000] : [1_000, 10_000]) {
    const messages = developerMessages(context, count);
    figures.push(...(await inSession(messages, context)), ...(await atOnce(messages, context)));
  }
  return { figures };
}

const LIMITS: Readonly<Record<number, number>> = { 1_000: 1, 10_000: 8 };
const MAX_HELD = { atMost: 50 } as const;

/** Like in the editor: imported messages are counted and then compressed by the command. */
async function inSession(messages: readonly TranscriptMessage[], { print }: BenchContext): Promise<Figure[]> {
  print(`compressing ${messages.length} messages in a session`);
  await using harness = await Harness.open();
  const conversation = await harness.converse();
  await appendMessages(conversation, messages);
  const loop = watchLoop();
  const delay = monitorEventLoopDelay({ resolution: 5 });
  delay.enable();
  let outcome = '';
  const ms = await cpuMs(async () => {
    await conversation.meter.countNew();
    outcome = (await conversation.compressNow()).kind;
  });
  delay.disable();
  const held = loop.stop();
  print(`${outcome}; longest delay by the clock ${(delay.max / 1e6).toFixed(0)} ms`);
  await conversation.close();
  const name = messages.length.toLocaleString('en-US');
  return [
    figure(
      `speed.compress${messages.length}.session`,
      `${name} messages compressed in a session, counts included`,
      ms / 1000,
      's',
      { target: { atMost: LIMITS[messages.length] ?? 1 } },
    ),
    figure(`speed.compress${messages.length}.held`, 'the same: longest stretch without a pause', held, 'ms', {
      target: MAX_HELD,
    }),
    figure(
      `speed.compress${messages.length}.delay`,
      'the same: longest event-loop delay by the clock, other programs included',
      delay.max / 1e6,
      'ms',
    ),
  ];
}

/** Like the command line: compresses a transcript to 10% of its tokens. */
async function atOnce(messages: readonly TranscriptMessage[], { counter, print }: BenchContext): Promise<Figure[]> {
  print(`compressing ${messages.length} messages at once`);
  const target = Math.floor(tokensOf(messages, counter) / 10);
  const loop = watchLoop();
  const ms = await cpuMs(() => compressAtOnce(messages, target, counter));
  const held = loop.stop();
  const againMs = await cpuMs(() => compressAtOnce(messages, target, counter));
  const name = messages.length.toLocaleString('en-US');
  return [
    figure(
      `speed.compress${messages.length}.again`,
      `${name} messages to a tenth at once, when the code has been compiled by an earlier run`,
      againMs / 1000,
      's',
      { target: { atMost: LIMITS[messages.length] ?? 1 } },
    ),
    figure(`speed.compress${messages.length}.atOnce`, `${name} messages to a tenth at once`, ms / 1000, 's', {
      target: { atMost: LIMITS[messages.length] ?? 1 },
    }),
    figure(`speed.compress${messages.length}.atOnceHeld`, 'the same: longest stretch without a pause', held, 'ms', {
      target: MAX_HELD,
    }),
  ];
}

async function detection(context: BenchContext): Promise<Figure[]> {
  context.print('detection');
  const messages = developerMessages(context, 1_000);
  const detect = (all: readonly TranscriptMessage[]): void => {
    all.forEach(({ role, text }, at) => {
      const before = all[at - 1];
      detectEvents({ role, text }, before ? { before: { role: before.role, text: before.text } } : {});
    });
  };
  const ms = await cpuMs(() => detect(messages));
  const prose = messages.filter(({ role, text }) => role !== 'tool' && !text.includes('```'));
  const proseMs = await cpuMs(() => detect(prose));
  const perByte = proseMs / prose.reduce((sum, { text }) => sum + text.length, 0);
  const size = 1_000_000;
  const inputs = [
    'x'.repeat(size),
    ' '.repeat(size),
    '> '.repeat(size / 2),
    "we decided to use it, don't ".repeat(size / 27),
  ];
  let worst = 0;
  for (const text of inputs)
    worst = Math.max(worst, (await cpuMs(() => detect([{ role: 'user', text }]))) / text.length);
  return [
    figure('speed.detect1000', 'key events of 1,000 messages', ms / 1000, 's', { target: { atMost: 0.5 } }),
    figure('speed.detectWorst', 'worst input against prose, per character', worst / perByte, '×', {
      target: { atMost: 3 },
      guard: { worse: 'higher', margin: 0.5, slack: 0.5 },
    }),
  ];
}
