import assert from 'node:assert/strict';
import { modelFromOptions } from '../../../src/cli/model-options.ts';
import { Calibration } from '../../../src/core/tokens/calibration.ts';
import { modelInfo } from '../../../src/core/tokens/model-info.ts';
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { withVendorsRedirected } from '../../support/strict/redirect-vendors.ts';
import { StrictServer, type Flavour, type StrictOptions } from '../../support/strict/strict-server.ts';
import { Harness } from '../app/harness.ts';

const ENV = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };

/**
 * Behavior of real services that earlier test servers didn't have. Each test failed before the providers supported it.
 */
describe('providers on servers as strict as the vendors’', () => {
  let server: StrictServer;
  const start = async (flavour: Flavour, options: StrictOptions = {}): Promise<void> => {
    server = await StrictServer.start(flavour, options);
  };
  afterEach(() => server.stop());

  for (const [provider, named] of [
    ['openai', {}],
    ['openai', { model: 'gpt-5-nano' }],
    ['anthropic', {}],
  ] as const) {
    it(`the ${provider} summarizer answers despite thinking: ${'model' in named ? named.model : 'default model'}`, async () => {
      await start(provider, { think: 800 });
      const reply = await withVendorsRedirected(server, async () => {
        const { model } = await modelFromOptions({ options: { provider, ...named }, env: ENV });
        return model!.complete({
          system: 'Summarize.',
          prompt: 'They chose port 8443.',
          maxTokens: 140,
          temperature: 0.3,
        });
      });
      assert.match(reply.text, /^They spoke/);
    });
  }

  it('a chat shows the reply of a model that thinks for 5,000 tokens', async () => {
    await start('anthropic', { think: 5_000 });
    const harness = await Harness.open();
    try {
      const info = modelInfo('claude-sonnet-5');
      harness.chat = createAnthropicModel({ apiKey: 'k', baseUrl: server.url, model: 'claude-sonnet-5' });
      const { replyBudget } = await import('../../../src/app/reply-budget.ts').catch(() => ({
        replyBudget: undefined,
      }));
      const room = replyBudget?.({ contextWindow: null, reservedTokens: 4096, reasoningEffort: null }, info);
      harness.set({ reservedTokens: 4_096, ...room });
      const conversation = await harness.converse();
      await conversation.send('Why is the queue empty?');
      assert.equal(conversation.state.messages.get(conversation.state.head!)?.role, 'assistant');
      await conversation.close();
    } finally {
      await harness.close();
    }
  });

  it('no default model is about to be shut down', async () => {
    await start('openai');
    const gone = [
      'gpt-5',
      'gpt-5-mini',
      'gpt-5-nano',
      'gpt-4o',
      'gpt-4o-mini',
      'gpt-4.1-mini',
      'o3',
      'claude-sonnet-4-5',
    ];
    for (const provider of ['openai', 'anthropic']) {
      const { info } = await modelFromOptions({ options: { provider }, env: ENV });
      assert.ok(!gone.includes(info!.id), info!.id);
    }
  });

  it('current models accept a file of 40 KB', async () => {
    await start('openai');
    for (const id of ['gpt-6.2-sol', 'gpt-6-sol', 'gpt-5.6', 'gpt-5.5', 'claude-opus-4-7', 'anthropic/claude-opus-5.5'])
      assert.ok(modelInfo(id).contextWindow > 100_000, `${id}: ${modelInfo(id).contextWindow}`);
  });

  it('GPT-5.6 and later find the conversation in the prompt cache while a task is active', async () => {
    await start('openai', { think: 0 });
    const harness = await Harness.open();
    try {
      await withVendorsRedirected(server, async () => {
        harness.chat = createOpenAiModel({ apiKey: 'k', model: 'gpt-6.1-terra' });
        harness.set({ policy: { ...harness.settings.policy, strategy: 'off' } });
        const conversation = await harness.filled(60);
        await conversation.setTask('Tune the queues', [{ text: 'queue 28', status: 'in_progress' }]);
        for (let turn = 0; turn < 4; turn++) await conversation.send(`What about queue ${turn}?`);
        await conversation.close();
      });
      const [, ...later] = server.answered;
      for (const { reply } of later)
        assert.ok(reply.cache.read > reply.input * 0.8, `${reply.cache.read} of ${reply.input}`);
    } finally {
      await harness.close();
    }
  });

  it('the gauge does not show less when a server drops the beginning of the prompt', async () => {
    await start('ollama', { numCtx: 4_096 });
    const harness = await Harness.open();
    try {
      harness.chat = createOpenAiModel({ baseUrl: server.url, model: 'llama3.1:8b', provider: 'compatible' });
      harness.calibration = new Calibration(1);
      harness.set({ contextWindow: 32_768, policy: { ...harness.settings.policy, strategy: 'off' } });
      const conversation = await harness.filled(
        40,
        (n) => `Message ${n}: ${'the queue waits for three hundred milliseconds, '.repeat(12)}`,
      );
      for (let turn = 0; turn < 5; turn++) {
        const shown = conversation.meter.providerTokens(conversation.context().total);
        await conversation.send(`And number ${turn}?`).catch(() => undefined);
        const { sent } = server.answered.at(-1)!;
        assert.ok(shown > sent * 0.95, `the gauge shows ${Math.round(shown)} of ${sent}`);
      }
      await conversation.close();
    } finally {
      await harness.close();
    }
  });

  it('a rate limit does not end a command-line run', async () => {
    await start('openai', { busyShare: 0.5 });
    await withVendorsRedirected(server, async () => {
      const { model } = await modelFromOptions({ options: { provider: 'openai', model: 'gpt-4o' }, env: ENV });
      const request = { system: 's', prompt: 'They chose port 8443.', maxTokens: 140, temperature: 0.3 };
      for (let n = 0; n < 4; n++) assert.notEqual((await model!.complete(request)).text, '');
    });
    assert.ok(server.exchanges.some(({ status }) => status === 429));
  });
});
