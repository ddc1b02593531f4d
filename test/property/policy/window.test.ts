import assert from 'node:assert/strict';
import fc from 'fast-check';
import { cutSegments, safeCuts, startsTurn } from '../../../src/core/compress/segments.ts';
import { windowStart } from '../../../src/core/policy/window.ts';
import { sessions } from '../compress/arbitraries.ts';
import { runs } from '../runs.ts';
import { counter } from '../compress/small-runs.ts';

describe('the window of any session', () => {
  it('begins where a segment may, keeps what is asked for where it fits, and never takes more than its room', () => {
    const keeps = fc.integer({ min: 1, max: 30 });
    fc.assert(
      fc.property(sessions, keeps, fc.integer({ min: 0, max: 6_000 }), (messages, keep, maxTokens) => {
        const tokens = messages.map((message) => counter.message(message));
        const start = windowStart(messages, tokens, { keep, maxTokens });
        const takes = (from: number): number => tokens.slice(from).reduce((sum, one) => sum + one, 0);
        assert.ok(start >= 0 && start <= messages.length);
        assert.ok(takes(start) <= maxTokens, `${takes(start)} tokens in a room of ${maxTokens}`);

        const cuts = safeCuts(messages, 0, messages.length - 1);
        if (start > 0 && start < messages.length) {
          assert.ok(cuts.has(start - 1), 'no call is parted from its result');
          assert.ok(startsTurn(messages[start]!) || !startsTurn(messages[start - 1]!), 'no question from its answer');
        }
        // What leaves is cut into segments as it would be with more behind it: none goes over the edge.
        const left = cutSegments(messages, tokens, 200, 0, start - 1);
        assert.equal(left.at(-1)?.to ?? -1, start - 1);

        const wished = Math.max(0, messages.length - keep);
        if (start > wished) {
          let before = start - 1;
          while (before > 0 && !startsTurn(messages[before]!)) before--;
          if (before <= wished && start < messages.length)
            assert.ok(takes(before) > maxTokens, 'as much is kept as was asked for, where it fits');
        }
      }),
      runs(300),
    );
  });
});
