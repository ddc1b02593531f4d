import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { Tiktoken } from 'js-tiktoken/lite';
import cl100k from 'js-tiktoken/ranks/cl100k_base';
import o200k from 'js-tiktoken/ranks/o200k_base';
import { BpeCounter } from '../../../src/core/tokens/bpe.ts';
import { runs } from '../runs.ts';

/** First and last code points of blocks that the vocabularies' patterns treat differently. */
const BLOCKS: readonly (readonly [number, number])[] = [
  [0x20, 0x7e],
  [0xa0, 0x24f],
  [0x300, 0x36f],
  [0x370, 0x52f],
  [0x590, 0x6ff],
  [0x900, 0x97f],
  [0xe00, 0xe7f],
  [0x2000, 0x206f],
  [0x2150, 0x218f],
  [0x3040, 0x30ff],
  [0x4e00, 0x9fff],
  [0xac00, 0xd7a3],
  [0xd800, 0xdfff],
  [0x1d400, 0x1d7ff],
  [0x1f300, 0x1f6ff],
];
const inBlock = fc.oneof(...BLOCKS.map(([from, to]) => fc.integer({ min: from, max: to })));
const oneScript = fc
  .constantFrom(...BLOCKS)
  .chain(([from, to]) => fc.array(fc.integer({ min: from, max: to }), { maxLength: 40 }));
const troublesome = fc.constantFrom(..."'sStTlLdDmMreve \n\r\t/.1aA_ǅªé中\u0301😀".split(''));
const text = fc
  .array(
    fc.oneof(
      oneScript.map((codes) => String.fromCodePoint(...codes)),
      fc.array(inBlock, { maxLength: 10 }).map((codes) => String.fromCodePoint(...codes)),
      fc.array(troublesome, { maxLength: 20 }).map((parts) => parts.join('')),
      fc.tuple(troublesome, fc.integer({ min: 1, max: 130 })).map(([unit, times]) => unit.repeat(times)),
      fc.constantFrom("'ll ", "don't", '\r\n', '   ', '<|endoftext|>', '123456', 'fooBarBAZ'),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join(''));

describe('token counts of random text in many scripts', () => {
  for (const [name, ranks] of [
    ['o200k_base', o200k],
    ['cl100k_base', cl100k],
  ] as const) {
    it(`match js-tiktoken with ${name}`, () => {
      const counter = new BpeCounter(ranks);
      const reference = new Tiktoken(ranks);
      fc.assert(
        fc.property(text, (sample) => {
          assert.equal(counter.count(sample), reference.encode(sample, [], []).length);
        }),
        runs(300),
      );
    });
  }
});
