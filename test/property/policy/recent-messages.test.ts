import assert from 'node:assert/strict';
import fc from 'fast-check';
import { safeCuts } from '../../../src/core/compress/cut-segments.ts';
import { recentStart } from '../../../src/core/policy/policy.ts';
import { sessions } from '../compress/arbitraries.ts';
import { runs } from '../runs.ts';
import { counter } from '../compress/compression-fixtures.ts';

describe('recent messages of any session', () => {
  it('keep each call with its result, keep the requested number if it fits, and stay within their token limit', () => {
    const keeps = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(sessions, keeps, fc.integer({ min: 0, max: 6_000 }), (messages, keep, maxTokens) => {
        const tokens = messages.map((message) => counter.message(message));
        const start = recentStart(messages, tokens, { keep, maxTokens });
        const takes = (from: number): number => tokens.slice(from).reduce((sum, one) => sum + one, 0);
        assert.ok(start >= 0 && start <= messages.length);
        assert.ok(takes(start) <= maxTokens, `${takes(start)} tokens in a room of ${maxTokens}`);

        const cuts = safeCuts(messages, 0, messages.length - 1);
        if (start > 0 && start < messages.length) assert.ok(cuts.has(start - 1), 'no call is parted from its result');
        const wished = Math.max(0, messages.length - keep);
        let boundary = wished;
        while (boundary > 0 && boundary < messages.length && !cuts.has(boundary - 1)) boundary--;
        if (takes(boundary) <= maxTokens) assert.equal(start, boundary, 'as many stay as are asked for');
        else assert.ok(start > boundary, 'fewer where they do not fit');
      }),
      runs(300),
    );
  });
});
