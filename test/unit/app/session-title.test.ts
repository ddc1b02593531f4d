import assert from 'node:assert/strict';
import { sessionTitleFrom } from '../../../src/app/session-title.ts';

describe('title of a session', () => {
  it('is cut at a word, and never within a character', () => {
    assert.equal(sessionTitleFrom('# Plan\r\nfor the release'), 'Plan');
    assert.equal(sessionTitleFrom('one two '.repeat(10)), `${'one two '.repeat(7)}one…`);
    const family = '👩‍👩‍👧‍👦';
    assert.equal(sessionTitleFrom(`${family.repeat(9)} trip`), `${family.repeat(5)}…`);
  });
});
