import assert from 'node:assert/strict';
import { MODEL_TABLE } from '../../../src/core/tokens/model-table.ts';
import {
  encodingFor,
  modelInfo,
  priceOf,
  UNKNOWN_CONTEXT_WINDOW,
  UNKNOWN_MAX_OUTPUT,
} from '../../../src/core/tokens/models.ts';

describe('the table of models', () => {
  it('says of each model what it holds, what it costs, from where and since when', () => {
    const ids = new Set<string>();
    for (const row of MODEL_TABLE) {
      assert.ok(!ids.has(row.id), `${row.id} twice`);
      ids.add(row.id);
      assert.ok(row.contextWindow >= row.maxOutput && row.maxOutput > 0, row.id);
      assert.ok((row.maxInput ?? 1) <= row.contextWindow, row.id);
      assert.ok((row.price.cachedInput ?? 0) <= row.price.input, row.id);
      assert.match(row.date, /^\d{4}-\d{2}-\d{2}$/);
      assert.notEqual(row.source, '');
    }
  });

  it('finds a model by its id with a date, a vendor or "latest" on it', () => {
    for (const id of [
      'gpt-4o-mini',
      'gpt-4o-mini-2024-07-18',
      'openai/gpt-4o-mini',
      'GPT-4o-mini',
      'gpt-4o-mini-latest',
    ]) {
      const model = modelInfo(id);
      assert.equal(model.known, true, id);
      assert.equal(model.id, id);
      assert.equal(model.price?.input, 0.15, id);
    }
    assert.equal(modelInfo('claude-haiku-4-5-20251001').contextWindow, 200_000);
    assert.equal(modelInfo('anthropic.claude-haiku-4-5').provider, 'anthropic');
  });

  it('takes a small window for a model nobody knows, and says that it is a guess', () => {
    const model = modelInfo('my-finetune');
    assert.equal(model.known, false);
    assert.equal(model.contextWindow, UNKNOWN_CONTEXT_WINDOW);
    assert.equal(model.maxOutput, UNKNOWN_MAX_OUTPUT);
    assert.equal(model.price, undefined);
    assert.equal(modelInfo('constructor').known, false);
  });

  it('lets a setting go before it, by the full or the bare name', () => {
    const overrides = { 'gpt-4o': { contextWindow: 64_000 }, 'my-model': { contextWindow: 32_000, maxOutput: 1000 } };
    assert.equal(modelInfo('gpt-4o-2024-08-06', overrides).contextWindow, 64_000);
    assert.equal(modelInfo('gpt-4o', overrides).maxOutput, 16_384);
    assert.equal(modelInfo('my-model', overrides).known, true);
    assert.equal(modelInfo('my-model', overrides).maxOutput, 1000);
  });

  it('knows the vocabulary of old and new models', () => {
    assert.equal(encodingFor('gpt-4'), 'cl100k_base');
    assert.equal(encodingFor('gpt-4-0613'), 'cl100k_base');
    assert.equal(encodingFor('gpt-3.5-turbo-16k'), 'cl100k_base');
    assert.equal(encodingFor('gpt-4o-search-preview'), 'o200k_base');
    assert.equal(encodingFor('gpt-4.1-2025-04-14'), 'o200k_base');
    assert.equal(encodingFor('claude-opus-5'), 'o200k_base');
    assert.equal(encodingFor('anything'), 'o200k_base');
  });
});

describe('the price of a reply', () => {
  const close = (actual: number | undefined, expected: number): void => {
    assert.ok(actual !== undefined && Math.abs(actual - expected) < 1e-12, `${String(actual)} is not ${expected}`);
  };

  it('counts input, output and what the cache gave or took, each at its own price', () => {
    close(priceOf({ input: 1_000_000, output: 0 }, modelInfo('gpt-4o-mini')), 0.15);
    close(priceOf({ input: 40_000, output: 6_000 }, modelInfo('gpt-4o-mini')), 0.0096);
    close(
      priceOf({ input: 1000, output: 0, cachedInput: 800 }, modelInfo('gpt-4o-mini')),
      (200 * 0.15 + 800 * 0.075) / 1e6,
    );
    const claude = modelInfo('claude-sonnet-5-5');
    close(
      priceOf({ input: 1000, output: 100, cachedInput: 600, cacheWrite: 300 }, claude),
      (100 * 2 + 600 * 0.2 + 300 * 2.5 + 100 * 10) / 1e6,
    );
  });

  it('rises where long requests cost more', () => {
    const luna = modelInfo('gpt-6-luna');
    close(priceOf({ input: 272_000, output: 1000 }, luna), (272_000 * 0.1 + 1000 * 0.5) / 1e6);
    close(priceOf({ input: 300_000, output: 1000 }, luna), (300_000 * 0.2 + 1000 * 0.75) / 1e6);
  });

  it('is unknown without a price, and nothing for the local provider', () => {
    assert.equal(priceOf({ input: 1000, output: 10 }, modelInfo('my-finetune')), undefined);
    assert.equal(priceOf({ input: 1000, output: 10 }, modelInfo('local')), 0);
  });

  it('is never negative, however odd the usage', () => {
    close(
      priceOf({ input: 10, output: 0, cachedInput: 50, cacheWrite: 50 }, modelInfo('gpt-4o-mini')),
      (10 * 0.075) / 1e6,
    );
  });
});
