import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import type { Threadkeeper } from '../../src/host/threadkeeper.ts';
import { SpendLimitReached } from '../../src/app/spend-limited-model.ts';
import { DEFAULT_MODELS } from '../../src/core/tokens/model-info.ts';
import { spendLine } from '../../src/host/gauge/gauge-item.ts';
import { testKey } from '../../src/host/models/key-commands.ts';
import { askForKey } from '../../src/host/models/keys.ts';
import { modelGroups, modelItems, providerItems } from '../../src/host/models/model-items.ts';
import { selectModel } from '../../src/host/models/model-picker.ts';
import { WireServer } from '../support/wire-server.ts';
import { answering, product, rejection, run, transcript, withSettings, sampleSession } from './product.ts';
import { LoopbackServer } from '../support/loopback-server.ts';

interface ModelRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly text: string }[];
}

/** The API of `test/fixtures/model-extension`: the requests to its models, and the function that answers them. */
interface ModelExtension {
  readonly requests: ModelRequest[];
  answer: (request: ModelRequest, token: vscode.CancellationToken) => AsyncIterable<string> | Iterable<string>;
}

const LARGE = 'test-models/large';
const SMALL = 'test-models/small';

async function modelExtension(): Promise<ModelExtension> {
  const extension = vscode.extensions.getExtension<ModelExtension>('threadkeeper-tests.model-extension');
  assert.ok(extension, 'the extension with models is not installed');
  const harness = await extension.activate();
  harness.requests.length = 0;
  harness.answer = () => ['Use ', 'a bounded ', 'queue.'];
  return harness;
}

describe('a model provided by another extension', () => {
  let app: Threadkeeper;
  before(async () => (app = await product()));
  let harness: ModelExtension;

  beforeEach(async () => {
    harness = await modelExtension();
  });

  it('is offered first in the picker, with its name and context window, while no model is chosen', async () => {
    await app.sessions.create();
    const providers = await providerItems(app);
    assert.equal(providers[0]?.provider, 'vscode');
    const chosen = (model: string) => ({ provider: 'vscode', model, baseUrl: '' }) as const;
    const models = await modelItems(app, chosen('list'), AbortSignal.timeout(60_000));
    const tested = models.filter((one) => one.chosen.model.startsWith('test-models/'));
    assert.deepEqual(tested, [
      { chosen: chosen(LARGE), label: 'Large Test Model', description: '64k tokens', detail: LARGE },
      { chosen: chosen(SMALL), label: 'Small Test Model', description: '6k tokens', detail: SMALL },
    ]);
    assert.equal(app.chosenModel().provider, 'local');
  });

  it('shares one list with all models: the current one checked, recent ones first, local servers found', async () => {
    const server = await WireServer.start();
    const before = process.env['THREADKEEPER_LOCAL_PORTS'];
    process.env['THREADKEEPER_LOCAL_PORTS'] = [1, 2].map(() => new URL(server.url).port).join(',');
    try {
      const conversation = await app.sessions.create();
      await selectModel(app, conversation, 'vscode', SMALL);
      await selectModel(app, conversation, 'vscode', LARGE);
      const groups = await Promise.all(
        modelGroups(app, AbortSignal.timeout(60_000)).map(async ({ title, items }) => ({ title, items: await items })),
      );
      const labels = (title: RegExp) => groups.find((each) => title.test(each.title))?.items.map(({ label }) => label);
      assert.deepEqual(labels(/^Recently used$/)?.slice(0, 2), ['$(check) Large Test Model', 'Small Test Model']);
      assert.ok(labels(/^VS Code/)?.includes('$(check) Large Test Model'));
      for (const name of [/^Ollama/, /^LM Studio/]) assert.ok((labels(name) ?? []).includes('gpt-4o'), String(name));
      assert.ok(labels(/^Providers$/)?.includes('$(edit) Other…'));
      const vendor = groups.find(({ title }) => title === 'Anthropic: needs an API key')?.items ?? [];
      const notes = vendor.find(({ label }) => label === DEFAULT_MODELS.anthropic.chat)?.description ?? '';
      assert.match(notes, /tokens · \$[\d.]+ in, \$[\d.]+ out per million tokens · prompt caching · reasoning/);
    } finally {
      if (before === undefined) delete process.env['THREADKEEPER_LOCAL_PORTS'];
      else process.env['THREADKEEPER_LOCAL_PORTS'] = before;
      await server.stop();
    }
  });

  it('streams its reply, with its own context window and token counter', async () => {
    const conversation = await app.sessions.create();
    await selectModel(app, conversation, 'vscode', LARGE);
    assert.equal(conversation.settings().contextWindow, 64_000);
    const pieces: string[] = [];
    const listening = conversation.onUpdate((update) => {
      if (update.type === 'reply_text') pieces.push(update.text);
    });
    await conversation.send('How do I limit memory?');
    listening.dispose();
    assert.ok(pieces.length > 1, 'the reply came in pieces');
    assert.deepEqual(transcript(conversation), ['user: How do I limit memory?', 'assistant: Use a bounded queue.']);
    const [request] = harness.requests;
    assert.equal(request?.model, 'large');
    assert.match(request?.messages[0]?.text ?? '', /^<instructions>\nYou are a careful programming assistant/);
    assert.deepEqual(request?.messages.at(-1), { role: 'user', text: 'How do I limit memory?' });
    const reply = conversation.state.messages.get(conversation.state.head!);
    assert.equal(reply?.model, `vscode/${LARGE}`);
    // The extension counts five characters per token.
    assert.equal(reply?.usage?.output, Math.ceil('Use a bounded queue.'.length / 5));
    assert.equal(conversation.state.counters.chatCostUsd, 0);
  });

  it('can be stopped mid-stream, even when it ignores the cancellation', async () => {
    const conversation = await app.sessions.create();
    await selectModel(app, conversation, 'vscode', LARGE);
    harness.answer = async function* () {
      yield 'It begins';
      await new Promise(() => undefined);
    };
    const listening = conversation.onUpdate((update) => {
      if (update.type === 'reply_text') conversation.stop();
    });
    await conversation.send('Go on for ever.');
    listening.dispose();
    assert.deepEqual(transcript(conversation), ['user: Go on for ever.', 'assistant: It begins']);
    assert.equal(conversation.state.messages.get(conversation.state.head!)?.ending, 'stopped');
  });

  it('shows one sentence that offers another model when the model is gone', async () => {
    const conversation = await app.sessions.create();
    await selectModel(app, conversation, 'vscode', 'test-models/gone');
    const { text, action } = app.describe(await rejection(conversation.send('Hello?')));
    assert.match(text, /doesn’t offer this model/);
    assert.equal(action?.command, 'chooseModel');
  });

  it('writes the summaries of its own chat', async () => {
    const conversation = await sampleSession();
    await selectModel(app, conversation, 'vscode', LARGE);
    const narrative = 'They talked the work over step by step and agreed on how to go on.';
    harness.answer = () => [JSON.stringify({ narrative })];
    await run('compressHistory', 'now');
    const compression = conversation.state.compressions.at(-1);
    assert.ok(compression && compression.calls.count > 0, 'the model was asked');
    assert.ok(harness.requests.every((request) => request.model === 'large'));
    assert.ok(conversation.context().system.join('\n').includes(narrative), 'its words are in the context');
    assert.ok(conversation.state.counters.compressionTokens > 0);
    assert.equal(conversation.state.counters.compressionCostUsd, 0);
  });

  it('is flagged when chosen if its context window is too small for the conversation', async () => {
    const conversation = await sampleSession();
    await conversation.compressNow();
    assert.deepEqual(await selectModel(app, conversation, 'vscode', LARGE), { isTooSmall: false });
    assert.deepEqual(await selectModel(app, conversation, 'vscode', SMALL), { isTooSmall: true });
    assert.ok(conversation.meter.budget() < 6_000);
  });
});

describe('an exhausted monthly spending limit', () => {
  it('compresses on command without a model, and reports that the limit is reached', async () => {
    const app = await product();
    await app.keys.set({ provider: 'openai', baseUrl: 'http://127.0.0.1:9/v1' }, 'sk-test-key');
    const settings = {
      'compression.monthlySpendLimit': 0,
      'chat.provider': 'openai',
      'chat.model': 'gpt-4o-mini',
      // A closed port, so that requests fail like without a network.
      'chat.baseUrl': 'http://127.0.0.1:9/v1',
    };
    await withSettings(settings, async () => {
      const conversation = await sampleSession();
      const outcome = await conversation.compressNow();
      assert.ok(outcome.kind === 'committed' && outcome.fault instanceof Error);
      assert.equal(outcome.fault.name, SpendLimitReached.name);
      assert.equal(outcome.record.calls.count, 0);
      const { estimateCost } = await app.current();
      assert.equal(estimateCost([...conversation.state.nodes.values()]).estimatedCostUsd, 0);
      const { text, action } = app.describe(outcome.fault);
      assert.match(text, /limit for compression reached/);
      assert.equal(action?.command, 'openSettings');
      assert.match(
        spendLine({ usd: 0, limitUsd: 0, isSpent: true }),
        /^Known compression cost this month: \$0\.00 of \$0\.00\./,
      );
    });
    await app.keys.clear('openai');
  });
});

describe('API key', () => {
  it('is rejected when the input is a URL', async () => {
    const { keys } = await product();
    const told: unknown[] = [];
    const showInputBox = (options: vscode.InputBoxOptions): Promise<undefined> => {
      for (const typed of ['http://localhost:1234/v1', 'localhost:1234', 'sk-a:b'])
        told.push(options.validateInput?.(typed));
      return Promise.resolve(undefined);
    };
    await answering({ showInputBox }, () => askForKey(keys, { provider: 'anthropic', baseUrl: '' }));
    const address = 'This is a URL, not an API key.';
    assert.deepEqual(told, [address, address, undefined]);
  });

  it('is tested by listing the provider’s models, and the result is one sentence either way', async () => {
    const app = await product();
    const server = await new LoopbackServer().listen((request, response) => {
      const isRight = request.headers.authorization === 'Bearer sk-right';
      response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' });
      const models = {
        object: 'list',
        data: [
          { id: 'one', object: 'model' },
          { id: 'two', object: 'model' },
        ],
      };
      response.end(JSON.stringify(isRight ? models : { error: { message: 'Incorrect API key provided' } }));
    });
    const holder = { provider: 'compatible', baseUrl: `${server.url}/v1` } as const;
    const settings = { 'chat.provider': 'compatible', 'chat.baseUrl': holder.baseUrl };
    try {
      await withSettings(settings, async () => {
        await app.sessions.create();
        await app.keys.set(holder, 'sk-right');
        assert.equal(await testKey(app, holder), `Connected to ${holder.baseUrl}. 2 models available.`);
        await app.keys.set(holder, 'sk-wrong');
        const { text } = app.describe(await rejection(testKey(app, holder)));
        assert.equal(text, 'The provider rejected the API key. Set a valid API key.');
      });
    } finally {
      await app.keys.clear('compatible');
      await server.stop();
    }
  });
});
