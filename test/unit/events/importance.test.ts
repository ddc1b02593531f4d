import assert from 'node:assert/strict';
import * as v from 'valibot';
import { keyEventSchema } from '../../../src/core/model/key-event.ts';

describe('importance of a key event', () => {
  const stored = {
    id: 'e1',
    message: 'm1',
    start: 0,
    end: 7,
    quote: 'use tabs',
    score: 0.9,
    reason: 'prefer',
    status: 'active',
    pinned: false,
  };

  it('defaults to the importance of its kind in journals that did not record it', () => {
    assert.equal(v.parse(keyEventSchema, { ...stored, kind: 'preference' }).importance, 3);
    assert.equal(v.parse(keyEventSchema, { ...stored, kind: 'todo' }).importance, 2);
    const corrected = v.parse(keyEventSchema, { ...stored, kind: 'todo', found: { ...stored, kind: 'decision' } });
    assert.equal(corrected.found?.importance, 3);
  });

  it('is kept when recorded and rejected when invalid', () => {
    assert.equal(v.parse(keyEventSchema, { ...stored, kind: 'preference', importance: 2 }).importance, 2);
    assert.throws(() => v.parse(keyEventSchema, { ...stored, kind: 'todo', importance: 1 }));
  });
});
