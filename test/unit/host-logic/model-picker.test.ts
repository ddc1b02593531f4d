import assert from 'node:assert/strict';
import type * as PickerModule from '../../../src/host/models/model-picker.ts';
import type { ModelsApp } from '../../../src/host/models/models.ts';
import { defaultSettings, hostIn, l10n } from '../../support/fake-editor.ts';

const SERVER = 'http://127.0.0.1:8080/v1';
const OTHER = 'http://127.0.0.1:8081/v1';

type Values = Record<string, unknown>;
/** The values of settings, such as `chat.provider`, for the user and for the workspace. */
let user: Values;
let workspace: Values;

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
      (isGlobal ? user : workspace)[prefix + name] = value;
      return Promise.resolve();
    },
  };
}

const editor = {
  workspace: { getConfiguration: configuration },
  window: {
    showWarningMessage: (text: string) => assert.fail(text),
  },
  ConfigurationTarget: { Global: true, Workspace: false },
  env: { language: 'en' },
  l10n,
};

describe('a model that the user selects', () => {
  let picker: typeof PickerModule;

  before(async () => {
    const load = hostIn(editor);
    picker = await load('models/model-picker.ts');
  });
  beforeEach(() => {
    [user, workspace] = [{}, {}];
  });

  const app = (): ModelsApp => {
    const conversation = {
      journal: { append: () => Promise.resolve() },
      budget: () => 1,
      context: () => ({ total: 0 }),
    };
    return {
      sessions: { currentOrLatest: () => Promise.resolve(conversation) },
      models: {
        isReady: () => Promise.resolve(true),
      },
      recentModels: { add: () => Promise.resolve() },
      forgetWindow: () => undefined,
      modelChanged: () => Promise.resolve(),
    } as never;
  };
  const select = (baseUrl: string): Promise<boolean> =>
    picker.chooseModelFrom(app(), [{ label: 'm', chosen: { provider: 'compatible', model: 'm', baseUrl } }]);

  it('at another server than the workspace names leaves the settings of other workspaces as they are', async () => {
    user = { 'chat.provider': 'anthropic' };
    workspace = { 'chat.provider': 'compatible', 'chat.baseUrl': SERVER };
    assert.equal(await select(OTHER), true);
    assert.deepEqual(user, { 'chat.provider': 'anthropic' });
    assert.deepEqual(workspace, { 'chat.provider': 'compatible', 'chat.baseUrl': OTHER });
  });

  it('at a server takes the place of the provider that the workspace names', async () => {
    workspace = { 'chat.provider': 'openai' };
    assert.equal(await select(OTHER), true);
    assert.deepEqual(
      [workspace['chat.provider'] ?? user['chat.provider'], workspace['chat.baseUrl'] ?? user['chat.baseUrl']],
      ['compatible', OTHER],
    );
  });

  it('at a server replaces the user’s provider', async () => {
    user = { 'chat.provider': 'openai' };
    assert.equal(await select(OTHER), true);
    assert.deepEqual([user, workspace], [{ 'chat.provider': 'compatible', 'chat.baseUrl': OTHER }, {}]);
  });
});
