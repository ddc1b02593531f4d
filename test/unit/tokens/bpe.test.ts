import assert from 'node:assert/strict';
import { mock } from 'node:test';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import type { Yielder } from '../../../src/core/pace/yielder.ts';
import { BpeCounter } from '../../../src/core/tokens/bpe.ts';
import { Random } from '../../support/random.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { sharedTranscripts } from './shared-transcripts.ts';

const vocabularies = [
  ['o200k_base', o200k],
  ['cl100k_base', cl100k],
] as const;

/** js-tiktoken takes quadratic time in a piece's length, so it's only used up to this length. */
const MAX_RUN_LENGTH = /\S{600}|\s{600}/u;
/** Long enough for many steps, and a quadratic merge would take minutes. */
const LARGE = 1 << 18;

async function pausesOf<T>(work: (yielder: Yielder) => Promise<T>): Promise<readonly [result: T, pauses: number]> {
  let pauses = 0;
  const result = await work(
    alwaysDue(() => {
      pauses++;
    }),
  );
  return [result, pauses];
}

/** The lengths of the texts that were encoded in the meantime. */
async function encodedIn(work: () => Promise<unknown>): Promise<number[]> {
  const lengths: number[] = [];
  const encode = mock.method(TextEncoder.prototype, 'encode', (text: string) => {
    lengths.push(text.length);
    return Buffer.from(text);
  });
  try {
    await work();
  } finally {
    encode.mock.restore();
  }
  return lengths;
}

for (const [name, ranks] of vocabularies) {
  describe(`BPE token counter with ${name}`, () => {
    let counter: BpeCounter;
    let reference: Tiktoken;
    const expected = (text: string): number => reference.encode(text, [], []).length;

    before(() => {
      counter = new BpeCounter(ranks);
      reference = new Tiktoken(ranks);
    });

    it('agrees with js-tiktoken on runs too long to be cached', () => {
      const random = new Random(7);
      for (const length of [94, 95, 96, 97, 130, 400]) {
        const letters = Array.from({ length }, () => 'abcdefgh'[random.below(8)]).join('');
        const han = Array.from({ length }, () => String.fromCodePoint(0x4e00 + random.below(3000))).join('');
        for (const text of [letters, han, 'a'.repeat(length), ' '.repeat(length), '='.repeat(length)])
          assert.equal(counter.count(text), expected(text), `${length}: ${text.slice(0, 8)}`);
      }
    });

    it('agrees with js-tiktoken on samples of every shared transcript', function () {
      const transcripts = sharedTranscripts();
      if (transcripts === undefined) {
        this.skip(); // The shared transcripts are not here.
      } else {
        for (const [file, texts] of transcripts) {
          // A regular run only uses part of each file, because the reference takes half a minute for all of them.
          const some = texts.filter((text, i) => i % 12 === 0 && !MAX_RUN_LENGTH.test(text));
          for (const text of some) assert.equal(counter.count(text), expected(text), `${file}: ${text.slice(0, 60)}`);
        }
      }
    });

    it('yields while loading its vocabulary', async () => {
      const [read, pauses] = await pausesOf((yielder) => BpeCounter.load(ranks, yielder));
      assert.equal(read.count('hello world'), 2);
      assert.ok(pauses >= 20, `${pauses} pauses`);
    });

    it('encodes long runs to bytes in small chunks', async () => {
      const han = '漢'.repeat(LARGE);
      const lengths = await encodedIn(() => counter.countYielding(han, alwaysDue()));
      const total = lengths.reduce((sum, length) => sum + length);
      assert.equal(total, LARGE);
      assert.ok(Math.max(...lengths) <= 5_000, `${Math.max(...lengths)} at once`);
    });

    it('yields while counting large texts of any kind, and gets the same count as without yielding', async function () {
      const random = new Random(3);
      const pick = (from: string): string => from[random.below(from.length)]!;
      const base64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
      const hostile: Record<string, string> = {
        'one letter': 'a'.repeat(LARGE),
        spaces: ' '.repeat(LARGE),
        base64: Array.from({ length: LARGE }, () => pick(base64)).join(''),
        'random Han': Array.from({ length: LARGE / 2 }, () => String.fromCodePoint(0x4e00 + random.below(0x5000))).join(
          '',
        ),
      };
      for (const [what, text] of Object.entries(hostile)) {
        const [stepped, pauses] = await pausesOf((yielder) => counter.countYielding(text, yielder));
        assert.equal(stepped, counter.count(text), what);
        assert.ok(pauses > 3, `${what}: ${pauses} pauses`);
      }
    });
  });
}
