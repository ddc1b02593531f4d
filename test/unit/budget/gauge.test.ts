import assert from 'node:assert/strict';
import { budgetOf, gaugeParts, levelOf } from '../../../src/core/budget/gauge.ts';
import { modelInfo } from '../../../src/core/tokens/models.ts';

describe('the budget of a request', () => {
  it("is the model's window less the room for the reply", () => {
    assert.deepEqual(budgetOf(modelInfo('gpt-4o-mini'), 4096), {
      tokens: 128_000 - 4096,
      reserved: 4096,
      contextWindow: 128_000,
    });
  });

  it('reserves no more than the model can write', () => {
    assert.equal(budgetOf(modelInfo('gpt-4o-mini'), 50_000).reserved, 16_384);
  });

  it('never exceeds what the model takes as input', () => {
    assert.equal(budgetOf(modelInfo('gpt-5'), 4096).tokens, 272_000);
  });

  it('leaves at least half of a small window for what is sent', () => {
    assert.deepEqual(budgetOf({ contextWindow: 4001, maxOutput: 4001 }, 4000), {
      tokens: 2001,
      reserved: 2000,
      contextWindow: 4001,
    });
    assert.equal(budgetOf({ contextWindow: 4000, maxOutput: 4000 }, -5).tokens, 4000);
  });
});

describe('the gauge', () => {
  it('shows the share of the budget in use and its parts, empty ones too', () => {
    const parts = gaugeParts({ system: 100, ledger: 150, window: 250, recalled: 120 }, 620);
    assert.deepEqual(
      parts.map(({ name, tokens }) => [name, tokens]),
      [
        ['system', 100],
        ['rules', 0],
        ['memory', 0],
        ['ledger', 150],
        ['summaries', 0],
        ['window', 250],
        ['task', 0],
        ['attachments', 0],
        ['recalled', 120],
      ],
    );
  });

  it('has parts that add up to what is in use, however the provider counts', () => {
    for (const used of [623, 744, 311, 1]) {
      const parts = gaugeParts({ system: 100, ledger: 150, window: 250, recalled: 120 }, used);
      assert.equal(
        parts.reduce((sum, { tokens }) => sum + tokens, 0),
        used,
      );
      for (const { name, tokens } of parts) if (name === 'memory' || name === 'task') assert.equal(tokens, 0);
    }
  });

  it('has empty parts where nothing is sent', () => {
    assert.ok(gaugeParts({}, 3).every(({ tokens }) => tokens === 0));
  });

  it('warns from 75 % and shows an error from 90 %', () => {
    assert.deepEqual([0.7499, 0.75, 0.8999, 0.9, 1.5].map(levelOf), ['ok', 'warning', 'warning', 'error', 'error']);
  });
});
