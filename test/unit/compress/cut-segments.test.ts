import assert from 'node:assert/strict';
import { cutSegments } from '../../../src/core/compress/cut-segments.ts';
import { transcript } from './summarize-fixtures.ts';

const upTo = (tokens: number) => ({ tokens, messages: 60 });

describe('session segmentation', () => {
  const chat = transcript(...Array.from('uauaua', (by) => [by === 'u' ? 'user' : 'assistant', 'x'] as const));
  const tokens = [50, 50, 50, 50, 50, 50];

  it('ends a segment at the end of a turn once the target size is reached', () => {
    assert.deepEqual(cutSegments(chat, tokens, upTo(100)), [
      { from: 0, to: 1, tokens: 100 },
      { from: 2, to: 3, tokens: 100 },
      { from: 4, to: 5, tokens: 100 },
    ]);
  });

  it('ends a segment at the message limit when the messages are short', () => {
    const short = transcript(...Array.from({ length: 200 }, () => ['user', 'yes'] as const));
    const cut = cutSegments(short, Array<number>(200).fill(8), { tokens: 24_000, messages: 60 });
    const sizes = cut.map((one) => [one.to - one.from + 1, one.tokens]);
    assert.deepEqual(sizes, [...Array.from({ length: 3 }, () => [60, 480]), [20, 160]]);
  });

  it('cuts a turn larger than a segment after each complete tool result', () => {
    const agent = transcript(
      ...Array.from('uatatta', (by) => [({ u: 'user', a: 'assistant', t: 'tool' } as const)[by as 'u'], 'x'] as const),
    );
    const ends = cutSegments(agent, [10, 100, 100, 100, 100, 100, 10], upTo(90)).map(({ to }) => to);
    assert.deepEqual(ends, [2, 4, 6]);
  });

  it('merges a remainder too small to be shortened into the previous segment', () => {
    assert.deepEqual(cutSegments(chat, [50, 50, 50, 50, 3, 3], upTo(100)).at(-1), { from: 2, to: 5, tokens: 106 });
    const small = [50, 50, 50, 50, 20, 20];
    assert.deepEqual(cutSegments(chat, small, upTo(100), 40).at(-1), { from: 4, to: 5, tokens: 40 });
    assert.deepEqual(cutSegments(chat, small, upTo(100), 41).at(-1), { from: 2, to: 5, tokens: 140 });
  });
});
