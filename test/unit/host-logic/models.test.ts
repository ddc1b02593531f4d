import assert from 'node:assert/strict';
import type { RequestListener, ServerResponse } from 'node:http';
import { mock } from 'node:test';
import { ModelFault } from '../../../src/app/fault.ts';
import type * as EditorChatModule from '../../../src/host/models/vscode-chat-model.ts';
import type * as ModelsModule from '../../../src/host/models/models.ts';
import type { ChosenModel, Models } from '../../../src/host/models/models.ts';
import { learnedFacts } from '../../../src/host/models/learned-facts.ts';
import type { ListedModel } from '../../../src/providers/listed-model.ts';
import type { Settings } from '../../../src/host/platform/settings-schema.ts';
import { defaultSettings, hostIn, memento, workspaceWith } from '../../support/fake-editor.ts';
import { serving } from '../../support/loopback-server.ts';

const SERVER = 'https://openrouter.ai/api/v1';
const OLLAMA = 'http://localhost:11434/v1';
const USAGE = { input: 1_000_000, output: 0 };

/** The parts of VS Code that the models use: the manifest's defaults, overridden by settings. */
const settings = defaultSettings();
const editor = {
  workspace: workspaceWith(settings),
  l10n: { t: (text: string) => text },
  LanguageModelTextPart: class {
    readonly value: string;
    constructor(value: string) {
      this.value = value;
    }
  },
  LanguageModelChatMessage: { User: (text: string) => text },
  CancellationTokenSource: class {
    readonly cancel = (): undefined => undefined;
    readonly dispose = (): undefined => undefined;
  },
};

describe('configured model', () => {
  beforeEach(() => Object.assign(settings, defaultSettings()));

  let module: typeof ModelsModule;
  let editorChat: typeof EditorChatModule;

  before(async () => {
    const load = hostIn(editor);
    module = await load('models/models.ts');
    editorChat = await load('models/vscode-chat-model.ts');
  });

  const modelsThatKnow = (
    learned: Readonly<Record<string, Omit<ListedModel, 'id'>>> = {},
    learn: (server: string, listed: ListedModel) => void = () => undefined,
  ): Models =>
    new module.Models(
      { get: () => Promise.resolve('a-key') } as never,
      {} as never,
      { of: (server: string, model: string) => learned[`${server} ${model}`], learn } as never,
    );
  const at = (model: string, baseUrl = SERVER): ChosenModel => ({ provider: 'compatible', model, baseUrl });
  const costOf = async (models: Models, chosen: ChosenModel): Promise<number | null> => {
    const { id } = await models.make(chosen);
    const cost = models.priceOf(() => at('another'))(id, USAGE);
    assert.equal(cost, models.cost(chosen, USAGE));
    return cost;
  };

  it('has the price from its server’s list, regardless of the prefix before the last slash', async () => {
    const models = modelsThatKnow({ [`compatible ${SERVER} x-new/y`]: { facts: { price: { input: 3, output: 9 } } } });
    assert.equal(await costOf(models, at('x-new/y')), 3);
    assert.equal(await costOf(models, at('deepseek/deepseek-v3.2')), models.cost(at('deepseek/deepseek-v3.2'), USAGE));
    assert.ok((await costOf(models, at('deepseek/deepseek-v3.2')))! > 0);
    assert.equal(await costOf(models, at('nobody/knows-it')), null);
  });

  it('has the price for long prompts from its server’s list, in the next window, too', async () => {
    const kept = new Map<string, unknown>();
    const long = { over: 200_000, inputFactor: 2, outputFactor: 2 };
    const listed = { id: 'x-new/y', facts: { price: { input: 3, output: 9, long } } };
    await learnedFacts(memento(kept)).learn(`compatible ${SERVER}`, listed);
    const stored = new Map(JSON.parse(JSON.stringify([...kept])) as [string, unknown][]);
    const models = new module.Models({} as never, {} as never, learnedFacts(memento(stored)));
    assert.equal(models.cost(at('x-new/y'), { input: 300_000, output: 0 }), 1.8);
  });

  it('has the price at its own address, even if a model of the same name was created at another one', async () => {
    const models = modelsThatKnow({ [`compatible ${SERVER} x-new/y`]: { facts: { price: { input: 3, output: 9 } } } });
    const { id } = await models.make(at('x-new/y'));
    await models.make(at('x-new/y', OLLAMA));
    assert.equal(models.priceOf(() => at('x-new/y'))(id, USAGE), 3);
  });

  it('has the price that the user has set for its full ID', async () => {
    settings['models'] = { overrides: { 'acme/model-x': { price: { input: 1, output: 2 } } } };
    assert.equal(await costOf(modelsThatKnow(), at('acme/model-x')), 1);
  });

  it('has the context window that the user has set for it on a local Ollama', () => {
    const isOllama = { isOllama: true, facts: { contextWindow: 131_072 }, loadedContext: 4_096 } as const;
    const models = modelsThatKnow({ [`compatible ${OLLAMA} qwen3`]: isOllama });
    assert.equal(models.info(at('qwen3', OLLAMA)).contextWindow, 32_768);
    for (const contextWindow of [65_536, 131_072]) {
      settings['models'] = { overrides: { qwen3: { contextWindow } } };
      assert.equal(models.info(at('qwen3', OLLAMA)).contextWindow, contextWindow);
    }
  });

  it('has no cost on a local Ollama, even if others sell it', async () => {
    const isOllama = { isOllama: true, facts: { contextWindow: 131_072 } } as const;
    const models = modelsThatKnow({ [`compatible ${OLLAMA} deepseek-v4-pro`]: isOllama });
    assert.ok(modelsThatKnow().cost(at('deepseek-v4-pro'), USAGE)! > 0);
    assert.equal(await costOf(models, at('deepseek-v4-pro', OLLAMA)), null);
  });

  it('has no cost on a local LM Studio unless the user sets a price', async () => {
    const models = modelsThatKnow();
    assert.ok(models.cost(at('openai/gpt-oss-20b'), USAGE)! > 0);
    for (const host of ['localhost', '127.0.0.1', '[::1]'])
      assert.equal(await costOf(models, at('openai/gpt-oss-20b', `http://${host}:1234/v1`)), null);
    assert.ok((await costOf(models, at('openai/gpt-oss-20b', 'http://localhost:4000/v1')))! > 0);
    settings['models'] = { overrides: { 'openai/gpt-oss-20b': { price: { input: 1, output: 2 } } } };
    assert.equal(await costOf(models, at('openai/gpt-oss-20b', 'http://localhost:1234/v1')), 1);
  });

  it('times out after the user’s first-token timeout when it is a model of VS Code', async () => {
    settings['chat'] = { ...settings['chat'], firstTokenTimeout: 5 };
    mock.timers.enable({ apis: ['setTimeout'] });
    const silent = { sendRequest: () => new Promise(() => undefined), countTokens: () => Promise.resolve(1) };
    const chat = editorChat.vsCodeChatModel('vendor/silent', silent as never);
    const request = { system: [], messages: [], maxOutputTokens: 9 } as const;
    const first = chat.stream(request, new AbortController().signal)[Symbol.asyncIterator]().next();
    mock.timers.tick(5_000);
    mock.timers.reset();
    await assert.rejects(first, (error) => ModelFault.is(error, 'timeout'));
  });

  it('does not time out while it thinks when it is a model of VS Code', async () => {
    settings['chat'] = { ...settings['chat'], firstTokenTimeout: 5 };
    mock.timers.enable({ apis: ['setTimeout'] });
    const thinkThenSpeak = async function* () {
      for (let n = 0; n < 3; n++) {
        mock.timers.tick(4_000);
        yield await Promise.resolve({ value: 'hm' });
      }
      yield new editor.LanguageModelTextPart('Fine.');
    };
    const thinking = {
      sendRequest: () => Promise.resolve({ stream: thinkThenSpeak() }),
      countTokens: () => Promise.resolve(1),
    };
    const chat = editorChat.vsCodeChatModel('vendor/thinking', thinking as never);
    const request = { system: [], messages: [], maxOutputTokens: 9 } as const;
    try {
      let text = '';
      for await (const chunk of chat.stream(request, new AbortController().signal))
        if (chunk.type === 'text') text += chunk.text;
      assert.equal(text, 'Fine.');
    } finally {
      mock.timers.reset();
    }
  });

  it('respects the user’s chat context window when it is used as the summarizer', () => {
    settings['chat'] = {
      ...settings['chat'],
      provider: 'compatible',
      model: 'llama3',
      baseUrl: OLLAMA,
      contextWindow: 8_192,
    };
    const own = settings as unknown as Settings;
    const chat = module.chosenChatModel(own, undefined);
    const isOllama = { isOllama: true, facts: { contextWindow: 131_072 } } as const;
    const models = modelsThatKnow({ [`compatible ${OLLAMA} qwen3`]: isOllama });
    const named = {
      ...own,
      summarizer: { ...own.summarizer, provider: 'compatible', model: 'llama3', baseUrl: OLLAMA },
    } as const;
    for (const summarizer of [module.chosenSummaryModel(own, chat), module.chosenSummaryModel(named, chat)])
      assert.equal(models.info(summarizer).contextWindow, 8_192);
    // The memory limit of its machine applies to any model on it, but not to other servers.
    assert.equal(models.info(at('qwen3', OLLAMA)).contextWindow, 8_192);
    assert.equal(models.info(at('gpt-4o-mini')).contextWindow, 128_000);
  });

  it('is looked up again after its server was busy, and learned from a late response', async () => {
    const late = Promise.withResolvers<undefined>();
    // 408 is handled like a server that doesn't answer in time.
    const answers = [503, 408].map((status) => (response: ServerResponse) => response.writeHead(status).end('{}'));
    let requests = 0;
    const answer: RequestListener = (_, response) => {
      requests++;
      response.setHeader('content-type', 'application/json');
      const early = answers.shift();
      if (early) early(response);
      else void late.promise.then(() => response.end('{"data":[{"id":"new","max_model_len":9000}]}'));
    };
    await serving(answer, async (url) => {
      const learned = Promise.withResolvers<ListedModel>();
      const models = modelsThatKnow({}, (_, listed) => learned.resolve(listed));
      for (let n = 0; n < 3; n++) await models.prepare(at('new', `${url}/v1`));
      assert.equal(requests, 3);
      late.resolve(undefined);
      assert.equal((await learned.promise).facts.contextWindow, 9_000);
    });
  });

  it('is looked up again after its server’s certificate had expired', async () => {
    const { fetch } = globalThis;
    const cause = Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' });
    const requests: number[] = [];
    let sent = 0;
    globalThis.fetch = () => {
      sent++;
      return Promise.reject(new TypeError('fetch failed', { cause }));
    };
    try {
      const models = modelsThatKnow({});
      for (let n = 0; n < 2; n++) {
        await models.prepare(at('new', 'https://127.0.0.1/v1'));
        requests.push(sent);
      }
    } finally {
      globalThis.fetch = fetch;
    }
    assert.ok(requests[0]! > 0);
    assert.ok(requests[1]! > requests[0]!);
  });

  it('is looked up again once its server has loaded it', async () => {
    const unloaded = { id: 'new', status: { value: 'unloaded' } };
    const lists = [unloaded, { id: 'new', status: { value: 'loaded' }, meta: { n_ctx: 9_000 } }];
    let requests = 0;
    const answer: RequestListener = (_, response) =>
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ data: [lists[requests++] ?? unloaded] }));
    await serving(answer, async (url) => {
      const learned = learnedFacts(memento());
      const models = new module.Models({ get: () => Promise.resolve('a-key') } as never, {} as never, learned);
      const chosen = at('new', `${url}/v1`);
      const windows: number[] = [];
      for (let n = 0; n < 3; n++) {
        await models.prepare(chosen);
        windows.push(models.info(chosen).contextWindow);
      }
      assert.deepEqual(windows, [32_768, 9_000, 9_000]);
      assert.equal(requests, 2);
    });
  });

  it('can be used although the facts from its server’s list can’t be stored', () =>
    serving(
      (_, response) =>
        response.setHeader('content-type', 'application/json').end('{"data":[{"id":"new","max_model_len":9000}]}'),
      async (url) => {
        const learned = learnedFacts({ ...memento(), update: () => Promise.reject(new Error('no space')) });
        const models = new module.Models({ get: () => Promise.resolve('a-key') } as never, {} as never, learned);
        const chosen = at('new', `${url}/v1`);
        await models.prepare(chosen);
        assert.equal(models.info(chosen).contextWindow, 9_000);
      },
    ));

  it('is the same model of VS Code whether or not the settings name a server', () => {
    const own = settings as unknown as Settings;
    const chat = { ...own.chat, provider: 'vscode', model: '', baseUrl: OLLAMA } as const;
    const selected = { provider: 'vscode', model: 'copilot/gpt' } as never;
    for (const provider of ['vscode', 'local'] as const)
      assert.equal(module.chosenChatModel({ ...own, chat: { ...chat, provider } }, selected).baseUrl, '');
  });

  it('is the one in the settings if the session’s provider is unknown, for example to an older version', () => {
    const own = settings as unknown as Settings;
    const chat = { ...own.chat, provider: 'openai', model: 'gpt-own' } as const;
    const selected = { provider: 'newer', model: 'newer-model' } as never;
    const { provider, model } = module.chosenChatModel({ ...own, chat }, selected);
    assert.deepEqual([provider, model], ['openai', 'gpt-own']);
  });

  it('needs a server’s API key only when the server’s address is known', () => {
    const own = settings as unknown as Settings;
    const holders = (baseUrl: string) =>
      module.keyedServers({ ...own, chat: { ...own.chat, provider: 'vscode', baseUrl } }).map((one) => one.provider);
    assert.deepEqual(holders(''), ['openai', 'anthropic']);
    assert.deepEqual(holders(SERVER), ['openai', 'anthropic', 'compatible']);
  });
});
