import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { ModelFault } from '../../app/fault.ts';
import type { ChatRequest } from '../../app/ports.ts';
import { withCancellableProgress, showInfo } from '../platform/notifications.ts';
import { faultView, notificationText } from '../platform/fault-view.ts';
import { LIST_TIMEOUT_MS } from './key-commands.ts';
import { askForKey, isKeyed, isVendor, PROVIDER_LABELS, serverName, VENDORS } from './keys.ts';
import {
  atConfiguredUrl,
  modelGroups,
  modelItem,
  modelItemsIfAny,
  modelSources,
  providerItems,
  providerList,
  type ListItem,
  type ModelGroup,
  type ModelItem,
  type ProviderItem,
} from './model-items.ts';
import { askForContextWindow, assumedContextWindowText } from './model-notices.ts';
import type { ChosenModel, ModelsApp } from './models.ts';
import { readSettings, updateSetting } from '../platform/settings.ts';
import { changeSession } from '../platform/session-changes.ts';
import type { ProviderName } from '../platform/settings-schema.ts';

/** Groups that load within this time (ms) are shown together, so that rows don't move under the pointer. */
const FIRST_ROWS_MS = 300;
/** Timeout of a test in ms, long enough for a server to load the model first. */
const TEST_TIMEOUT_MS = 60_000;
/** Suggested if no base URL is set. */
const OLLAMA_URL = 'http://localhost:11434/v1';
/** Not translated, because it's sent to the model. */
const TEST_PROMPT = 'ping';
const TEST_REQUEST: ChatRequest = {
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: TEST_PROMPT }] }],
  maxOutputTokens: 16,
};

/** Selects the session's model from the list of all models. False if the user cancels. */
export async function chooseModel(app: ModelsApp, conversation: Conversation): Promise<boolean> {
  return useModel(app, conversation, await pickOfAll(app));
}

/** Sets the session's model. An untested model is tested first. False if the user cancels. */
async function useModel(app: ModelsApp, conversation: Conversation, picked: Picked | undefined): Promise<boolean> {
  if (!picked || (picked.isUntested && !(await testModel(app, conversation, picked)))) return false;
  if (picked.provider === 'compatible' && picked.baseUrl !== atConfiguredUrl('compatible').baseUrl)
    await saveAddress(picked.baseUrl);
  const { isTooSmall } = await selectModel(app, conversation, picked.provider, picked.model);
  // Not awaited, so that callers can continue with the model while the notification is open.
  if (isTooSmall)
    offerCompression(app, picked, conversation).catch((error: unknown) =>
      vscode.window.showErrorMessage(notificationText(app.describe(error))),
    );
  return true;
}

/** Selects the session's model from those of one provider, or from a list; no prompt if the list has only one. */
export async function chooseModelFrom(
  app: ModelsApp,
  conversation: Conversation,
  from: ProviderName | readonly ModelItem[],
): Promise<boolean> {
  const title = vscode.l10n.t('Select Model for This Session');
  if (typeof from === 'string') return useModel(app, conversation, await pickOfProvider(app, from, title));
  const picked =
    from.length > 1 ? await vscode.window.showQuickPick(from, { title, matchOnDescription: true }) : from[0];
  return useModel(app, conversation, picked && (await askForMissing(app, picked.chosen)));
}

async function pickOfAll(app: ModelsApp): Promise<Picked | undefined> {
  const title = vscode.l10n.t('Select Model for This Session');
  const picked = await pickFromGroups(title, (signal) => modelGroups(app, signal));
  if (picked?.chosen) return askForMissing(app, picked.chosen);
  const { provider: current } = app.chosenModel();
  if (picked?.action === 'other' && isKeyed(current)) return askForModelId(app, current);
  if (picked?.action === 'other') {
    const keyed = (await providerItems(app)).filter(({ provider }) => isKeyed(provider));
    const provider = (await vscode.window.showQuickPick(keyed, { title }))?.provider;
    return provider && askForModelId(app, provider);
  }
  return picked?.provider && pickOfProvider(app, picked.provider, vscode.l10n.t('Select Model'));
}

/** Shows each group of models when it's loaded, and keeps the active row. */
async function pickFromGroups(
  title: string,
  make: (signal: AbortSignal) => readonly ModelGroup[],
): Promise<ListItem | undefined> {
  const pick = vscode.window.createQuickPick<ListItem>();
  // The chat page takes the focus when it's rendered, and users may start a server in a terminal meanwhile.
  pick.ignoreFocusOut = true;
  const closed = new AbortController();
  try {
    Object.assign(pick, { title, matchOnDescription: true, matchOnDetail: true, busy: true, keepScrollPosition: true });
    pick.placeholder = vscode.l10n.t('Search for a model');
    const accepted = new Promise<ListItem | undefined>((resolve) => {
      // Enter may be pressed before any row is shown.
      pick.onDidAccept(() => pick.activeItems[0] && resolve(pick.activeItems[0]));
      pick.onDidHide(() => resolve(undefined));
    });
    pick.show();
    const groups = make(closed.signal);
    const loaded = new Map<ModelGroup, readonly ListItem[]>();
    const show = (): void => {
      const [active] = pick.activeItems;
      const first = pick.items.find(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
      pick.items = groups.flatMap((each): readonly ListItem[] => {
        const rows = loaded.get(each) ?? [];
        return rows.length === 0 ? [] : [{ label: each.title, kind: vscode.QuickPickItemKind.Separator }, ...rows];
      });
      if (active && active !== first) pick.activeItems = [active];
    };
    let isShown = false;
    const all = Promise.all(
      groups.map(async (group) => {
        loaded.set(group, await group.items);
        if (isShown) show();
      }),
    ).finally(() => (pick.busy = false));
    const shown = Promise.race([all, sleep(FIRST_ROWS_MS)]).then(() => {
      isShown = true;
      show();
    });
    return await Promise.race([accepted, Promise.all([all, shown]).then(() => accepted)]);
  } finally {
    closed.abort();
    pick.dispose();
  }
}

/** Asks for a provider and one of its models; undefined if the user cancels. */
export async function pickModel(
  app: ModelsApp,
  providers: Promise<readonly ProviderItem[]>,
  title: string,
): Promise<ChosenModel | undefined> {
  const provider = (await vscode.window.showQuickPick(providers, { title }))?.provider;
  return provider && pickOfProvider(app, provider, title);
}

/** `isUntested`: the user has just entered the model's name, API key, or base URL. */
type Picked = ChosenModel & { readonly isUntested: boolean };

/** Asks for a missing base URL or API key. Undefined if the user cancels. */
async function askForMissing(app: ModelsApp, chosen: ChosenModel): Promise<Picked | undefined> {
  const { provider } = chosen;
  const lacksAddress = provider === 'compatible' && chosen.baseUrl === '';
  if (lacksAddress && !(await askForAddress(app, ''))) return undefined;
  const { baseUrl } = lacksAddress ? atConfiguredUrl(provider) : chosen;
  const lacksKey = isKeyed(provider) && !(await app.models.isReady({ ...chosen, baseUrl }));
  if (lacksKey && !(await askForKey(app.keys, { provider, baseUrl }))) return undefined;
  return { ...chosen, baseUrl, isUntested: lacksAddress || lacksKey };
}

async function askForModelId(app: ModelsApp, provider: ProviderName): Promise<Picked | undefined> {
  if ((await askForMissing(app, atConfiguredUrl(provider))) === undefined) return undefined;
  const title = vscode.l10n.t('Select Model');
  const prompt = vscode.l10n.t('Enter the model ID, as used by the provider.');
  const name = (await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true }))?.trim();
  return name ? { ...atConfiguredUrl(provider), model: name, isUntested: true } : undefined;
}

/** Asks for a missing base URL or API key, then for the model. If the model list can't be loaded, it shows why. */
async function pickOfProvider(app: ModelsApp, provider: ProviderName, title: string): Promise<Picked | undefined> {
  if (provider === 'local') return { ...atConfiguredUrl(provider), model: 'local', isUntested: false };
  const completed = await askForMissing(app, atConfiguredUrl(provider));
  if (!completed) return undefined;
  let { isUntested } = completed;
  for (;;) {
    const picked = await vscode.window.showQuickPick(providerList(app, atConfiguredUrl(provider)), {
      title,
      matchOnDetail: true,
    });
    if (picked?.chosen) return { ...picked.chosen, isUntested };
    switch (picked?.action) {
      case undefined:
        return undefined;
      case 'other': {
        const typed = await askForModelId(app, provider);
        if (typed) return typed;
        break;
      }
      case 'address':
        if (await askForAddress(app, atConfiguredUrl(provider).baseUrl)) isUntested = true;
        break;
      case 'key':
        if (isKeyed(provider) && (await askForKey(app.keys, { ...atConfiguredUrl(provider), provider })))
          isUntested = true;
        break;
      case 'retry':
        break;
    }
  }
}

/**
 * Tests a model with a short request. True if it responds, or if the user wants to use it anyway. The user may also
 * select another one for the session instead.
 */
async function testModel(app: ModelsApp, conversation: Conversation, chosen: ChosenModel): Promise<boolean> {
  const title = vscode.l10n.t('Connecting to {0}…', app.models.label(chosen));
  try {
    const isAnswered = await withCancellableProgress(title, async (signal) => {
      const model = await app.models.make(chosen);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TEST_TIMEOUT_MS)]);
      // The first chunk is enough; the connection is closed after it.
      const chunks = model.stream(TEST_REQUEST, limit)[Symbol.asyncIterator]();
      await chunks.next();
      await chunks.return?.();
      return true;
    });
    if (!isAnswered) return false;
    showInfo(vscode.l10n.t('Connected to {0}.', app.models.label(chosen)));
    return true;
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    const anyway = vscode.l10n.t('Use Anyway');
    const text = vscode.l10n.t(
      'Couldn’t use {0} at {1}. {2}',
      app.models.label(chosen),
      serverName(chosen),
      notificationText(faultView(error)),
    );
    const again = vscode.l10n.t('Select Model…');
    const answer = await vscode.window.showWarningMessage(text, again, anyway);
    if (answer === again) await chooseModel(app, conversation);
    return answer === anyway;
  }
}

/** `isTooSmall`: the new model's budget is smaller than the previous one's, and too small for the current context. */
export async function selectModel(
  app: ModelsApp,
  conversation: Conversation,
  provider: ProviderName,
  model: string,
): Promise<{ readonly isTooSmall: boolean }> {
  const before = conversation.meter.budget();
  app.calibrations.forgetContextWindow({ ...atConfiguredUrl(provider), model });
  // Another session may have been opened since the command was run.
  await changeSession(app, conversation.journal.id, { type: 'model_selected', provider, model });
  if (provider !== 'local') await app.recentModels.add({ ...atConfiguredUrl(provider), model });
  await app.modelChanged();
  const after = conversation.meter.budget();
  return { isTooSmall: after < before && conversation.context().total > after };
}

async function offerCompression(
  { models, sessions }: ModelsApp,
  chosen: ChosenModel,
  conversation: Conversation,
): Promise<void> {
  const compress = vscode.l10n.t('Compress History');
  const setWindow = vscode.l10n.t('Set Context Window…');
  const text = vscode.l10n.t('The session doesn’t fit in the context window of {0}.', models.label(chosen));
  const assumed = assumedContextWindowText(models, chosen);
  const answer =
    assumed === undefined
      ? await vscode.window.showWarningMessage(text, compress)
      : await vscode.window.showWarningMessage(`${text} ${assumed}`, compress, setWindow);
  if (answer === compress) {
    // Another session may have been opened since.
    if (sessions.current !== conversation) await sessions.open(conversation.journal.id);
    await vscode.commands.executeCommand('threadkeeper.compressHistory');
  } else if (answer === setWindow) await askForContextWindow(chosen.model);
}

/** Asks for the base URL of the compatible server, and tests it before saving it. False if the user cancels. */
async function askForAddress(app: ModelsApp, current: string): Promise<boolean> {
  const { provider } = readSettings().chat;
  const changesProvider = isVendor(provider);
  for (let value = current; ;) {
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Base URL of the OpenAI-Compatible Server'),
      prompt: changesProvider
        ? vscode.l10n.t(
            'Saved in the settings threadkeeper.chat.baseUrl and threadkeeper.chat.provider. Sessions without a selected model will use this server, too.',
          )
        : vscode.l10n.t('Saved in the setting threadkeeper.chat.baseUrl. Your messages are sent to this URL.'),
      placeHolder: OLLAMA_URL,
      value: value || OLLAMA_URL,
      ignoreFocusOut: true,
      validateInput: (text) =>
        addressIn(text) === undefined
          ? vscode.l10n.t('Enter a valid URL, for example http://localhost:11434/v1.')
          : undefined,
    });
    const address = typed === undefined ? undefined : addressIn(typed);
    if (address === undefined) return false;
    const found = await findServer(app, address);
    if (found.fault) {
      const change = vscode.l10n.t('Change Base URL…');
      const anyway = vscode.l10n.t('Use Anyway');
      const reason = notificationText(faultView(found.fault));
      const text = vscode.l10n.t('Couldn’t get a model list from {0}. {1}', address, reason);
      const answer = await vscode.window.showWarningMessage(text, change, anyway);
      value = address;
      if (answer === change) continue;
      if (answer !== anyway) return false;
    }
    await saveAddress(found.address);
    return true;
  }
}

/** The typed URL, with `http://` added if the scheme is missing; undefined if it's invalid. */
function addressIn(typed: string): string | undefined {
  const text = typed.trim();
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) && url.hostname !== '' && !/\s/.test(text) ? address : undefined;
}

/** Finds the URL that has a model list: the given one, or the one with `/v1`, which is often forgotten. */
async function findServer(
  app: ModelsApp,
  address: string,
): Promise<{ readonly address: string; readonly fault?: ModelFault }> {
  const withV1 = URL.parse(address)?.pathname === '/' ? [`${address.replace(/\/$/, '')}/v1`] : [];
  let fault: ModelFault | undefined;
  for (const each of [address, ...withV1]) {
    try {
      const server = { provider: 'compatible', model: 'list', baseUrl: each } as const;
      if ((await app.models.list(server, AbortSignal.timeout(LIST_TIMEOUT_MS))).length > 0) return { address: each };
    } catch (error) {
      if (!ModelFault.is(error)) throw error;
      // A server that requires a key exists.
      if (ModelFault.is(error, 'no_key', 'refused_key')) return { address: each };
      fault ??= error;
    }
  }
  return { address, ...(fault && { fault }) };
}

async function saveAddress(address: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper.chat');
  // A workspace's value would override the user's, and both settings belong together.
  const isOfWorkspace = ['provider', 'baseUrl'].some(
    (name) => configuration.inspect(name)?.workspaceValue !== undefined,
  );
  const target = isOfWorkspace ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  // The base URL applies to the configured provider, so OpenAI and Anthropic are replaced.
  const { provider } = readSettings().chat;
  if (isVendor(provider)) await updateSetting('chat.provider', 'compatible', target);
  await updateSetting('chat.baseUrl', address, target);
}

/** Timeout of a model list in ms. Slower servers aren't offered, because the user is waiting. */
const OFFER_TIMEOUT_MS = 1_500;
/** Maximum number of models named on a button. */
const MAX_NAMES = 2;

/**
 * Suggested models for a session without one, each for a button; `take` resolves to false if the user cancels. OpenAI
 * and Anthropic, which need an API key, follow the others.
 */
export async function modelOffers(app: ModelsApp) {
  const choosing =
    (from: ProviderName | readonly ModelItem[]) =>
    (conversation: Conversation): Promise<boolean> =>
      chooseModelFrom(app, conversation, from);
  const [recent] = app.recentModels.all();
  const { signal } = new AbortController();
  const found = await Promise.all(
    modelSources().map(async ({ title, from }) => {
      const items = await modelItemsIfAny(app, from, signal, OFFER_TIMEOUT_MS);
      const names = items.slice(0, MAX_NAMES).map((item) => item.chosen.model);
      const detail = [...names, ...(items.length > MAX_NAMES ? ['…'] : [])].join(', ');
      return items.length > 0 ? [{ label: title, detail, take: choosing(items) }] : [];
    }),
  );
  const keyed = VENDORS.map(async (provider) => {
    const isReady = await app.models.isReady(atConfiguredUrl(provider));
    const detail = isReady ? vscode.l10n.t('API key saved') : vscode.l10n.t('Needs an API key');
    return { label: PROVIDER_LABELS[provider], detail, take: choosing(provider) };
  });
  const takeRecent = choosing(recent ? [modelItem(app, recent)] : []);
  return [
    ...(recent ? [{ label: app.models.label(recent), detail: vscode.l10n.t('Recently used'), take: takeRecent }] : []),
    ...found.flat(),
    ...(await Promise.all(keyed)),
    {
      label: vscode.l10n.t('All Models…'),
      detail: '',
      take: (conversation: Conversation) => chooseModel(app, conversation),
    },
    {
      label: vscode.l10n.t('Continue Without a Model'),
      detail: '',
      take: (conversation: Conversation) => continueWithoutModel(app, conversation),
    },
  ];
}

/** Selects the local provider, so that the session doesn't offer models again. */
async function continueWithoutModel(app: ModelsApp, conversation: Conversation): Promise<boolean> {
  await selectModel(app, conversation, 'local', 'local');
  return false;
}
