import assert from 'node:assert/strict';
import { budgetOf, gauge, levelOf } from '../../../src/core/budget/gauge.ts';
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
  const budget = { tokens: 1000, reserved: 200, contextWindow: 1200 };

  it('shows the share of the budget in use and its parts, empty ones too', () => {
    const reading = gauge({ system: 100, ledger: 150, window: 250, recalled: 120 }, budget);
    assert.equal(reading.used, 620);
    assert.equal(reading.share, 0.62);
    assert.equal(reading.free, 380);
    assert.equal(reading.parts.memory, 0);
    assert.equal(reading.level, 'ok');
  });

  it('warns from 75 % and shows an error from 90 %', () => {
    assert.deepEqual([0.7499, 0.75, 0.8999, 0.9, 1.5].map(levelOf), ['ok', 'warning', 'warning', 'error', 'error']);
  });

  it('says by how much a request does not fit, and never that less than nothing is free', () => {
    const reading = gauge({ window: 1500 }, budget);
    assert.equal(reading.share, 1.5);
    assert.equal(reading.free, 0);
  });

  it('reads nothing of nothing as empty', () => {
    assert.equal(gauge({}, { tokens: 0, reserved: 0, contextWindow: 0 }).share, 0);
    assert.equal(gauge({ window: 1 }, { tokens: 0, reserved: 0, contextWindow: 0 }).level, 'error');
  });
});
