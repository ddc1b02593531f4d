import assert from 'node:assert/strict';
import { differences, liveConfig, liveLine, runLive, type LiveProvider } from '../../../scripts/live/live.ts';
import { asVendor } from '../../support/strict/official.ts';
import { StrictServer, type Flavour } from '../../support/strict/strict-server.ts';

async function live(provider: LiveProvider, flavour: Flavour, model?: string, think?: number) {
  const server = await StrictServer.start(flavour, think === undefined ? {} : { think });
  try {
    const own = provider === 'compatible' ? { baseUrl: server.url } : {};
    return await asVendor(server, () =>
      runLive(liveConfig(provider, { apiKey: 'k', ...own, ...(model && { model }) })),
    );
  } finally {
    await server.stop();
  }
}

describe('the live check', () => {
  for (const [provider, flavour, model] of [
    ['openai', 'openai'],
    ['anthropic', 'anthropic'],
    ['compatible', 'vllm', 'llama3.1:8b'],
  ] as const) {
    it(`runs ten turns and a compression, and prints what they came to: ${provider}`, async () => {
      const results = await live(provider, flavour, model);
      assert.equal(results.length, 11);
      assert.ok(
        results.every(({ ending, hasText, usage }) => ending === 'complete' && hasText && usage),
        liveLine(results.at(-1)!),
      );
      if (provider !== 'compatible')
        assert.ok(results.slice(1, 10).every(({ usage }) => (usage?.cachedInput ?? 0) > 1_000));
      assert.deepEqual(differences(results, await live(provider, flavour, model)), []);
    });
  }

  it('says where a service does otherwise than the strict server', async () => {
    const strict = await live('openai', 'openai');
    const real = await live('openai', 'openai', 'gpt-6-luna', 50_000);
    const found = differences(real, strict).join('\n');
    assert.match(found, /turn 1: the ending is length, on the strict server complete/);
    assert.match(found, /turn 2: not reached/);
    assert.match(found, /compress: the ending is output_limit/);
  });
});
