import assert from 'node:assert/strict';
import { CharClasses, LETTER, OTHER, UPPER } from '../../../src/core/text/char-classes.ts';

describe('character classes', () => {
  it('distinguish a surrogate pair from its halves, whichever was seen first', () => {
    const capital = '𝒜';
    const [high, low] = [capital[0]!, capital[1]!];
    for (const texts of [
      [high, low, capital],
      [capital, high, low],
    ]) {
      const classes = new CharClasses();
      for (const text of [...texts, ...texts])
        assert.equal(classes.at(text, 0), text === capital ? LETTER | UPPER : OTHER, JSON.stringify(text));
    }
  });
});
