import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import { budgetOf, gaugeParts, GAUGE_PARTS } from '../../../src/core/budget/gauge.ts';

const tokens = fc.integer({ min: 0, max: 2_000_000 });

describe('context gauge', () => {
  it('has a budget that fits the context window together with the reserved reply', () => {
    const model = fc.record({
      contextWindow: fc.integer({ min: 1, max: 2_000_000 }),
      maxOutput: tokens,
      maxInput: tokens,
    });
    fc.assert(
      fc.property(model, tokens, (limits, reply) => {
        const budget = budgetOf(limits, reply);
        assert.ok(budget.tokens >= 0 && budget.reserved >= 0);
        assert.ok(budget.tokens + budget.reserved <= limits.contextWindow);
        assert.ok(budget.tokens <= limits.maxInput && budget.reserved <= limits.maxOutput);
      }),
    );
  });

  it('has parts that add up to the tokens used, each at most one token off its share', () => {
    const parts = fc.dictionary(fc.constantFrom(...GAUGE_PARTS), tokens);
    fc.assert(
      fc.property(parts, tokens, (sent, used) => {
        const whole = GAUGE_PARTS.reduce((total, part) => total + (sent[part] ?? 0), 0);
        const shown = gaugeParts(sent, used);
        const sum = shown.reduce((total, part) => total + part.tokens, 0);
        assert.equal(sum, whole === 0 ? 0 : used);
        for (const part of shown) {
          const exact = whole === 0 ? 0 : ((sent[part.name] ?? 0) * used) / whole;
          assert.ok(Math.abs(part.tokens - exact) < 1 + 1e-6, part.name);
        }
      }),
    );
  });
});
