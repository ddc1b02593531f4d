import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Tiktoken } from 'js-tiktoken/lite';
import ranks from 'js-tiktoken/ranks/o200k_base';
import type { SessionJournal } from '../../../src/app/ports.ts';
import { BpeCounter } from '../../../src/core/tokens/bpe.ts';
import { tokenCounter, type TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import type { TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { countFiles } from '../../../src/storage/count-files.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { eventLoopYielder } from '../../support/yielders.ts';
import { inFolder } from '../../unit/storage/test-store.ts';
import { developerMessages, type BenchContext } from '../context.ts';
import { meterOf } from '../data/opening.ts';
import { Random } from '../../support/random.ts';
import { asMessages } from '../data/sessions-on-disk.ts';
import { cpuMs } from '../report/cpu.ts';
import { figure, type Figure, type Measured } from '../report/figure.ts';

const MEGABYTE = 1_000_000;

/** Counting throughput compared to js-tiktoken, inputs on which other counters stall, and the cost of a reload. */
export async function measureCounting(context: BenchContext): Promise<Measured> {
  context.print('counting');
  return { figures: [...(await throughput(context)), ...(await worst(context)), ...(await reload(context))] };
}

async function throughput(context: BenchContext): Promise<Figure[]> {
  const texts = someOf(
    developerMessages(context, 3_000).map(({ text }) => text),
    MEGABYTE,
  );
  const size = Buffer.byteLength(texts.join('')) / MEGABYTE;
  let counter = new BpeCounter(ranks);
  const count = (): void => texts.forEach((text) => counter.count(text));
  count();
  // The fastest of several runs, because garbage collection could double the time of a single one.
  const warm = Math.min(await cpuMs(count), await cpuMs(count), await cpuMs(count));
  const cold = await cpuMs(() => {
    counter = new BpeCounter(ranks);
    count();
  });
  let tiktoken = new Tiktoken(ranks);
  const encode = (): void => texts.forEach((text) => tiktoken.encode(text, [], []));
  const theirCold = await cpuMs(() => {
    tiktoken = new Tiktoken(ranks);
    encode();
  });
  const theirWarm = Math.min(await cpuMs(encode), await cpuMs(encode));
  const speed = (megabytes: number, ms: number): number => (megabytes / ms) * 1000;
  return [
    figure('speed.counting.warm', 'counting, warm', speed(size, warm), 'MB/s'),
    figure('speed.counting.cold', 'counting, vocabulary read included', speed(size, cold), 'MB/s'),
    figure('speed.counting.jsTiktoken.warm', 'js-tiktoken on the same texts, warm', speed(size, theirWarm), 'MB/s'),
    figure(
      'speed.counting.ratio.warm',
      'counting against js-tiktoken, warm',
      speed(size, warm) / speed(size, theirWarm),
      '×',
      { target: { atLeast: 5 }, guard: { worse: 'lower', margin: 0.45 } },
    ),
    figure('speed.counting.ratio.cold', 'the same, cold', speed(size, cold) / speed(size, theirCold), '×', {
      target: { atLeast: 5 },
      guard: { worse: 'lower', margin: 0.45 },
    }),
  ];
}

/** A sample of texts, of about `size` UTF-16 units, so that slow counters finish in time. */
function someOf(texts: readonly string[], size: number): string[] {
  const total = texts.reduce((sum, text) => sum + text.length, 0);
  const every = Math.max(1, Math.ceil(total / size));
  return texts.filter((_, at) => at % every === 0);
}

/** 1 MB each. Other counters take quadratic time in the length of an unbroken run. */
async function worst({ quick }: BenchContext): Promise<Figure[]> {
  const random = new Random(5);
  const from = (alphabet: readonly string[]): string =>
    Array.from({ length: MEGABYTE / Buffer.byteLength(alphabet[0]!) }, () => random.pick(alphabet)).join('');
  const cjk = Array.from({ length: 4_000 }, (_, at) => String.fromCodePoint(0x4e00 + at * 5));
  const inputs: Readonly<Record<string, () => string>> = {
    'one letter': () => 'a'.repeat(MEGABYTE),
    spaces: () => ' '.repeat(MEGABYTE),
    base64: () => from(Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')),
    'minified JavaScript': () => 'function(e,t){return e.x[t]&&(n=e.x[t](r))||o(e,!0===t?1:0)};'.repeat(MEGABYTE / 62),
    emoji: () => from(['😀', '🚀', '🧩', '🎯', '🪁', '🧵']),
    'random CJK': () => from(cjk),
  };
  const figures: Figure[] = [];
  for (const [name, make] of Object.entries(inputs)) {
    const counter = new BpeCounter(ranks);
    const text = make();
    const ms = await cpuMs(() => counter.count(text));
    figures.push(
      figure(
        `speed.worst.${name.replaceAll(/ (\w)/g, (_, letter: string) => letter.toUpperCase())}`,
        `1 MB of ${name}`,
        ms / 1000,
        's',
        { target: { atMost: 2 } },
      ),
    );
  }
  if (quick) return figures;
  const theirs = new Tiktoken(ranks);
  let letters = 500;
  let ms = 0;
  while (ms < 1_000 && letters < MEGABYTE) {
    letters *= 2;
    ms = await cpuMs(() => theirs.encode('a'.repeat(letters), [], []));
  }
  figures.push(
    figure(
      'speed.worst.jsTiktokenLetters',
      'letters in a row that keep js-tiktoken busy for over a second',
      letters,
      'count',
    ),
  );
  return figures;
}

/** Counts a session that is opened from a journal on disk, with and without stored counts. */
async function reload(context: BenchContext): Promise<Figure[]> {
  const count = context.quick ? 2_000 : 10_000;
  const bpe = new BpeCounter(ranks);
  const counter = tokenCounter(
    'o200k_base',
    (text) => bpe.count(text),
    (text, yielder) => bpe.countYielding(text, yielder),
  );
  const messages = developerMessages(context, count);
  const [fromNothing, fromDisk] = await inFolder((folder) => countTwice(folder, counter, messages));
  const characters = messages.reduce((sum, { text }) => sum + text.length, 0);
  context.print(`reload: ${characters} characters, ${fromNothing.toFixed(0)} ms and ${fromDisk.toFixed(1)} ms`);
  return [
    figure(
      `speed.reload${count}`,
      `counting ${count.toLocaleString('en-US')} messages again after a reload, against from nothing`,
      fromDisk / fromNothing,
      'share',
      { target: { atMost: 0.01 }, guard: { worse: 'higher', margin: 0.5, slack: 0.005 } },
    ),
  ];
}

/** The time in ms of a session's first count, and of the next one after closing and opening it. */
async function countTwice(
  folder: string,
  counter: TokenCounter,
  messages: readonly TranscriptMessage[],
): Promise<[fromNothing: number, fromDisk: number]> {
  const clock = { now: () => Date.now(), id: () => randomUUID(), yielder: eventLoopYielder() };
  const open = () => new FileSessionStore({ folder, clock, writer: randomUUID() });
  const load = (journal: SessionJournal): Promise<number> =>
    cpuMs(() =>
      meterOf({ journal, clock, counter, countStore: countFiles(folder, (warning) => assert.fail(warning)) }).load(),
    );
  const store = open();
  const journal = await store.create('', 'bench');
  await journal.append(...asMessages(messages).map((message) => ({ type: 'message_added', message }) as const));
  const fromNothing = await load(journal);
  await journal.close();
  await store.close();
  const later = open();
  const fromDisk = await load(await later.open(journal.id));
  await later.close();
  return [fromNothing, fromDisk];
}
