import assert from 'node:assert/strict';
import { findExcerpt, findMatches } from '../../../src/webview/find.ts';

describe('find on the page', () => {
  it('marks exact matches in any case, even after letters whose lowercase form is longer', () => {
    const found = (text: string, words: string): string[] =>
      findMatches(text, words).map(({ from, to }) => text.slice(from, to));
    assert.deepEqual(found('İÇİŞLERİ BAKANI, bakan', 'bakan'), ['BAKAN', 'bakan']);
    assert.deepEqual(found('a.b (a+b)? [x] {y} \\n $^|', '(A+B)?'), ['(a+b)?']);
    assert.deepEqual(found('a.b a+b', '.'), ['.']);
  });

  it('finds the part of an excerpt with most of the words, without marks and addresses', () => {
    const rendered = 'The gateway. Its port, as the docs say, is 8443 🎉 now.';
    const found = (excerpt: string, query: string): string | undefined => {
      const span = findExcerpt(rendered, { excerpt, query });
      return span && rendered.slice(span.from, span.to);
    };
    const excerpt = 'way.\n- Its **port**, as the [docs](https://example.org/port) say, is `8443` :tada:';
    assert.equal(found(excerpt, 'gateway PORT'), 'Its port, as the');
    assert.equal(found('The gateway. Its port', ''), 'The gateway');
    assert.equal(found('*** (!)', 'port'), undefined);
    assert.equal(found('The host is example.org.', 'port'), undefined);
  });
});
