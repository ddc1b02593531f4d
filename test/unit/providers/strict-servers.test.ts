import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { modelFromOptions } from '../../../src/cli/model-options.ts';
import { PaidCalls } from '../../../src/cli/paid-calls.ts';
import { command as compress } from '../../../src/cli/compress.ts';
import type { Invocation } from '../../../src/cli/command.ts';
import { Output } from '../../../src/cli/output.ts';
import type { ChatMessage, ChatModel } from '../../../src/app/ports.ts';
import { replyBudget } from '../../../src/app/reply-budget.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { DEFAULT_MODELS } from '../../../src/core/tokens/model-info.ts';
import { Calibration } from '../../../src/core/tokens/calibration.ts';
import modelData from '../../../src/core/tokens/model-data.json' with { type: 'json' };
import { createAnthropicModel } from '../../../src/providers/anthropic.ts';
import { createOpenAiModel } from '../../../src/providers/openai.ts';
import { assistant, tool, toolCall, toolResult, user } from '../../support/chat-messages.ts';
import { onStrictServer } from '../../support/strict/redirect-vendors.ts';
import { THOUGHT } from '../../support/strict/streams.ts';
import { StrictServer, type Flavour, type ModelRequest } from '../../support/strict/strict-server.ts';
import { Harness } from '../app/harness.ts';
import { ROOT, runCli } from '../cli/run-cli.ts';
import { ask, turn } from './protocols.ts';
import { DEMO_SESSION, SHARED_DATA } from '../../support/test-data.ts';

const ENV = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k' };
/** Each service's names for models without thinking, with thinking, and small ones. */
const MODELS: Readonly<Record<Flavour, readonly string[]>> = {
  openai: ['gpt-4o', 'gpt-6.2-sol', 'gpt-5-nano', 'gpt-6-luna'],
  anthropic: ['claude-haiku-4-5', 'claude-sonnet-5-5', 'claude-haiku-5-5'],
  ollama: ['llama3.1:8b', 'qwen3:4b', 'phi-mini:1b'],
  vllm: ['llama3.1:8b', 'deepseek-r1:8b', 'phi-mini:1b'],
  llamacpp: ['llama3.1:8b', 'deepseek-r1:8b', 'phi-mini:1b'],
  openrouter: ['openai/gpt-4o', 'anthropic/claude-sonnet-5.5', 'phi-mini:1b'],
};
/** An imported history with a tool call. */
const HISTORY: readonly ChatMessage[] = [
  user('Read it.'),
  assistant(toolCall('c1', 'read file')),
  tool(toolResult('c1', '', true)),
  assistant('It is empty. '),
  { ...user('And now?'), turnOnly: 'The task: tune the queues.' },
];

/** Command-line options for a model at the vendor's address or on a self-hosted server. */
function optionsAt({ url }: StrictServer, flavour: Flavour, model: string): Readonly<Record<string, string>> {
  if (flavour === 'openai' || flavour === 'anthropic') return { provider: flavour, model };
  return { provider: 'openai', model, 'base-url': flavour === 'openrouter' ? 'https://openrouter.ai/api/v1' : url };
}

const chosenAt = (server: StrictServer, flavour: Flavour, model: string): ReturnType<typeof modelFromOptions> =>
  modelFromOptions({ options: optionsAt(server, flavour, model), env: ENV, paid: new PaidCalls() });

/** Asserts that the model made every summary, except for parents, which need no model. */
function assertByModel(nodes: readonly { readonly depth: number; readonly rung: string }[]): void {
  const leaves = nodes.filter(({ depth }) => depth === 0);
  assert.ok(leaves.length > 0);
  assert.deepEqual(
    leaves.filter(({ rung }) => /extractive|cut/.test(rung)),
    [],
  );
}

for (const [flavour, models] of Object.entries(MODELS) as [Flavour, readonly string[]][]) {
  for (const model of models) {
    describe(`${model} on a strict server like ${flavour}`, () => {
      it('answers turns with default thinking, tools in the history, and turn-only content', () =>
        onStrictServer(flavour, {}, async (server) => {
          const { chat, info } = await chosenAt(server, flavour, model);
          const room = replyBudget({ contextWindow: null, reservedTokens: 4_096, reasoningEffort: null }, info!);
          const { textTokens: maxOutputTokens, reasoningTokens } = room.reply!;
          const limits = { maxOutputTokens, reasoningTokens, cache: { key: 'session', idleMs: 0 } };
          for (const effort of [undefined, 'low', 'max'] as const) {
            const wanted = replyBudget(
              { contextWindow: null, reservedTokens: 4_096, reasoningEffort: effort ?? null },
              info!,
            ).reply!;
            const effortOf = wanted.effort === undefined ? {} : { effort: wanted.effort };
            const { text, ending, usage, fault } = await turn(
              chat!.model,
              ask('', {
                messages: HISTORY,
                ...limits,
                ...wanted,
                ...effortOf,
                maxOutputTokens: wanted.textTokens,
                temperature: 0.7,
              }),
            );
            assert.equal(fault?.message, undefined);
            assert.match(text, /^They spoke/);
            assert.equal(ending, 'complete');
            assert.equal(usage?.input, server.answered.at(-1)?.reply.input);
          }
        }));

      it('compresses an editor session and a command-line file, with each summary made by the model', () =>
        onStrictServer(flavour, {}, async (server) => {
          const { chat, info } = await chosenAt(server, flavour, model);
          await using harness = await Harness.open();
          harness.chat = chat!.model;
          harness.summary = chat;
          const limits = { contextWindow: null, reservedTokens: 1_024, reasoningEffort: null };
          harness.set({ ...replyBudget(limits, info!), recallShare: 0.05 });
          const conversation = await harness.filled(60);
          const before = conversation.context().total;
          assert.equal((await conversation.compressNow()).kind, 'committed');
          assert.ok(conversation.context().total < before * 0.7);
          for (let n = 0; n < 3; n++) await conversation.send(`What did we say of part ${n} of the listing?`);
          const { system, messages } = conversation.context();
          assert.match(`${system.join()}${JSON.stringify(messages)}`, /They spoke/);
          assertByModel([...conversation.state.nodes.values()]);
          await conversation.close();
          const inEditor = server.answered.length;
          const options = { ...optionsAt(server, flavour, model), 'target-tokens': '1500' };
          assertByModel(((await run(compress, options, CHAT)) as Compressed).nodes);
          assert.ok(
            server.answered.slice(inEditor).every(({ reply }) => reply.cache.write === 0),
            'summary prompts are not cached, because none is sent twice',
          );
          for (const { body, reply } of server.answered)
            assert.ok(!JSON.stringify(body).includes(THOUGHT) && reply.text !== '');
        }));
    });
  }
}

interface Compressed {
  readonly messages: readonly { readonly content: string }[];
  readonly nodes: readonly { readonly depth: number; readonly rung: string; readonly to: number }[];
  readonly calls: { readonly count: number; readonly costUsd: number };
}

class SilentOutput extends Output {
  override note(): Promise<void> {
    return Promise.resolve();
  }
}

/** Runs a command, by default on the sample session of 446 messages, and returns its JSON output. */
async function run(command: typeof compress, options: Invocation['options'], file = DEMO_SESSION): Promise<unknown> {
  const context = { output: new SilentOutput(), env: ENV, paid: new PaidCalls() };
  const result = await command.run({ ...context, file, options, json: true });
  return result?.json;
}

/** 96 messages. */
const CHAT = path.join(ROOT, 'test/fixtures/short-chats/inventory-api.jsonl');

/** 1,000 messages of booking dialogues, about 16 tokens each, which aren't part of the repository. */
const BOOKINGS = path.join(SHARED_DATA, 'short/bookings-1000.jsonl');

const SHORT_CHATS = path.join(ROOT, 'test/fixtures/short-chats');
const ANSWERS = JSON.parse(readFileSync(`${SHORT_CHATS}/answers.json`, 'utf8')) as Readonly<
  Record<string, readonly object[]>
>;
/** Chats of about 98 messages of 43 tokens each, with facts that only the cheaper model's prompts contain. */
const SHOWN_FOR_LESS = [
  ['kitchen', 'advisory', ['1987']],
  ['visa-es', 'customer', ['DBML']],
  ['tenancy-de', 'advisory', ['890']],
  ['food-truck', 'customer', ['1,400']],
  ['heist', 'role-play', ['rusted']],
  ['nightly-import', 'developer', []],
] as const;

describe('the default summarizer', () => {
  for (const provider of ['openai', 'anthropic'] as const) {
    for (const think of [undefined, 800]) {
      const how = think === undefined ? 'default thinking' : `${think} thinking tokens per call`;
      it(`makes every summary of 446 messages with ${provider} and ${how}`, () =>
        onStrictServer(provider, think === undefined ? {} : { think }, async (server) => {
          const { nodes, calls } = (await run(compress, { provider, 'target-tokens': '8000' })) as Compressed;
          console.log(`        ${nodes.length} summaries, ${billed(calls, server)}`);
          assertByModel(nodes);
          // The limit corresponds to $0.03 for 1,000 developer messages.
          assert.ok(server.cost <= 0.0134, `$${server.cost}`);
          assert.ok(
            Math.abs(calls.costUsd - server.cost) <= server.cost * 0.02,
            'the reported cost matches the requests on the wire, at the same prices',
          );
        }));
    }

    it(`compresses 1,000 short messages with ${provider} for at most one cent as the session grows`, function () {
      if (!existsSync(BOOKINGS)) this.skip();
      return onStrictServer(provider, {}, async (server) => {
        const options = { provider, 'turn-by-turn': true, policy: 'frugal', preset: 'customer' };
        const { calls } = (await run(compress, options, BOOKINGS)) as Compressed;
        console.log(`        ${billed(calls, server)}`);
        assert.ok(calls.count > 5 && server.cost <= 0.01, `$${server.cost}`);
      });
    });

    it(`completes compress and levels with ${provider} although a fifth of the responses are 429 or 529`, async () => {
      await using server = await StrictServer.start(provider, { busyShare: 0.2 });
      const ask = async (...args: readonly string[]): Promise<unknown> => {
        const all = [...args, DEMO_SESSION, '--provider', provider, '--base-url', server.url, '--json'];
        const { code, out, err } = await runCli(all, ENV);
        assert.equal(code, 0, err);
        return JSON.parse(out);
      };
      assertByModel(((await ask('compress', '--target-tokens', '8000')) as Compressed).nodes);
      assert.match(((await ask('levels')) as { readonly detailed: string }).detailed, /They spoke/);
      const refused = server.exchanges.filter(({ status }) => status === 429 || status === 529).length;
      console.log(`        ${refused} of ${server.exchanges.length} requests refused`);
      assert.ok(refused > 0);
    });
  }

  it('is limited by its list price, except on this machine', async () => {
    const priceAt = async (more: Readonly<Record<string, string>>): Promise<unknown> => {
      const options = { provider: 'openai', model: 'gpt-6-luna', ...more };
      return (await modelFromOptions({ options, env: ENV, paid: new PaidCalls() })).chat?.price;
    };
    assert.deepEqual(await priceAt({}), { input: 0.1, output: 0.5 });
    await using server = await StrictServer.start('vllm', {});
    assert.equal(await priceAt({ 'base-url': server.url }), undefined);
  });

  it('reads more of short chats than a dearer model, for at most a cent per 1,000 messages', async () => {
    let cost = 0;
    let summarized = 0;
    const lengths = { cheaper: 0, dearer: 0 };
    for (const [chat, preset, facts] of SHOWN_FOR_LESS) {
      const compressedBy = async (model: string): Promise<{ prompts: string; sent: string }> => {
        const prompts: string[] = [];
        const answer = ({ prompt }: ModelRequest): string => JSON.stringify(ANSWERS[chat]![prompts.push(prompt) - 1]);
        return await onStrictServer('openai', { answer }, async (server) => {
          const options = { provider: 'openai', model, 'turn-by-turn': true, policy: 'frugal', preset };
          const done = (await run(compress, options, path.join(SHORT_CHATS, `${chat}.jsonl`))) as Compressed;
          assertByModel(done.nodes);
          if (model === DEFAULT_MODELS.openai.summary) {
            cost += server.cost;
            summarized += done.nodes.at(-1)!.to + 1;
          }
          return { prompts: prompts.join('\n'), sent: done.messages.map(({ content }) => content).join('\n') };
        });
      };
      const [cheaper, dearer] = [await compressedBy(DEFAULT_MODELS.openai.summary), await compressedBy('gpt-4o-mini')];
      lengths.cheaper += cheaper.prompts.length;
      lengths.dearer += dearer.prompts.length;
      for (const fact of facts)
        assert.deepEqual(
          [dearer.prompts, cheaper.prompts, cheaper.sent].map((text) => text.includes(fact)),
          [false, true, true],
          `${chat}: ${fact}`,
        );
    }
    assert.ok(lengths.cheaper > 1.1 * lengths.dearer, JSON.stringify(lengths));
    const perThousand = (cost / summarized) * 1_000;
    console.log(`        $${perThousand.toFixed(5)} for 1,000 messages`);
    assert.ok(perThousand <= 0.01, `$${perThousand}`);
  });
});

const billed = ({ count, costUsd }: Compressed['calls'], { cost }: StrictServer): string =>
  `${count} calls, $${costUsd.toFixed(5)}; $${cost.toFixed(5)} at the prices of the model data of ${modelData.date}`;

describe('300 turns on GPT-5.6 and later, with recall and a task', () => {
  it('have at least 90% of their input billed as cached', () =>
    onStrictServer('openai', { think: 0 }, async (server) => {
      await using harness = await Harness.open();
      harness.chat = createOpenAiModel({ apiKey: 'k', model: 'gpt-6.1-terra' });
      harness.set({
        recallShare: 0.05,
        contextWindow: 128_000,
        policy: resolvePolicy('balanced', { triggers: { messages: null } }),
      });
      const conversation = await harness.compressed(60);
      await conversation.setTask('Tune the queues', [{ text: 'queue 28', status: 'in_progress' }]);
      for (let n = 0; n < 300; n++)
        await conversation.send(`Which rows of the listing does queue ${n} look at, and why that many?`);
      await conversation.close();
      const sum = (of: (one: (typeof server.answered)[number]) => number): number =>
        server.answered.reduce((all, one) => all + of(one), 0);
      const share = sum(({ reply }) => reply.cache.read) / sum(({ reply }) => reply.input);
      const recalled = server.answered.filter(({ body }) => JSON.stringify(body).includes('recalled_excerpts')).length;
      console.log(
        `        ${(share * 100).toFixed(1)} % of the input cached; ${recalled} turns with recalled excerpts; $${server.cost.toFixed(3)}`,
      );
      assert.equal(server.answered.length, 300);
      assert.ok(recalled > 100, 'recall is on');
      assert.ok(share >= 0.9, `${share}`);
    }));
});

describe('Anthropic’s prompt cache', () => {
  /** The cost of 16 turns with pauses of `minutes`. `idleMs` replaces the product's estimate of the pause. */
  async function cost(minutes: number, idleMs?: number): Promise<number> {
    await using harness = await Harness.open();
    return await onStrictServer(
      'anthropic',
      { think: 0, now: () => Date.now() + harness.clock.ahead },
      async (server) => {
        const model = createAnthropicModel({ apiKey: 'k', model: 'claude-sonnet-5-5' });
        harness.chat = idleMs === undefined ? model : kept(model, idleMs);
        harness.set({ policy: { ...harness.settings.policy, strategy: 'off' } });
        const conversation = await harness.filled(120);
        for (let n = 0; n < 16; n++) {
          await conversation.send(`What about queue ${n}?`);
          harness.clock.ahead += minutes * 60_000;
        }
        await conversation.close();
        return server.cost;
      },
    );
  }
  const kept = (model: ChatModel, idleMs: number): ChatModel => ({
    ...model,
    stream: (request, signal) => model.stream({ ...request, cache: { key: 'session', idleMs } }, signal),
  });

  for (const minutes of [4, 6]) {
    it(`is kept for the cheaper duration with pauses of ${minutes} minutes`, async () => {
      const [ours, five, hour] = [await cost(minutes), await cost(minutes, 0), await cost(minutes, 3_000_000)];
      console.log(`        ours $${ours.toFixed(4)}, five minutes $${five.toFixed(4)}, an hour $${hour.toFixed(4)}`);
      const cheaper = Math.min(five, hour);
      const dearer = Math.max(five, hour);
      // The first long pause isn't known in advance, so the prefix is written again once.
      assert.ok(ours - cheaper < (dearer - cheaper) * 0.2, `${ours} against ${cheaper} and ${dearer}`);
    });
  }
});

describe('Ollama with a default context window of 4,096 tokens and 32,768 in the settings', () => {
  const long = (n: number): string => `Message ${n}: ${'the queue waits for three hundred milliseconds, '.repeat(12)}`;

  it('is asked for the configured context window at its own endpoint, and reads the whole prompt', () =>
    onStrictServer('ollama', { numCtx: 4_096 }, async (server) => {
      const { chat, info } = await chosenAt(server, 'ollama', 'llama3.1:8b');
      assert.equal(info?.contextWindow, 32_768);
      await turn(chat!.model, ask(long(1).repeat(60)));
      const { reply, sent, body } = server.answered.at(-1)!;
      assert.ok(sent > 5_000 && reply.input === sent);
      assert.deepEqual((body['options'] as { num_ctx: number }).num_ctx, 32_768);
    }));

  it('reads every request completely if it gives no more, because longer ones are rejected and compressed', () =>
    onStrictServer('ollama', { numCtx: 4_096, maxNumCtx: 4_096 }, async (server) => {
      await using harness = await Harness.open();
      const settings = { baseUrl: server.url, model: 'llama3.1:8b', provider: 'compatible' } as const;
      harness.chat = createOpenAiModel({ ...settings, api: 'ollama', contextWindow: 32_768 });
      harness.calibration = new Calibration(1);
      harness.set({ contextWindow: 32_768 });
      const conversation = await harness.filled(34, long);
      for (let n = 0; n < 6; n++) await conversation.send(`And number ${n}? ${long(n)}`);
      assert.equal(conversation.meter.serverWindow, 4_096);
      assert.equal(server.exchanges.filter(({ status }) => status === 400).length, 1, 'rejected once');
      assert.equal(server.answered.length, 6);
      for (const { sent, reply } of server.answered) assert.equal(reply.input, sent, 'read completely');
      await conversation.close();
    }));

  it('warns the user within two turns if an old version gives no more, and the history is compressed to fit', () =>
    onStrictServer('ollama', { numCtx: 4_096, maxNumCtx: 4_096, alwaysTruncates: true }, async (server) => {
      await using harness = await Harness.open();
      harness.chat = createOpenAiModel({
        baseUrl: server.url,
        model: 'llama3.1:8b',
        provider: 'compatible',
        api: 'ollama',
        contextWindow: 32_768,
      });
      harness.calibration = new Calibration(1);
      harness.set({ contextWindow: 32_768 });
      const conversation = await harness.filled(34, long);
      const told: number[] = [];
      let over = 0;
      conversation.onUpdate((update) => {
        if (update.type === 'truncated') told.push(update.read);
      });
      for (let n = 0; n < 6; n++) {
        const question = `And number ${n}? ${long(n)}`;
        const added = conversation.counter.message(user(question));
        const shown = conversation.meter.providerTokens(conversation.context().total + added);
        await conversation.send(question);
        await conversation.settled();
        const { sent, reply } = server.answered.at(-1)!;
        if (sent > reply.input) over++;
        assert.ok(shown > sent * 0.95, `the gauge shows ${Math.round(shown)} of ${sent}`);
        if (over >= 2) assert.ok(told.length > 0, 'the user is warned within two turns');
      }
      const { sent, reply } = server.answered.at(-1)!;
      console.log(`        read ${told.join(', ')}; last request ${sent} tokens, read ${reply.input}`);
      assert.equal(reply.input, sent, 'the last request is read completely');
      await conversation.close();
    }));
});
