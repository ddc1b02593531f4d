import assert from 'node:assert/strict';
import { budgetOf, gaugeParts, gaugeLevelOf } from '../../../src/core/budget/gauge.ts';
import { modelInfo } from '../../../src/core/tokens/model-info.ts';

describe('request budget', () => {
  const small = { contextWindow: 4001, maxOutput: 4001 };
  for (const [what, model, reply, tokens, reserved] of [
    ['is the model’s context window minus the reply reserve', modelInfo('gpt-4o-mini'), 4096, 128_000 - 4096, 4096],
    ['reserves no more than the model’s maximum output', modelInfo('gpt-4o-mini'), 50_000, 128_000 - 16_384, 16_384],
    ['never exceeds the model’s input limit', modelInfo('gpt-5'), 4096, 272_000, 4096],
    ['leaves at least half of a small context window for the request', small, 4000, 2001, 2000],
    ['treats a negative reply reserve as zero', small, -5, 4001, 0],
  ] as const)
    it(what, () => assert.deepEqual(budgetOf(model, reply), { tokens, reserved }));
});

describe('gauge', () => {
  it('lists the tokens of every part, including empty ones', () => {
    const parts = gaugeParts({ system: 100, ledger: 150, recent: 250, recalled: 120 }, 620);
    assert.equal(
      parts.map(({ name, tokens }) => `${name} ${tokens}`).join(', '),
      'system 100, rules 0, memory 0, ledger 150, summaries 0, recent 250, task 0, attachments 0, recalled 120',
    );
  });

  it('warns from 75% and shows an error from 90%', () => {
    assert.deepEqual([0.7499, 0.75, 0.8999, 0.9, 1.5].map(gaugeLevelOf), [
      'ok',
      'warning',
      'warning',
      'error',
      'error',
    ]);
  });
});
