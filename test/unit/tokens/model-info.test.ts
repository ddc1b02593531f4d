import assert from 'node:assert/strict';
import { RETIREMENTS } from '../../../src/core/tokens/model-overlay.ts';
import {
  countedPrice,
  encodingFor,
  knownModels,
  modelInfo,
  priceOf,
  UNKNOWN_CONTEXT_WINDOW,
} from '../../../src/core/tokens/model-info.ts';

describe('model data', () => {
  it('has valid token limits for every model, and valid prices where known', () => {
    assert.ok(knownModels().size > 300);
    for (const [id, { contextWindow = 0, maxOutput = 0, maxInput = 1, price }] of knownModels()) {
      assert.ok(contextWindow >= maxOutput && maxOutput > 0, id);
      assert.ok(maxInput <= contextWindow, id);
      if (price === undefined) continue;
      assert.ok(price.input >= 0 && price.output >= 0 && (price.cachedInput ?? 0) <= price.input, id);
    }
  });

  it('has a valid date for every retirement', () => {
    for (const [id, { on }] of RETIREMENTS) assert.ok(!Number.isNaN(Date.parse(on)), id);
  });

  it('knows the price of cached input', () => {
    assert.equal(modelInfo('gpt-6.2-astra').price?.cachedInput, 0.4);
    assert.equal(modelInfo('claude-sonnet-5-5').price?.cachedInput, 0.1);
  });

  it('knows which reasoning efforts a model supports', () => {
    assert.equal(modelInfo('gpt-6-luna').efforts?.[0], 'none');
    assert.equal(modelInfo('gpt-6.1-sol').efforts?.[0], 'low');
    assert.equal(modelInfo('gpt-5.4').efforts?.[0], 'none');
    assert.equal(modelInfo('claude-haiku-5-5').efforts?.[0], 'none');
    assert.equal(modelInfo('claude-sonnet-5-5').efforts?.[0], 'low');
    assert.equal(modelInfo('claude-haiku-4-5').efforts, undefined);
    assert.equal(modelInfo('gpt-4o').efforts, undefined);
    assert.deepEqual(modelInfo('my-finetune').efforts, []);
  });

  it('knows when a model retires and which model succeeds it', () => {
    assert.deepEqual(modelInfo('gpt-5-mini-2025-08-07').retires, { on: '2026-12-11', successor: 'gpt-6.1-terra' });
    assert.deepEqual(modelInfo('claude-opus-4-5').retires, { on: '2027-01-22', successor: 'claude-opus-5-5' });
    assert.deepEqual(modelInfo('gpt-5.4-nano-2026-03-17').retires, { on: '2027-04-01' });
    assert.equal(modelInfo('gpt-6-luna').retires, undefined);
    assert.equal(modelInfo('claude-opus-5', {}, { retires: { on: '2027-05-01' } }).retires?.on, '2027-05-01');
  });

  it('finds a model by an id with a date, a vendor prefix or "latest"', () => {
    const suffixed = ['gpt-4o-mini-2024-07-18', 'gpt-4o-mini-latest'];
    for (const id of ['gpt-4o-mini', 'openai/gpt-4o-mini', 'GPT-4o-mini', ...suffixed]) {
      const { id: name, known, contextWindow, price } = modelInfo(id);
      assert.deepEqual([name, known, contextWindow, price?.input], [id, true, 128_000, 0.15]);
    }
    assert.equal(modelInfo('claude-haiku-4-5-20251001').contextWindow, 200_000);
    assert.equal(modelInfo('anthropic.claude-haiku-4-5').vendor, 'anthropic');
  });

  it('marks an unknown model as unknown and assumes a common local server’s context window for it', () => {
    const model = modelInfo('my-finetune');
    assert.equal(model.known, false);
    assert.equal(model.contextWindow, UNKNOWN_CONTEXT_WINDOW);
    assert.equal(model.price, undefined);
    assert.equal(modelInfo('constructor').known, false);
  });

  it('lets a setting override a model’s data by its full or bare name', () => {
    const overrides = { 'gpt-4o': { contextWindow: 64_000 }, 'my-model': { contextWindow: 32_000, maxOutput: 1000 } };
    assert.equal(modelInfo('gpt-4o-2024-08-06', overrides).contextWindow, 64_000);
    assert.equal(modelInfo('gpt-4o', overrides).maxOutput, 16_384);
    assert.equal(modelInfo('my-model', overrides).known, true);
    assert.equal(modelInfo('my-model', overrides).maxOutput, 1000);
  });

  it('knows the encoding of old and new models', () => {
    assert.equal(encodingFor('gpt-4'), 'cl100k_base');
    assert.equal(encodingFor('gpt-4-0613'), 'cl100k_base');
    assert.equal(encodingFor('gpt-3.5-turbo-16k'), 'cl100k_base');
    assert.equal(encodingFor('gpt-4o-search-preview'), 'o200k_base');
    assert.equal(encodingFor('gpt-4.1-2025-04-14'), 'o200k_base');
    assert.equal(encodingFor('claude-opus-5'), 'o200k_base');
    assert.equal(encodingFor('anything'), 'o200k_base');
  });

  it('prices tokens as they are counted here, which are fewer than Claude’s', () => {
    const price = { input: 2, output: 10 };
    assert.deepEqual(countedPrice({ price, countFactor: 1.5 }), { input: 3, output: 15 });
    assert.equal(countedPrice({ countFactor: 1.5 }), undefined);
  });

  it('picks Claude’s count factor by generation, however a platform dates the model name', () => {
    for (const id of [
      ...['claude-sonnet-4-5@20250929', 'claude-sonnet-4-20250514', 'claude-3-5-haiku-latest'],
      ...['anthropic/claude-opus-4.1:thinking', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
    ])
      assert.equal(modelInfo(id).countFactor, 1.2, id);
    for (const id of ['claude-opus-4-7', 'claude-opus-5-5@20260901']) assert.equal(modelInfo(id).countFactor, 1.56, id);
  });
});

describe('price of a reply', () => {
  const close = (actual: number | undefined, expected: number): void => {
    assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-12, `${String(actual)} is not ${expected}`);
  };

  it('charges input, output, cache reads and cache writes at their own prices', () => {
    close(priceOf({ input: 1_000_000, output: 0 }, modelInfo('gpt-4o-mini')), 0.15);
    close(priceOf({ input: 40_000, output: 6_000 }, modelInfo('gpt-4o-mini')), 0.0096);
    close(
      priceOf({ input: 1000, output: 0, cachedInput: 800 }, modelInfo('gpt-4o-mini')),
      (200 * 0.15 + 800 * 0.075) / 1e6,
    );
    const claude = modelInfo('claude-sonnet-5-5');
    close(
      priceOf({ input: 1000, output: 100, cachedInput: 600, cacheWrite: 300 }, claude),
      (100 * 2 + 600 * 0.1 + 300 * 2.5 + 100 * 10) / 1e6,
    );
  });

  it('is higher for long requests to models that charge more for them', () => {
    const luna = modelInfo('gpt-6-luna');
    close(priceOf({ input: 272_000, output: 1000 }, luna), (272_000 * 0.1 + 1000 * 0.5) / 1e6);
    close(priceOf({ input: 300_000, output: 1000 }, luna), (300_000 * 0.2 + 1000 * 0.75) / 1e6);
  });

  it('is unknown for a model without a price, and zero for the local provider', () => {
    assert.equal(priceOf({ input: 1000, output: 10 }, modelInfo('my-finetune')), undefined);
    assert.equal(priceOf({ input: 1000, output: 10 }, modelInfo('local')), 0);
  });

  it('is what the provider reports, whatever the model’s price', () => {
    const usage = { input: 1000, output: 10, costUsd: 0.004 };
    for (const id of ['my-finetune', 'gpt-4o-mini']) assert.equal(priceOf(usage, modelInfo(id)), 0.004);
  });

  it('is zero for OpenRouter’s free variant of a model', () => {
    assert.equal(modelInfo('openai/gpt-oss-120b:free').contextWindow, modelInfo('openai/gpt-oss-120b').contextWindow);
    assert.equal(priceOf({ input: 1000, output: 10 }, modelInfo('openai/gpt-oss-120b:free')), 0);
  });

  it('is never negative, even with inconsistent usage', () => {
    close(
      priceOf({ input: 10, output: 0, cachedInput: 50, cacheWrite: 50 }, modelInfo('gpt-4o-mini')),
      (10 * 0.075) / 1e6,
    );
  });
});
