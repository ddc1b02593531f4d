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

  /** The part of an excerpt that is found in a rendered message. */
  const foundIn = (rendered: string, source: string, excerpt: string, query: string, mayHide = false) => {
    const span = findExcerpt(rendered, source, { excerpt, query }, mayHide);
    return span && `${rendered.slice(span.from, span.to)}@${span.from}`;
  };

  it('finds the part of an excerpt with most of the words, without marks and addresses', () => {
    const rendered = 'The gateway. Its port, as the docs say, is 8443 🎉 now.';
    const excerpt = 'way.\n- Its **port**, as the [docs](https://example.org/port) say, is `8443` :tada:';
    const found = (part: string, query: string) => foundIn(rendered, `The gate${excerpt} now.`, part, query);
    assert.equal(found(excerpt, 'gateway PORT'), 'Its port, as the@13');
    assert.equal(found(excerpt, 'docks'), 'Its port, as the@13');
    assert.equal(found('[docs](https://example.org/port)', 'doc'), 'docs@30');
    assert.equal(foundIn(rendered, 'The gateway. Its port', 'The gateway. Its port', ''), 'The gateway@0');
    assert.equal(found('*** (!)', 'port'), undefined);
    assert.equal(foundIn(rendered, 'The host is example.org.', 'The host is example.org.', 'port'), undefined);
  });

  it('finds no short part of an excerpt elsewhere when its words are in output that is collapsed', () => {
    for (const [said, output, query] of [
      ['I fixed app.ts in step 2.', 'Error: ECONNREFUSED 127.0.0.1:5432 in src/app.ts', 'ECONNREFUSED'],
      ['I fixed app.ts in step 2.', 'TypeError: cannot read x (app.ts)', 'TypeError'],
      ['I fixed app.ts in step 2.', 'TypeError: cannot read x (app.ts)', ''],
      ['I fixed app.ts in step 2.', 'cannot read x (app.ts)', 'app'],
      ['We keep v2 of it.', 'build 1.2.3 failed', 'failed'],
      ['We keep v2 of it.', 'build 1.2.3 failed', '2'],
    ] as const) {
      for (const whole of [`${said}\n${output}`, `${output}\n${said}`]) {
        assert.equal(foundIn(said, whole, output, query, true), undefined, whole);
        const at = Number(foundIn(whole, whole, output, query)!.split('@')[1]) - whole.indexOf(output);
        assert.ok(at >= 0 && at < output.length, whole);
      }
    }
    const whole = 'I fixed app.ts in step 2 and ran the tests again.\nError: ECONNREFUSED 127.0.0.1:5432';
    assert.equal(foundIn(whole.split('\n')[0]!, whole, whole, 'ECONNREFUSED', true), undefined);
  });

  it('goes by the longest word of a query, and by whole words or their beginnings', () => {
    const source = 'This is a fix for the build.\nserver port=8443';
    assert.equal(foundIn('This is a fix for the build.', source, source, 'what is the port?', true), undefined);
    assert.equal(foundIn(source, source, source, 'what is the port?'), 'server port=8443@29');
  });

  it('finds the words of an excerpt where it is in the message, not where they are first', () => {
    const source = 'The **port** is open.\n\n| port | 8443 |';
    assert.equal(foundIn('The port is open.\nport8443', source, '| port | 8443 |', 'port'), 'port@18');
  });
});
