import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { ModelFault } from '../../app/fault.ts';
import { describeFault } from '../../app/fault-text.ts';
import type { ChatRequest } from '../../app/ports.ts';
import { cancellable, inform } from '../platform/inform.ts';
import { translated } from '../platform/l10n.ts';
import { COMMAND } from '../platform/ids.ts';
import { LIST_TIMEOUT_MS } from './key-commands.ts';
import { askForKey, isKeyed, LABEL, whereOf } from './keys.ts';
import {
  at,
  localServers,
  modelGroups,
  modelItem,
  modelItems,
  providerItems,
  providerList,
  type ListItem,
  type ModelGroup,
  type ModelItem,
  type ProviderItem,
  isSamePlace,
} from './model-items.ts';
import { askForWindow, assumedWindow } from './model-notices.ts';
import type { ChosenModel, ModelsApp } from './models.ts';
import { readSettings } from '../platform/settings.ts';
import type { ProviderName } from '../platform/settings-schema.ts';
import type { OfferView } from '../../protocol/views.ts';

/** Rows that come one after another move under the pointer: what comes within this time is shown at once, in ms. */
const FIRST_ROWS_MS = 300;
/** A model that has to be loaded first may take this long to answer, in ms. */
const TRY_TIMEOUT_MS = 60_000;
/** Where most servers of one's own are; offered where none is set. */
const OLLAMA_URL = 'http://localhost:11434/v1';
/** For the model, in any language. */
const TRY = 'ping';
const TRY_REQUEST: ChatRequest = {
  purpose: 'check',
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: TRY }] }],
  maxOutputTokens: 16,
};

/** Chooses the session's model from one list of all there are. False when the user gave it up. */
export async function chooseModel(app: ModelsApp): Promise<boolean> {
  await app.sessions.currentOrLatest();
  const picked = await pickOfAll(app);
  return picked !== undefined && useModel(app, picked);
}

/** Makes a model the session's, once it has answered if it is new. False when the user gave it up. */
async function useModel(app: ModelsApp, picked: Picked): Promise<boolean> {
  if (picked.isUntried && !(await answersOrIsWanted(app, picked))) return false;
  const conversation = await app.sessions.currentOrLatest();
  if (picked.provider === 'compatible' && picked.baseUrl !== at('compatible').baseUrl)
    await keepAddress(picked.baseUrl);
  const { isOutgrown } = await selectModel(app, conversation, picked.provider, picked.model);
  // Not awaited: what waits for the model goes on, and is compressed if it has to be.
  if (isOutgrown) void offerCompression(app, picked);
  return true;
}

/** Chooses the session's model from those of one provider, or takes the only one of a server. */
export async function chooseFrom(app: ModelsApp, from: ProviderName | readonly ModelItem[]): Promise<boolean> {
  const title = vscode.l10n.t('Select Model for This Session');
  if (typeof from === 'string') {
    const picked = await pickOfProvider(app, from, title);
    return picked !== undefined && useModel(app, picked);
  }
  const one = from.length > 1 ? await vscode.window.showQuickPick(from, { title, matchOnDescription: true }) : from[0];
  if (!one) return false;
  const isNew = await complete(app, one.chosen);
  return isNew !== undefined && useModel(app, { ...one.chosen, isUntried: isNew });
}

async function pickOfAll(app: ModelsApp): Promise<Picked | undefined> {
  const title = vscode.l10n.t('Select Model for This Session');
  const picked = await pickAsTheyCome(title, (signal) => modelGroups(app, signal));
  if (picked?.chosen) {
    const isNew = await complete(app, picked.chosen);
    return isNew === undefined ? undefined : { ...picked.chosen, isUntried: isNew };
  }
  const { provider: current } = app.chosenModel();
  if (picked?.act === 'other' && isKeyed(current)) return typeModel(app, current);
  if (picked?.act === 'other') {
    const keyed = (await providerItems(app)).filter(({ provider }) => isKeyed(provider));
    const provider = (await vscode.window.showQuickPick(keyed, { title }))?.provider;
    return provider && typeModel(app, provider);
  }
  return picked?.provider && pickOfProvider(app, picked.provider, vscode.l10n.t('Select Model'));
}

/** Shows each group of models as soon as it is known, and leaves the row that the user is at where it is. */
async function pickAsTheyCome(
  title: string,
  make: (signal: AbortSignal) => readonly ModelGroup[],
): Promise<ListItem | undefined> {
  const pick = vscode.window.createQuickPick<ListItem>();
  // A page that is being drawn takes the focus; who starts a server in a terminal finds the list as it was.
  pick.ignoreFocusOut = true;
  const closed = new AbortController();
  try {
    Object.assign(pick, { title, matchOnDescription: true, matchOnDetail: true, busy: true, keepScrollPosition: true });
    pick.placeholder = vscode.l10n.t('Search for a model');
    const accepted = new Promise<ListItem | undefined>((resolve) => {
      pick.onDidAccept(() => resolve(pick.activeItems[0]));
      pick.onDidHide(() => resolve(undefined));
    });
    pick.show();
    const groups = make(closed.signal);
    const known = new Map<ModelGroup, readonly ListItem[]>();
    const show = (): void => {
      const [active] = pick.activeItems;
      const first = pick.items.find(({ kind }) => kind !== vscode.QuickPickItemKind.Separator);
      pick.items = groups.flatMap((each): readonly ListItem[] => {
        const rows = known.get(each) ?? [];
        return rows.length === 0 ? [] : [{ label: each.title, kind: vscode.QuickPickItemKind.Separator }, ...rows];
      });
      if (active && active !== first) pick.activeItems = [active];
    };
    let isShown = false;
    const all = Promise.all(
      groups.map(async (group) => {
        known.set(group, await group.items);
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

/** A model of one of these providers, as the user picks it; undefined when none was picked. */
export async function pickModel(
  app: ModelsApp,
  providers: Promise<readonly ProviderItem[]>,
  title: string,
): Promise<ChosenModel | undefined> {
  const provider = (await vscode.window.showQuickPick(providers, { title }))?.provider;
  return provider && pickOfProvider(app, provider, title);
}

/** A model with whether anything about it is new: its name was typed, or its key or address just now. */
type Picked = ChosenModel & { readonly isUntried: boolean };

/** Asks for what a provider lacks: an address, a key. True when something is new, undefined when the user gave up. */
async function complete(app: ModelsApp, wanted: ChosenModel): Promise<boolean | undefined> {
  const { provider } = wanted;
  const lacksAddress = provider === 'compatible' && wanted.baseUrl === '';
  if (lacksAddress && !(await askForAddress(app, ''))) return undefined;
  const { baseUrl } = lacksAddress ? at(provider) : wanted;
  const lacksKey = isKeyed(provider) && !(await app.models.isReady({ ...wanted, baseUrl }));
  if (lacksKey && !(await askForKey(app.keys, { provider, baseUrl }))) return undefined;
  return lacksAddress || lacksKey;
}

async function typeModel(app: ModelsApp, provider: ProviderName): Promise<Picked | undefined> {
  if ((await complete(app, at(provider))) === undefined) return undefined;
  const title = vscode.l10n.t('Select Model');
  const prompt = vscode.l10n.t('Enter the model ID, as used by the provider.');
  const name = (await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true }))?.trim();
  return name ? { ...at(provider), model: name, isUntried: true } : undefined;
}

/** Asks for what the provider lacks, then for the model. A list that cannot be had says so in itself. */
async function pickOfProvider(app: ModelsApp, provider: ProviderName, title: string): Promise<Picked | undefined> {
  if (provider === 'local') return { ...at(provider), model: 'local', isUntried: false };
  let isUntried = await complete(app, at(provider));
  if (isUntried === undefined) return undefined;
  for (;;) {
    const picked = await vscode.window.showQuickPick(providerList(app, at(provider)), { title, matchOnDetail: true });
    if (picked?.chosen) return { ...picked.chosen, isUntried };
    switch (picked?.act) {
      case undefined:
        return undefined;
      case 'other': {
        const typed = await typeModel(app, provider);
        if (typed) return typed;
        break;
      }
      case 'address':
        isUntried = await askForAddress(app, at(provider).baseUrl);
        break;
      case 'key':
        if (isKeyed(provider))
          isUntried = (await askForKey(app.keys, { provider, baseUrl: at(provider).baseUrl })) !== undefined;
        break;
      case 'retry':
        break;
    }
  }
}

/** Sends one short request to a model that was never asked before. False when the user wants to choose again. */
async function answersOrIsWanted(app: ModelsApp, chosen: ChosenModel): Promise<boolean> {
  const title = vscode.l10n.t('Connecting to {0}…', app.models.label(chosen));
  try {
    const isAnswered = await cancellable(title, async (signal) => {
      const model = await app.models.make(chosen, { search: () => [] });
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_TIMEOUT_MS)]);
      // The first piece of an answer is enough.
      await model.stream(TRY_REQUEST, limit)[Symbol.asyncIterator]().next();
      return true;
    });
    if (!isAnswered) return false;
    inform(vscode.l10n.t('Connected to {0}.', app.models.label(chosen)));
    return true;
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    const anyway = vscode.l10n.t('Use Anyway');
    const text = vscode.l10n.t(
      'Couldn’t use {0} at {1}. {2}',
      app.models.label(chosen),
      whereOf(chosen),
      translated(describeFault(error).message),
    );
    const again = vscode.l10n.t('Select Model…');
    const answer = await vscode.window.showWarningMessage(text, again, anyway);
    if (answer === again) await vscode.commands.executeCommand(COMMAND.chooseModel);
    return answer === anyway;
  }
}

/**
 * Makes a model the one that answers in this session. `isOutgrown`: its window is smaller than that of the model before
 * it, and too small for the conversation as it stands.
 */
export async function selectModel(
  app: ModelsApp,
  conversation: Conversation,
  provider: ProviderName,
  model: string,
): Promise<{ readonly isOutgrown: boolean }> {
  const before = conversation.budget();
  app.forgetWindow({ ...at(provider), model });
  await conversation.journal.append({ type: 'model_selected', provider, model });
  if (provider !== 'local') await app.recentModels.add({ ...at(provider), model });
  await app.modelChanged();
  const after = conversation.budget();
  return { isOutgrown: after < before && conversation.context().total > after };
}

async function offerCompression({ models }: ModelsApp, chosen: ChosenModel): Promise<void> {
  const compress = vscode.l10n.t('Compress History');
  const setWindow = vscode.l10n.t('Set Context Window…');
  const text = vscode.l10n.t('The session doesn’t fit in the context window of {0}.', models.label(chosen));
  const assumed = assumedWindow(models, chosen);
  const answer =
    assumed === undefined
      ? await vscode.window.showWarningMessage(text, compress)
      : await vscode.window.showWarningMessage(`${text} ${assumed}`, compress, setWindow);
  if (answer === compress) await vscode.commands.executeCommand(COMMAND.compressHistory);
  else if (answer === setWindow) await askForWindow(chosen.model);
}

/** Asks where the compatible server is and tries it before it is kept. False when the user gave it up. */
async function askForAddress(app: ModelsApp, before: string): Promise<boolean> {
  const { provider } = readSettings().chat;
  const isDefault = provider === 'openai' || provider === 'anthropic';
  for (let value = before; ;) {
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Base URL of the OpenAI-Compatible Server'),
      prompt: isDefault
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
      const why = translated(describeFault(found.fault).message);
      const text = vscode.l10n.t('Couldn’t get a model list from {0}. {1}', address, why);
      const answer = await vscode.window.showWarningMessage(text, change, anyway);
      value = address;
      if (answer === change) continue;
      if (answer !== anyway) return false;
    }
    await keepAddress(found.address);
    return true;
  }
}

/** What was typed as an address; a scheme that was left out is added. Undefined when it is none. */
function addressIn(typed: string): string | undefined {
  const text = typed.trim();
  const address = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.parse(address);
  return url && /^https?:$/.test(url.protocol) && url.hostname !== '' && !/\s/.test(text) ? address : undefined;
}

/** Where at an address the models are listed: as it is, or below `/v1`, which is often left out. */
async function findServer(
  app: ModelsApp,
  address: string,
): Promise<{ readonly address: string; readonly fault?: ModelFault }> {
  const bare = URL.parse(address)?.pathname === '/' ? [`${address.replace(/\/$/, '')}/v1`] : [];
  let fault: ModelFault | undefined;
  for (const each of [address, ...bare]) {
    try {
      const server = { provider: 'compatible', model: 'list', baseUrl: each } as const;
      if ((await app.models.list(server, AbortSignal.timeout(LIST_TIMEOUT_MS))).length > 0) return { address: each };
    } catch (error) {
      if (!ModelFault.is(error)) throw error;
      // A server that wants a key first is there.
      if (ModelFault.is(error, 'no_key', 'refused_key')) return { address: each };
      fault ??= error;
    }
  }
  return { address, ...(fault && { fault }) };
}

async function keepAddress(address: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration('threadkeeper.chat');
  // The address of the settings is that of the provider they name: one that has its own gives way.
  if (isKeyed(readSettings().chat.provider))
    await configuration.update('provider', 'compatible', vscode.ConfigurationTarget.Global);
  // A value of the workspace would win over the user's.
  const isWorkspaces = configuration.inspect('baseUrl')?.workspaceValue !== undefined;
  const target = isWorkspaces ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await configuration.update('baseUrl', address, target);
}

/** Who has not answered by then is not offered: the user waits for the first reply, in ms. */
const TIMEOUT_MS = 1_500;
/** Models that a button names. */
const MAX_NAMES = 2;

/** One button; `take` answers false when the user gives it up. */
interface ModelOffer extends OfferView {
  readonly take: () => Promise<boolean>;
}

/** Ways to a model for a session that has none: those first that need nothing more of the user. */
export async function modelOffers(app: ModelsApp): Promise<readonly ModelOffer[]> {
  const [recent] = app.recentModels.all();
  const address = at('compatible').baseUrl;
  const own = address === '' ? [] : [{ title: address, baseUrl: address }];
  const found = await Promise.all([
    offerOf(app, vscode.l10n.t('VS Code language models'), at('vscode')),
    ...[...own, ...localServers().filter(({ baseUrl }) => !isSamePlace(baseUrl, address))].map(({ title, baseUrl }) =>
      offerOf(app, title, { provider: 'compatible', model: 'list', baseUrl }),
    ),
  ]);
  return [
    ...(recent
      ? [
          {
            label: app.models.label(recent),
            detail: vscode.l10n.t('Recently used'),
            take: () => chooseFrom(app, [modelItem(app, recent)]),
          },
        ]
      : []),
    ...found.filter((offer) => offer !== undefined),
    ...(await Promise.all((['openai', 'anthropic'] as const).map((provider) => keyed(app, provider)))),
    { label: vscode.l10n.t('All Models…'), detail: '', take: () => chooseModel(app) },
    { label: vscode.l10n.t('Continue Without a Model'), detail: '', take: () => searchOnly(app) },
  ];
}

/** What a server or the editor offers; undefined where there is nothing. */
async function offerOf(app: ModelsApp, label: string, from: ChosenModel): Promise<ModelOffer | undefined> {
  let items: readonly ModelItem[];
  try {
    items = await modelItems(app, from, AbortSignal.timeout(TIMEOUT_MS));
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    return undefined;
  }
  if (items.length === 0) return undefined;
  const names = items.slice(0, MAX_NAMES).map((item) => item.chosen.model);
  const detail = [...names, ...(items.length > MAX_NAMES ? ['…'] : [])].join(', ');
  return { label, detail, take: () => chooseFrom(app, items) };
}

async function keyed(app: ModelsApp, provider: 'openai' | 'anthropic'): Promise<ModelOffer> {
  const isReady = await app.models.isReady(at(provider));
  const detail = isReady ? vscode.l10n.t('API key saved') : vscode.l10n.t('Needs an API key');
  return { label: LABEL[provider], detail, take: () => chooseFrom(app, provider) };
}

/** The session stays without a model; the question is not asked again. */
async function searchOnly(app: ModelsApp): Promise<boolean> {
  await selectModel(app, await app.sessions.currentOrLatest(), 'local', 'local');
  return false;
}
