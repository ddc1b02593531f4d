import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { budgetOf, gauge, GAUGE_PARTS } from '../../../src/core/budget/gauge.ts';

const tokens = fc.integer({ min: 0, max: 2_000_000 });

describe('any gauge', () => {
  it('adds up, and its budget and the reply fit the window', () => {
    const model = fc.record({
      contextWindow: fc.integer({ min: 1, max: 2_000_000 }),
      maxOutput: tokens,
      maxInput: tokens,
    });
    const parts = fc.record(Object.fromEntries(GAUGE_PARTS.map((part) => [part, tokens])), { requiredKeys: [] });
    fc.assert(
      fc.property(model, tokens, parts, (limits, reply, sent) => {
        const budget = budgetOf(limits, reply);
        assert.ok(budget.tokens >= 0 && budget.reserved >= 0);
        assert.ok(budget.tokens + budget.reserved <= limits.contextWindow);
        assert.ok(budget.tokens <= limits.maxInput && budget.reserved <= limits.maxOutput);
        const reading = gauge(sent, budget);
        const sum = Object.values(reading.parts).reduce((total, part) => total + part, 0);
        assert.equal(sum, reading.used);
        assert.equal(reading.free, Math.max(0, budget.tokens - reading.used));
        assert.equal(reading.share > 1, reading.used > budget.tokens);
      }),
    );
  });
});
