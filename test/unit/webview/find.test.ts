import assert from 'node:assert/strict';
import { findMatches } from '../../../src/webview/find.ts';

describe('find on the page', () => {
  it('marks exact matches in any case, even after letters whose lowercase form is longer', () => {
    const found = (text: string, words: string): string[] =>
      findMatches(text, words).map(({ from, to }) => text.slice(from, to));
    assert.deepEqual(found('İÇİŞLERİ BAKANI, bakan', 'bakan'), ['BAKAN', 'bakan']);
    assert.deepEqual(found('a.b (a+b)? [x] {y} \\n $^|', '(A+B)?'), ['(a+b)?']);
    assert.deepEqual(found('a.b a+b', '.'), ['.']);
  });
});
