import assert from 'node:assert/strict';
import {
  differences,
  flavourOf,
  liveConfig,
  liveLine,
  runLive,
  runStrict,
  type LiveProvider,
} from '../../../scripts/live/run-live.ts';
import { onStrictServer } from '../../support/strict/redirect-vendors.ts';
import { StrictServer, type Flavour } from '../../support/strict/strict-server.ts';

const live = (provider: LiveProvider, flavour: Flavour, model?: string, think?: number) =>
  onStrictServer(flavour, think === undefined ? {} : { think }, ({ url }) => {
    const own = provider === 'compatible' ? { baseUrl: url } : {};
    return runLive(liveConfig(provider, { apiKey: 'k', ...own, ...(model && { model }) }));
  });

describe('the live check', () => {
  for (const [provider, flavour, model] of [
    ['openai', 'openai'],
    ['anthropic', 'anthropic'],
    ['compatible', 'vllm', 'llama3.1:8b'],
  ] as const) {
    it(`runs ten turns and a compression, and reports their results: ${provider}`, async () => {
      const results = await live(provider, flavour, model);
      assert.equal(results.length, 11);
      const areComplete = results.every(({ ending, hasText, usage }) => ending === 'complete' && hasText && usage);
      assert.ok(areComplete, liveLine(results.at(-1)!));
      if (provider !== 'compatible')
        assert.ok(results.slice(1, 10).every(({ usage }) => (usage?.cachedInput ?? 0) > 1_000));
      assert.deepEqual(differences(results, await live(provider, flavour, model)), []);
    });
  }

  it('compares a self-hosted server with the strict server of its kind, whatever its model is called', async () => {
    await using server = await StrictServer.start('vllm', { think: 0 });
    const config = liveConfig('compatible', { model: 'qwen3:4b', baseUrl: `${server.url}/v1`, apiKey: 'k' });
    const found = differences(await runLive(config), (await runStrict(config)).results);
    assert.match(found.join('\n'), /turn 1: reasoning reported is false, on the strict server true/);
    const { model, results } = await runStrict({ ...config, model: 'house-model-7b' });
    assert.deepEqual([model, results.length, results[0]?.ending], ['llama3.1:8b', 11, 'complete']);
    const kinds = ['http://127.0.0.1:11434/v1', 'https://openrouter.ai/api/v1', 'http://gpu:8000/v1'].map((baseUrl) =>
      flavourOf({ provider: 'compatible', model: 'm', baseUrl }),
    );
    assert.deepEqual(kinds, ['ollama', 'openrouter', 'vllm']);
  });

  it('reports where a service differs from the strict server', async () => {
    const strict = await live('openai', 'openai');
    const real = await live('openai', 'openai', 'gpt-6-luna', 50_000);
    const found = differences(real, strict).join('\n');
    assert.match(found, /turn 1: the ending is length, on the strict server complete/);
    assert.match(found, /turn 2: not reached/);
    assert.match(found, /compress: the ending is not by the model/);
  });
});
