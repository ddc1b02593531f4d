import assert from 'node:assert/strict';
import { keyEventId, messageId } from '../../../src/core/model/ids.ts';
import { decisionRecord } from '../../../src/core/transcript/decision-record.ts';

describe('decision heading', () => {
  it('is not cut inside an emoji', () => {
    const quote = `${'数'.repeat(79)}🚢${'数'.repeat(20)}`;
    const events = [
      {
        ...{ id: keyEventId('e'), message: messageId('m'), kind: 'decision' as const, quote, start: 0, end: 101 },
        ...{ score: 1, importance: 2 as const, reason: 'we keep', status: 'active' as const, pinned: false },
      },
    ];
    const text = [...decisionRecord({ title: 't', messages: [], events, summaries: [] })].join('');
    assert.ok(text.isWellFormed());
    assert.ok(text.includes(`## 1. ${'数'.repeat(79)} …\n`));
  });
});
