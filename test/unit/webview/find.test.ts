import assert from 'node:assert/strict';
import { findMatches } from '../../../src/webview/find.ts';

describe('words that are found on the page', () => {
  it('are marked where they stand, in whatever case, and behind letters that are two in lower case', () => {
    const found = (text: string, words: string): string[] =>
      findMatches(text, words).map(({ from, to }) => text.slice(from, to));
    assert.deepEqual(found('İÇİŞLERİ BAKANI, bakan', 'bakan'), ['BAKAN', 'bakan']);
    assert.deepEqual(found('a.b (a+b)? [x] {y} \\n $^|', '(A+B)?'), ['(a+b)?']);
    assert.deepEqual(found('a.b a+b', '.'), ['.']);
  });
});
