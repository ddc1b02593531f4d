import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import type * as ItemsModule from '../../../src/host/models/model-items.ts';
import type * as NoticesModule from '../../../src/host/models/model-notices.ts';
import type * as PickerModule from '../../../src/host/models/model-picker.ts';
import type * as ModelsModule from '../../../src/host/models/models.ts';
import type { ChosenModel, ModelsApp } from '../../../src/host/models/models.ts';
import { defaultSettings, hostIn, memento } from '../../support/fake-editor.ts';
import { inStore } from '../storage/test-store.ts';

const SERVER = 'http://127.0.0.1:8080/v1';
const OTHER = 'http://127.0.0.1:8081/v1';

type Values = Record<string, unknown>;
let user: Values;
let workspace: Values;
let typed: (string | undefined)[];
let picked: object[];
let prompts: unknown[];
/** Whether the user cancels while the model is tested. */
let isCancelled: boolean;
/** Why settings can't be written; '' if they can. */
let unwritable = '';

function configuration(section: string): object {
  const prefix = section.replace(/^threadkeeper\.?/, '').replace(/(?<=.)$/, '.');
  const merged = (name: string): unknown => {
    const [user_, workspace_] = [user[name], workspace[name]];
    return typeof user_ === 'object' && typeof workspace_ === 'object'
      ? { ...user_, ...workspace_ }
      : (workspace_ ?? user_);
  };
  return {
    get: (name: string, missing: unknown) => {
      if (prefix !== '') return merged(prefix + name) ?? missing;
      const values = { ...defaultSettings()[name] };
      for (const key of Object.keys(values)) values[key] = merged(`${name}.${key}`) ?? values[key];
      return values;
    },
    inspect: (name: string) => ({ globalValue: user[prefix + name], workspaceValue: workspace[prefix + name] }),
    update: (name: string, value: unknown, isGlobal: boolean) => {
      if (unwritable !== '') return Promise.reject(new Error(unwritable));
      (isGlobal ? user : workspace)[prefix + name] = value;
      return Promise.resolve();
    },
  };
}

const editor = {
  workspace: { getConfiguration: configuration },
  window: {
    showInputBox: ({ prompt }: { readonly prompt: unknown }) => {
      prompts.push(prompt);
      return Promise.resolve(typed.shift());
    },
    showQuickPick: async (items: unknown) => {
      await items;
      return picked.shift();
    },
    showWarningMessage: (text: string) => assert.fail(text),
    showInformationMessage: () => Promise.resolve(undefined),
    withProgress: (_: unknown, work: (progress: unknown, token: unknown) => unknown) =>
      work(undefined, { onCancellationRequested: (cancel: () => void) => (isCancelled ? cancel() : undefined) }),
  },
  QuickPickItemKind: { Separator: -1 },
  ConfigurationTarget: { Global: true, Workspace: false },
  ProgressLocation: { Notification: 1 },
};

describe('model selection by the user', () => {
  let picker: typeof PickerModule;
  let notices: typeof NoticesModule;
  let models: typeof ModelsModule;
  let items: typeof ItemsModule;
  let asked: ChosenModel[];
  let selected: unknown[];
  let isStreaming: boolean;

  before(async () => {
    const load = hostIn(editor);
    picker = await load('models/model-picker.ts');
    notices = await load('models/model-notices.ts');
    models = await load('models/models.ts');
    items = await load('models/model-items.ts');
  });
  beforeEach(() => {
    [user, workspace, typed, picked, asked, selected, prompts] = [{}, {}, [], [], [], [], []];
    [unwritable, isCancelled] = ['', false];
  });

  const conversationOf = (journal: object) => ({
    ...{ journal, state: {} },
    meter: { budget: () => 1 },
    context: () => ({ total: 0 }),
  });
  const app = (): ModelsApp => {
    const append = (event: unknown) => Promise.resolve(void selected.push(event));
    const conversation = conversationOf({ id: 's1', append });
    async function* stream(_: unknown, signal: AbortSignal): AsyncGenerator<object> {
      try {
        await Promise.resolve();
        signal.throwIfAborted();
        yield { type: 'text', text: 'pong' };
        yield { type: 'text', text: '…' };
      } finally {
        isStreaming = false;
      }
    }
    return {
      sessions: { current: conversation, listChanged: () => undefined },
      keys: { set: () => Promise.resolve() },
      chosenModel: () => ({ provider: 'local', model: 'local', baseUrl: '' }),
      models: {
        info: () => ({ known: true, contextWindow: 8_192 }),
        isReady: () => Promise.resolve(true),
        label: ({ model }: ChosenModel) => model,
        list: () => Promise.resolve([{ id: 'm', facts: {} }]),
        make: (chosen: ChosenModel) => {
          asked.push(chosen);
          isStreaming = true;
          return Promise.resolve({ stream });
        },
      },
      recentModels: { add: () => Promise.resolve() },
      calibrations: { forgetContextWindow: () => undefined },
      modelChanged: () => Promise.resolve(),
    } as never;
  };
  const current = ({ sessions }: Pick<ModelsApp, 'sessions'>): Conversation => sessions.current!;
  const choose = (window: ModelsApp, from: Parameters<typeof picker.chooseModelFrom>[2]): Promise<boolean> =>
    picker.chooseModelFrom(window, current(window), from);
  const select = (baseUrl: string): Promise<boolean> =>
    choose(app(), [{ label: 'm', chosen: { provider: 'compatible', model: 'm', baseUrl } }]);

  it('stays open if Enter is pressed before any model is listed', async () => {
    user = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    let accept = (): void => undefined;
    const { promise: isShown, resolve: shown } = Promise.withResolvers<undefined>();
    const pick = {
      ...{ items: [], activeItems: [] as object[], show: () => shown(undefined), dispose: () => undefined },
      ...{ onDidAccept: (then: () => void) => (accept = then), onDidHide: () => undefined },
    };
    Object.assign(editor.window, { createQuickPick: () => pick });
    const window = { ...app(), recentModels: { all: () => [], add: () => Promise.resolve() } };
    const chosen = picker.chooseModel(window, current(window));
    await isShown;
    accept();
    pick.activeItems = [{ label: 'm', chosen: { provider: 'compatible', model: 'm', baseUrl: SERVER } }];
    accept();
    assert.equal(await chosen, true);
  });

  it('names the server of each recently used model of a server', async () => {
    const all = () => ['', SERVER, OTHER].map((baseUrl) => ({ provider: 'compatible', model: 'm', baseUrl }));
    const recent = items.modelGroups({ ...app(), recentModels: { all } } as never, AbortSignal.timeout(1_000))[0];
    const descriptions = (await recent?.items)?.map(({ description }) => description);
    assert.deepEqual(descriptions, ['8.19k tokens', `${SERVER} · 8.19k tokens`, `${OTHER} · 8.19k tokens`]);
  });

  it('lists the newest models of a vendor first', async () => {
    const ids = [
      'chat-latest',
      'claude-x-5-2',
      'gpt-4-32k',
      'gpt-4.1',
      'gpt-4o-2024-08-06',
      'gpt-5',
      'gpt-5.10',
      'gpt-5.9-mini',
      'gpt-6-x',
      'gpt-oss-20b',
      'o3',
    ];
    const list = () => Promise.resolve(ids.map((id) => ({ id, facts: {} })));
    const window = app();
    Object.assign(window.models, { list });
    const named = async (provider: string): Promise<string[]> =>
      (
        await items.modelItems(window, { provider, model: 'list', baseUrl: '' } as never, AbortSignal.timeout(1_000))
      ).map(({ label }) => label);
    const newest = [
      'gpt-6-x',
      'gpt-5.10',
      'gpt-5.9-mini',
      'claude-x-5-2',
      'gpt-5',
      'gpt-4.1',
      'gpt-4-32k',
      'gpt-4o-2024-08-06',
      'o3',
      'chat-latest',
      'gpt-oss-20b',
    ];
    assert.deepEqual(await named('openai'), newest);
    assert.deepEqual(await named('compatible'), ids);
  });

  it('shows when a model retires before its prices, because a long row is cut off', () => {
    const price = { input: 2.5, output: 10, cachedInput: 1.25 };
    const facts = { price, retires: { on: '2026-10-23' } };
    const { description } = items.modelItem(app(), { provider: 'openai', model: 'm', baseUrl: '' }, facts);
    assert.match(description ?? '', /^8\.19k tokens · retirement date: Oct 23, 2026 · \$2\.50 in/);
  });

  it('compresses the session whose model was selected, even if another one is open by then', async () => {
    user = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    const done: string[] = [];
    const budgets = [2, 1];
    const conversation = {
      journal: { id: 's1', append: () => Promise.resolve() },
      state: {},
      meter: { budget: () => budgets.shift() },
      context: () => ({ total: 9 }),
    };
    const { promise: compressed, resolve } = Promise.withResolvers<undefined>();
    const { window } = editor;
    const commands = {
      executeCommand: (command: string) => {
        done.push(command);
        resolve(undefined);
      },
    };
    const showWarningMessage = (_text: string, compress: string) => {
      sessions.current = {};
      return Promise.resolve(compress);
    };
    const load = hostIn({ ...editor, window: { ...window, showWarningMessage }, commands });
    const { chooseModelFrom } = await load<typeof PickerModule>('models/model-picker.ts');
    const sessions = {
      current: conversation as object,
      listChanged: () => undefined,
      open: (id: string) => Promise.resolve(done.push(id)),
    };
    const chosen = { provider: 'compatible', model: 'm', baseUrl: SERVER } as const;
    await chooseModelFrom({ ...app(), sessions } as never, conversation as never, [{ label: 'm', chosen }]);
    await compressed;
    assert.deepEqual(done, ['s1', 'threadkeeper.compressHistory']);
  });

  it('is for the session in which it was begun, even if another one is shown by then', () =>
    inStore(async (store) => {
      const [own, other] = [await store.create('', 'test'), await store.create('', 'test')];
      const sessions = { current: conversationOf(own), listChanged: () => undefined };
      const pickElsewhere = async (): Promise<object> => {
        await own.close();
        sessions.current = conversationOf(other);
        return { chosen: { provider: 'openai', model: 'm', baseUrl: '' } };
      };
      picked = [pickElsewhere()];
      assert.equal(await choose({ ...app(), sessions, store } as never, 'openai'), true);
      assert.equal(other.state.model, undefined);
      assert.equal((await store.open(own.id)).state.model, 'm');
    }));

  it('is for the session in which it was begun, even if another model is selected because the first one didn’t work', () =>
    inStore(async (store) => {
      user = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
      const [own, other] = [await store.create('', 'test'), await store.create('', 'test')];
      const sessions = { current: conversationOf(own), listChanged: () => undefined };
      const showWarningMessage = async (_text: string, again: string): Promise<string> => {
        await own.close();
        sessions.current = conversationOf(other);
        return again;
      };
      const pick = {
        ...{ items: [], show: () => undefined, dispose: () => undefined, onDidHide: () => undefined },
        activeItems: [{ label: 'm', chosen: { provider: 'compatible', model: 'm', baseUrl: SERVER } }],
        onDidAccept: (then: () => void) => then(),
      };
      const window = { ...editor.window, showWarningMessage, createQuickPick: () => pick };
      const commands = { executeCommand: (command: string) => Promise.reject(new Error(command)) };
      const { chooseModelFrom } = await hostIn({ ...editor, window, commands })<typeof PickerModule>(
        'models/model-picker.ts',
      );
      const make = (): never => {
        throw new ModelFault('model_not_found', 'missing');
      };
      const recentModels = { all: () => [], add: () => Promise.resolve() };
      const ownApp = Object.assign(app(), { sessions, store, recentModels });
      Object.assign(ownApp.models, { make });
      picked = [{ action: 'other' }];
      typed = ['wrong'];
      await chooseModelFrom(ownApp, sessions.current as never, 'compatible');
      assert.equal(other.state.model, undefined);
      assert.equal((await store.open(own.id)).state.model, 'm');
    }));

  it('says so if the session to compress was deleted while its notification was open', async () => {
    user = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    const budgets = [2, 1];
    const conversation = {
      journal: { id: 's1', append: () => Promise.resolve() },
      state: {},
      meter: { budget: () => budgets.shift() },
      context: () => ({ total: 9 }),
    };
    const told = Promise.withResolvers<string>();
    const window = {
      ...editor.window,
      showWarningMessage: (_text: string, compress: string) => {
        sessions.current = {};
        return Promise.resolve(compress);
      },
      showErrorMessage: (text: string) => Promise.resolve(told.resolve(text)),
    };
    const { chooseModelFrom } = await hostIn({ ...editor, window })<typeof PickerModule>('models/model-picker.ts');
    const sessions = {
      current: conversation as object,
      listChanged: () => undefined,
      open: () => Promise.reject(new Error('it was deleted')),
    };
    const describe = ({ message }: Error): object => ({ reason: 'failed', text: `Failed: ${message}.` });
    const chosen = { provider: 'compatible', model: 'm', baseUrl: SERVER } as const;
    await chooseModelFrom({ ...app(), sessions, describe } as never, conversation as never, [{ label: 'm', chosen }]);
    assert.equal(await told.promise, 'Failed: it was deleted.');
  });

  it('changes only the workspace settings when the workspace names another server', async () => {
    user = { 'chat.provider': 'anthropic' };
    workspace = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    assert.equal(await select(OTHER), true);
    assert.deepEqual(user, { 'chat.provider': 'anthropic' });
    assert.deepEqual(workspace, { 'chat.provider': 'compatible', 'chat.baseUrl': OTHER });
  });

  it('rejects with VS Code’s explanation if the settings file cannot be written', async () => {
    unwritable = 'Unable to write into user settings. Please open the user settings to correct errors in it.';
    typed = ['32000'];
    const rejected = { name: 'SettingsError', message: unwritable };
    await assert.rejects(notices.askForContextWindow('m'), { ...rejected, setting: 'models.overrides' });
    await assert.rejects(select(OTHER), { ...rejected, setting: 'chat.baseUrl' });
  });

  it('replaces the provider named by the workspace when a server’s model is selected', async () => {
    workspace = { 'chat.provider': 'openai' };
    assert.equal(await select(OTHER), true);
    assert.deepEqual(
      [workspace['chat.provider'] ?? user['chat.provider'], workspace['chat.baseUrl'] ?? user['chat.baseUrl']],
      ['compatible', OTHER],
    );
  });

  it('replaces the user’s provider when a server’s model is selected', async () => {
    user = { 'chat.provider': 'openai' };
    assert.equal(await select(OTHER), true);
    assert.deepEqual([user, workspace], [{ 'chat.provider': 'compatible', 'chat.baseUrl': OTHER }, {}]);
  });

  it('tests and uses a model at the address that the user enters', async () => {
    user = { 'chat.provider': 'openai' };
    typed = [SERVER];
    assert.equal(await select(''), true);
    const urls = asked.map(({ baseUrl }) => baseUrl);
    assert.deepEqual(urls, [SERVER]);
    assert.equal(user['chat.baseUrl'], SERVER);
    // The reply isn't read to its end, so the server need not write it.
    assert.equal(isStreaming, false);
  });

  it('selects no model when the user stops waiting for the first response, and says where the URL is saved', async () => {
    user = { 'chat.provider': 'openai' };
    typed = [SERVER];
    isCancelled = true;
    assert.equal(await select(''), false);
    assert.deepEqual(selected, []);
    assert.match(
      String(prompts[0]),
      /^Saved in the settings threadkeeper\.chat\.baseUrl and threadkeeper\.chat\.provider\./,
    );
  });

  it('tests a model with a new API key, even if the user then leaves the base URL unchanged', async () => {
    user = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    typed = ['sk-new', undefined];
    picked = [
      { action: 'key' },
      { action: 'address' },
      { chosen: { provider: 'compatible', model: 'm', baseUrl: SERVER } },
    ];
    assert.equal(await choose(app(), 'compatible'), true);
    const urls = asked.map(({ baseUrl }) => baseUrl);
    assert.deepEqual(urls, [SERVER]);
  });

  it('offers to set a server’s API key even if its model list needs none', async () => {
    const list = await items.providerList(app(), { provider: 'compatible', model: 'list', baseUrl: SERVER });
    const actions = list.flatMap(({ action }) => action ?? []);
    assert.deepEqual(actions, ['other', 'address', 'key']);
  });

  it('offers a recently used model only while it would be selected at its server', async () => {
    const recentModels = models.recentModels(memento());
    const window = { ...app(), recentModels };
    const conversation = current(window);
    const offered = async (): Promise<string[]> =>
      (await picker.modelOffers(window)).filter(({ detail }) => detail === 'Recently used').map(({ label }) => label);
    user = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    await picker.selectModel(window, conversation, 'compatible', 'at the server');
    user = { 'chat.provider': 'openai', 'chat.baseUrl': 'https://proxy.example/v1' };
    await picker.selectModel(window, conversation, 'openai', 'at the proxy');
    assert.deepEqual(await offered(), ['at the proxy']);
    user = { 'chat.provider': 'openai' };
    assert.deepEqual(await offered(), ['at the server']);
    const [recent] = await picker.modelOffers(window);
    assert.equal(await recent?.take(conversation), true);
    assert.deepEqual(user, { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER });
    user = { 'chat.provider': 'openai', 'chat.baseUrl': 'https://proxy.example/v1' };
    assert.deepEqual(
      recentModels.all().map(({ model }) => model),
      ['at the server', 'at the proxy'],
    );
  });

  it('stores a model’s context window in the user settings without the workspace’s own overrides', async () => {
    user = { 'models.overrides': { mine: { maxOutput: 1_000 } } };
    workspace = { 'models.overrides': { ours: { contextWindow: 9_000 } } };
    typed = ['8192'];
    await notices.askForContextWindow('mine');
    assert.deepEqual(user['models.overrides'], { mine: { maxOutput: 1_000, contextWindow: 8_192 } });
  });
});
