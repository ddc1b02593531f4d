import assert from 'node:assert/strict';
import { inEnglish, phrase, renderPhrase } from '../../../src/core/text/phrase.ts';

describe('phrase', () => {
  it('fills its placeholders, also with other phrases', () => {
    assert.equal(
      inEnglish(phrase('{0} was not saved: {1}.', phrase('the file {0}', 'a.md'), 3)),
      'the file a.md was not saved: 3.',
    );
  });

  it('renders in another language with the values in that language’s order', () => {
    const german = new Map([
      ['{0} was not saved: {1}.', '{1}: {0} wurde nicht gespeichert.'],
      ['the list', 'die Liste'],
    ]);
    const said = renderPhrase(
      phrase('{0} was not saved: {1}.', phrase('the list'), 'ENOSPC'),
      (english) => german.get(english) ?? english,
    );
    assert.equal(said, 'ENOSPC: die Liste wurde nicht gespeichert.');
  });

  it('leaves values unchanged, including braces', () =>
    assert.equal(inEnglish(phrase('{0} and {1}', '{1}', 'x')), '{1} and x'));
});
