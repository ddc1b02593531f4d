import assert from 'node:assert/strict';
import { keyEventId, messageId } from '../../../src/core/model/ids.ts';
import type { KeyEvent } from '../../../src/core/model/key-event.ts';
import { Redactor } from '../../../src/core/redact/redact.ts';
import { decisionRecord } from '../../../src/core/transcript/markdown-export.ts';

const decided = (quote: string): KeyEvent => ({
  ...{ id: keyEventId('e'), message: messageId('m'), kind: 'decision', quote, start: 0, end: quote.length },
  ...{ score: 1, importance: 2, reason: 'we keep', status: 'active', pinned: false },
});

describe('decision heading', () => {
  it('is not cut inside an emoji', () => {
    const quote = `${'数'.repeat(79)}🚢${'数'.repeat(20)}`;
    const text = [...decisionRecord({ title: 't', messages: [], events: [decided(quote)], summaries: [] })].join('');
    assert.ok(text.isWellFormed());
    assert.ok(text.includes(`\n1 decision, 1 in force.\n\n## 1. ${'数'.repeat(79)} …\n`));
  });

  it('contains no part of a secret that is masked in the export', () => {
    // Concatenated, so that secret scanners don't report this file.
    const secret = ['ghp_', 'a1B2c3D4e5F6g7H8'.repeat(3).slice(0, 36)].join('');
    const quote = `${'数'.repeat(60)}「${secret}」`;
    const redactor = new Redactor();
    const redact = (one: string): string => redactor.redact(one);
    const record = decisionRecord({ title: 't', messages: [], events: [decided(quote)], summaries: [], redact });
    const text = [...record].map(redact).join('');
    assert.ok(!text.includes('ghp_'), text);
    assert.equal(redactor.total, 1);
  });
});
