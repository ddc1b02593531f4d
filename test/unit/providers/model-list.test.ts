import assert from 'node:assert/strict';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { parseOpenAiListedModel } from '../../../src/providers/listed-model.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { serving } from '../../support/loopback-server.ts';
import { onStrictServer } from '../../support/strict/redirect-vendors.ts';
import type { Flavour } from '../../support/strict/strict-server.ts';
import { KEY } from './protocols.ts';

describe('a vendor’s model list', () => {
  const listed = async (flavour: Flavour, baseUrl: string, id: string) => {
    const model =
      flavour === 'anthropic'
        ? createAnthropicModel({ apiKey: KEY, baseUrl, model: id })
        : createOpenAiModel({ apiKey: KEY, baseUrl, model: id });
    const models = await model.listModels(new AbortController().signal);
    return models.find((one) => one.id === id);
  };

  it('is read in each of its formats', async () => {
    const of = (flavour: Flavour, id: string) =>
      onStrictServer(flavour, {}, (server) => listed(flavour, server.url, id));
    const claude = await of('anthropic', 'claude-sonnet-5');
    assert.equal(claude?.facts.contextWindow, 1_000_000);
    assert.deepEqual(claude.facts.retires, { on: '2027-02-01' });
    assert.ok(claude.facts.efforts?.includes('high'));
    assert.deepEqual((await of('openai', 'gpt-5-nano'))?.facts.retires, { on: '2026-12-11' });
    for (const shutdown_date of ['soon', '2026-13-45', '', 7])
      assert.equal(parseOpenAiListedModel({ id: 'x', shutdown_date })?.facts.retires, undefined);
    assert.equal((await of('vllm', 'phi-mini:1b'))?.facts.contextWindow, 8_192);
    assert.equal((await of('llamacpp', 'phi-mini:1b'))?.facts.contextWindow, 8_192);
    const routed = (await of('openrouter', 'gpt-6-luna'))?.facts;
    assert.deepEqual([routed?.contextWindow, routed?.maxOutput], [1_050_000, 128_000]);
    assert.ok(Math.abs((routed?.price?.input ?? 0) - 0.1) < 1e-9);
    const ollama = await of('ollama', 'qwen3:4b');
    assert.deepEqual(
      [ollama?.isOllama, ollama?.facts.contextWindow, ollama?.facts.efforts],
      [true, 40_960, ['none', 'medium']],
    );
  });

  /** Runs `work` with a server with these answers by path; texts are web pages. */
  const listing = <T>(answers: Record<string, unknown>, work: (url: string) => Promise<T>): Promise<T> =>
    serving((request, response) => {
      const answer = answers[request.url ?? ''];
      const isPage = typeof answer === 'string';
      const type = isPage ? 'text/html' : 'application/json';
      response.writeHead(answer === undefined ? 404 : 200, { 'content-type': type });
      response.end(isPage ? answer : JSON.stringify(answer ?? { error: 'Unexpected endpoint or method.' }));
    }, work);

  /** Prices are products of fractions. */
  const rounded = (facts: unknown): unknown =>
    JSON.parse(JSON.stringify(facts), (_, value: unknown) =>
      typeof value === 'number' ? Math.round(value * 1e9) / 1e9 : value,
    );

  it('is reported with its content type if it is a web page', () =>
    listing({ '/v1/models': '<html>Log in</html>' }, async (url) => {
      await assert.rejects(listed('openai', url, 'm'), { reason: 'malformed', contentType: 'text/html' });
    }));

  it('is read to its end if Anthropic’s format has several pages', () => {
    const pages = {
      '/v1/models?limit=1000': { data: [{ id: 'claude-a' }], has_more: true, last_id: 'claude-a' },
      '/v1/models?limit=1000&after_id=claude-a': { data: [{ id: 'claude-b' }], has_more: false, last_id: 'claude-b' },
    };
    return listing(pages, async (url) => assert.equal((await listed('anthropic', url, 'claude-b'))?.id, 'claude-b'));
  });

  it('is read once if a gateway with Anthropic’s format sends the first page for each position', () => {
    const page = { data: [{ id: 'claude-a' }], has_more: true, last_id: 'claude-a' };
    const pages = { '/v1/models?limit=1000': page, '/v1/models?limit=1000&after_id=claude-a': page };
    return listing(pages, async (url) => assert.equal((await listed('anthropic', url, 'claude-a'))?.id, 'claude-a'));
  });

  it('is reported without the API key if a server without such a list repeats the request', () =>
    serving(
      ({ headers }, response) => {
        response.writeHead(404, { 'content-type': 'text/plain' });
        response.end(`Not found: ${[headers['x-api-key'] ?? headers.authorization].join()}`);
      },
      async (url) => {
        const settings = { apiKey: 'a-key-of-the-user', baseUrl: url, model: 'm' };
        for (const model of [createAnthropicModel(settings), createOpenAiModel(settings)])
          await assert.rejects(model.listModels(new AbortController().signal), (error: Error) => {
            assert.match(error.message, /^the server answered with text\/plain: Not found/);
            assert.doesNotMatch(error.message, /a-key/);
            return true;
          });
      },
    ));

  it('is read if it is a bare array, as sent by Together', () =>
    listing({ '/v1/models': [{ id: 'qwen/qwen3', type: 'chat', context_length: 131_072 }] }, async (url) => {
      const found = await listed('openrouter', url, 'qwen/qwen3');
      assert.equal(found?.facts.contextWindow, 131_072);
    }));

  for (const [service, entry, facts] of [
    [
      'Novita',
      { context_size: 163_840, max_output_tokens: 65_536, input_modalities: ['text', 'image'] },
      { contextWindow: 163_840, maxOutput: 65_536, takesImages: true },
    ],
    ['Chutes', { max_model_len: 202_752, max_output_length: 65_535 }, { contextWindow: 202_752, maxOutput: 65_535 }],
    ['DeepInfra', { metadata: { context_length: 131_072, max_tokens: 16_384 } }, { contextWindow: 131_072 }],
    ['Arli', { max_context: 524_288 }, { contextWindow: 524_288 }],
  ] as const) {
    it(`is read with the context window: ${service}`, () =>
      listing({ '/v1/models': { data: [{ id: 'a/b', ...entry }] } }, async (url) => {
        assert.deepEqual((await listed('openai', url, 'a/b'))?.facts, facts);
      }));
  }

  for (const [what, pricing, price] of [
    [
      'per token, with a price for long prompts',
      {
        prompt: '0.0000025',
        completion: '0.00001',
        overrides: [
          { min_prompt_tokens: 500_000, prompt: '0.00001' },
          { min_prompt_tokens: 200_000, prompt: '0.000005', completion: '0.00002' },
        ],
      },
      { input: 2.5, output: 10, long: { over: 200_000, inputFactor: 2, outputFactor: 2 } },
    ],
    [
      'per token, with times of day',
      { prompt: '0.0000025', completion: '0.00001', overrides: [{ utc_start: 30, utc_end: 1630, prompt: '0.000005' }] },
      { input: 2.5, output: 10 },
    ],
    ['per million, as sent by Chutes', { prompt: 0.2, completion: 0.8 }, { input: 0.2, output: 0.8 }],
    ['free', { prompt: '0', completion: '0' }, { input: 0, output: 0 }],
    ['unknown', { prompt: '-1', completion: '-1' }, undefined],
  ] as const) {
    it(`is read with its prices: ${what}`, () =>
      listing({ '/v1/models': { data: [{ id: 'a/b', pricing }] } }, async (url) => {
        const found = await listed('openai', url, 'a/b');
        assert.deepEqual(rounded({ price: found?.facts.price }), price ? { price } : {});
      }));
  }

  describe('of LiteLLM, which has no prices, is completed at its own endpoint', () => {
    const entry = { id: 'claude', object: 'model', created: 1_677_610_602, owned_by: 'openai' };
    const model_info = {
      key: 'claude-sonnet-4-5',
      max_input_tokens: 200_000,
      max_output_tokens: 64_000,
      input_cost_per_token: 3e-6,
      output_cost_per_token: 1.5e-5,
      cache_read_input_token_cost: 3e-7,
      cache_creation_input_token_cost: null,
      input_cost_per_token_above_200k_tokens: 6e-6,
      output_cost_per_token_above_200k_tokens: 2.25e-5,
      input_cost_per_token_above_128k_tokens: null,
      supports_vision: true,
    };
    const detailed = (info: object, work: (facts: unknown) => void) =>
      listing(
        {
          '/v1/models': { data: [entry] },
          '/v1/model/info': { data: [{ model_name: 'other' }, { model_name: 'claude', model_info: info }] },
        },
        async (url) => work((await listed('openai', url, 'claude'))?.facts),
      );

    it('with its limits and prices, including those for long prompts', () =>
      detailed(model_info, (facts) => {
        const long = { over: 200_000, inputFactor: 2, outputFactor: 1.5 };
        const price = { input: 3, output: 15, cachedInput: 0.3, long };
        assert.deepEqual(rounded(facts), { contextWindow: 200_000, maxOutput: 64_000, price, takesImages: true });
      }));

    it('without prices if they are zero, as of models that LiteLLM doesn’t know', () =>
      detailed({ max_input_tokens: null, input_cost_per_token: 0, output_cost_per_token: 0 }, (facts) => {
        assert.deepEqual(facts, {});
      }));

    it('unless its key may not read them, so that only the facts in the list are known', () =>
      listing({ '/v1/models': { data: [{ ...entry, max_input_tokens: 8_192 }] } }, async (url) => {
        assert.deepEqual((await listed('openai', url, 'claude'))?.facts, { contextWindow: 8_192 });
      }));
  });

  describe('of LM Studio, which has only IDs, is completed at its own endpoint', () => {
    // lmstudio-ai/lmstudio-bug-tracker#2139 and lmstudio.ai/docs/developer/rest/list
    const ids = ['google/gemma-4', 'google/gemma-4:2', 'qwen/qwen3.6'];
    const list = { data: ids.map((id) => ({ id, object: 'model', owned_by: 'organization_owner' })), object: 'list' };
    const instance = (id: string, context_length: number): object => ({ id, config: { context_length, parallel: 4 } });
    const models = [
      { type: 'embedding', key: 'nomic-embed', loaded_instances: [instance('nomic-embed', 2_048)] },
      {
        type: 'llm',
        key: 'google/gemma-4',
        max_context_length: 262_144,
        loaded_instances: [instance('google/gemma-4', 122_880), instance('google/gemma-4:2', 8_192)],
        capabilities: { vision: true, trained_for_tool_use: true },
      },
      { type: 'llm', key: 'qwen/qwen3.6', max_context_length: 262_144, loaded_instances: [] },
    ];
    const answers = { '/v1/models': list, '/api/v1/models': { models } };

    for (const [id, window] of [
      ['google/gemma-4', 122_880],
      ['google/gemma-4:2', 8_192],
    ] as const) {
      it(`with the context window of the loaded instance: ${id}`, () =>
        listing(answers, async (url) => {
          const found = await listed('openai', url, id);
          assert.deepEqual(found?.facts, { contextWindow: window, takesImages: true });
          assert.equal(found.loadedContext, window);
        }));
    }

    it('without a context window if the model is not loaded, because the maximum says nothing', () =>
      listing(answers, async (url) => {
        const found = await listed('openai', url, 'qwen/qwen3.6');
        assert.deepEqual([found?.isUnloaded, found?.facts], [true, {}]);
      }));

    it('unless it is an earlier version without that endpoint', () =>
      listing({ '/v1/models': list }, async (url) => {
        assert.deepEqual(await listed('openai', url, 'google/gemma-4'), { id: 'google/gemma-4', facts: {} });
      }));
  });
});

describe('an entry of a model list', () => {
  it('is left out if its model isn’t for chats', () => {
    const ids = ['gpt-6.2-sol', 'gpt-live-1', 'gpt-audio-mini', 'gpt-image-2.6-flare', 'text-embedding-3-small', 'o3'];
    const listed = ids.filter((id) => parseOpenAiListedModel({ id }) !== undefined);
    assert.deepEqual(listed, ['gpt-6.2-sol', 'o3']);
  });
});
