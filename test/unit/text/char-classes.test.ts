import assert from 'node:assert/strict';
import { charClassAt, LETTER, UPPER } from '../../../src/core/text/char-classes.ts';

describe('the class of a character', () => {
  it('is that of a surrogate pair, not of its halves, whichever was seen first', () => {
    for (const text of ['𝒜', '𝒜'.slice(1), '𝒜'])
      assert.equal(charClassAt(text, 0) & (LETTER | UPPER), text.length === 2 ? LETTER | UPPER : 0);
  });
});
