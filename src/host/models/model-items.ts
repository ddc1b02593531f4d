import * as vscode from 'vscode';
import { ModelFault } from '../../app/fault.ts';
import { describeFault } from '../../app/fault-text.ts';
import { knownModels, retirementOf } from '../../core/tokens/model-info.ts';
import type { ModelFacts, Price, Retirement } from '../../core/tokens/model-facts.ts';
import { dateText, dollars, formatCounted, shortTokens, translated } from '../platform/l10n.ts';
import { readSettings } from '../platform/settings.ts';
import type { ProviderName } from '../platform/settings-schema.ts';
import { LIST_TIMEOUT_MS } from './key-commands.ts';
import { isVendor, PROVIDER_LABELS, serverName, VENDORS } from './keys.ts';
import { baseUrlOf, isSameModel, serversToQuery, type ChosenModel, type ModelsApp } from './models.ts';

export type ProviderItem = vscode.QuickPickItem & { readonly provider: ProviderName };

/** The action of an entry in a model list that isn't a model. */
export type ListAction = 'other' | 'retry' | 'address' | 'key';
export type ModelItem = vscode.QuickPickItem & { readonly chosen: ChosenModel };
export type ListItem = vscode.QuickPickItem & {
  readonly chosen?: ChosenModel;
  readonly provider?: ProviderName;
  readonly action?: ListAction;
};

/** A section of the model list. Its items are loaded asynchronously. */
export interface ModelGroup {
  readonly title: string;
  readonly items: Promise<readonly ListItem[]>;
}

/** A running server on this machine responds well within this time (ms). */
const LOCAL_TIMEOUT_MS = 1_500;

/** A provider at its configured address, before a model is selected. */
export const atConfiguredUrl = (provider: ProviderName): ChosenModel => ({
  provider,
  model: 'list',
  baseUrl: baseUrlOf(provider, readSettings()),
});

/** All models, likeliest choices first. Of servers that aren't configured, only those on this machine are queried. */
export function modelGroups(app: ModelsApp, signal: AbortSignal): readonly ModelGroup[] {
  const current = app.chosenModel();
  const recent = app.recentModels.all().filter((each) => !isSameModel(each, current));
  const hasCurrent = current.provider !== 'local' && current.model !== '';
  const recentItems = [...(hasCurrent ? [current] : []), ...recent].map((each) => itemWithServer(app, each));
  const load = (from: ChosenModel, limitMs = LIST_TIMEOUT_MS): Promise<readonly ListItem[]> =>
    modelItemsIfAny(app, from, signal, limitMs);
  const loadIfReady = async (provider: ProviderName): Promise<readonly ListItem[]> =>
    (await app.models.isReady(atConfiguredUrl(provider))) ? load(atConfiguredUrl(provider)) : [];
  return [
    { title: vscode.l10n.t('Recently used'), items: Promise.resolve(recentItems) },
    ...modelSources().map(({ title, from, limitMs }) => ({ title, items: load(from, limitMs) })),
    ...VENDORS.map((provider) => ({ title: PROVIDER_LABELS[provider], items: loadIfReady(provider) })),
    { title: vscode.l10n.t('Providers'), items: providerItems(app).then((items) => [...items, otherItem()]) },
    ...VENDORS.map((provider) => ({
      title: vscode.l10n.t('{0}: needs an API key', PROVIDER_LABELS[provider]),
      items: app.models
        .isReady(atConfiguredUrl(provider))
        .then((isReady) => (isReady ? [] : knownItems(app, atConfiguredUrl(provider)))),
    })),
  ];
}

/** The models of VS Code, of the configured server, and of servers that may run on this machine. */
export function modelSources(): readonly { title: string; from: ChosenModel; limitMs: number }[] {
  const configured = atConfiguredUrl('compatible').baseUrl;
  const servers = serversToQuery(configured).map(({ title, baseUrl }) => ({
    title,
    from: { provider: 'compatible', model: 'list', baseUrl } as const,
    limitMs: baseUrl === configured ? LIST_TIMEOUT_MS : LOCAL_TIMEOUT_MS,
  }));
  const title = vscode.l10n.t('VS Code language models');
  return [{ title, from: atConfiguredUrl('vscode'), limitMs: LIST_TIMEOUT_MS }, ...servers];
}

/** A provider's models, or none if they can't be loaded. The provider's own list shows the reason. */
export async function modelItemsIfAny(
  app: ModelsApp,
  from: ChosenModel,
  signal: AbortSignal,
  limitMs: number,
): Promise<readonly ModelItem[]> {
  try {
    return await modelItems(app, from, AbortSignal.any([signal, AbortSignal.timeout(limitMs)]));
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    app.channel.debug(`A model list could not be loaded: ${error.message}`);
    return [];
  }
}

/** All providers. VS Code's models come first, if there are any, because they need no key. */
export async function providerItems(app: ModelsApp): Promise<ProviderItem[]> {
  const models = await app.models
    .list(atConfiguredUrl('vscode'), AbortSignal.timeout(LIST_TIMEOUT_MS))
    .catch((error: unknown) => {
      // An extension that fails must not hide the other providers.
      app.channel.warn(`The editor's models could not be listed: ${String(error)}`);
      return [];
    });
  const vsCode: ProviderItem = {
    label: vscode.l10n.t('VS Code language models'),
    description: formatCounted(
      models.length,
      '1 model · sends your messages to its provider',
      '{0} models · sends your messages to the selected model’s provider',
    ),
    provider: 'vscode',
  };
  return [
    ...(models.length > 0 ? [vsCode] : []),
    {
      label: vscode.l10n.t('No model'),
      description: vscode.l10n.t('no API key or network access needed · quotes earlier messages'),
      provider: 'local',
    },
    ...VENDORS.map((provider) => ({
      label: PROVIDER_LABELS[provider],
      description: vscode.l10n.t('sends your messages to {0}', serverName(atConfiguredUrl(provider))),
      provider,
    })),
    {
      label: PROVIDER_LABELS.compatible,
      description: vscode.l10n.t('sends your messages to the configured base URL'),
      provider: 'compatible',
    },
  ];
}

const otherItem = (): ListItem => ({
  label: `$(edit) ${vscode.l10n.t('Other…')}`,
  detail: vscode.l10n.t('Enter a model ID'),
  action: 'other',
});

/** A provider's models, or the reason why there is no list, followed by other actions. */
export async function providerList(app: ModelsApp, provider: ChosenModel): Promise<ListItem[]> {
  const address: ListItem = {
    label: `$(link) ${vscode.l10n.t('Change Base URL…')}`,
    description: provider.baseUrl,
    action: 'address',
  };
  const key: ListItem = { label: `$(key) ${vscode.l10n.t('Set API Key…')}`, action: 'key' };
  const more = [
    ...(provider.provider === 'vscode' ? [] : [otherItem()]),
    // A server's model list is often public, although its models need a key.
    ...(provider.provider === 'compatible' ? [address, key] : []),
  ];
  try {
    const models = await modelItems(app, provider, AbortSignal.timeout(LIST_TIMEOUT_MS));
    return [...models, { label: '', kind: vscode.QuickPickItemKind.Separator }, ...more];
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    const failure: ListItem = {
      label: `$(refresh) ${vscode.l10n.t('Try Again')}`,
      description: vscode.l10n.t('Couldn’t get the model list from {0}', serverName(provider)),
      detail: translated(describeFault(error).message),
      action: 'retry',
    };
    return [failure, ...more, ...(isVendor(provider.provider) ? [key] : []), ...knownItems(app, provider)];
  }
}

/** A provider's models. Rejects with `ModelFault`. */
export async function modelItems(app: ModelsApp, provider: ChosenModel, signal: AbortSignal): Promise<ModelItem[]> {
  const models = [...(await app.models.list(provider, signal))];
  if (isVendor(provider.provider)) models.sort((a, b) => newestFirst(a.id, b.id));
  return models.map(({ id, facts }) => modelItem(app, { ...provider, model: id }, facts));
}

/** A vendor's models in the built-in model data. */
function knownItems(app: ModelsApp, provider: ChosenModel): readonly ModelItem[] {
  const current = [...knownModels()].filter(([id, { vendor }]) => vendor === provider.provider && !retirementOf(id));
  return current
    .map(([model]) => model)
    .sort(newestFirst)
    .map((model) => modelItem(app, { ...provider, model }));
}

/** Orders a vendor's models: the newest version first, those without one last, and then by name. */
function newestFirst(a: string, b: string): number {
  const [first, second] = [versionOf(a), versionOf(b)];
  return second[0] - first[0] || second[1] - first[1] || (a < b ? -1 : 1);
}

/** 5 and 4 for "gpt-5.4-mini" and "claude-x-5-4-20260102", 5 and 0 for "claude-x-5-20260102", but not 120 for "x-120b". */
function versionOf(id: string): readonly [number, number] {
  const [, major = 0, minor = 0] = /(?<!\d)(\d{1,2})(?![\dbk])(?:[.-](\d{1,2})(?![\dbk]))?/.exec(id) ?? [];
  return [Number(major), Number(minor)];
}

export function modelItem(app: ModelsApp, chosen: ChosenModel, facts: ModelFacts = {}): ModelItem {
  const info = { ...app.models.info(chosen), ...facts };
  const name = app.models.label(chosen);
  const isCurrent = isSameModel(chosen, app.chosenModel());
  const isKnown = info.known || facts.contextWindow !== undefined;
  const notes = [
    isKnown ? vscode.l10n.t('{0} tokens', shortTokens(info.contextWindow)) : vscode.l10n.t('unknown context window'),
    // Before the prices, because VS Code cuts long rows off.
    ...(info.retires ? [retirementNote(info.retires)] : []),
    ...(info.price ? priceNotes(info.price) : []),
    // For unknown models, reasoning is only assumed.
    ...(info.efforts && (info.efforts.length > 0 || info.vendor !== undefined) ? [vscode.l10n.t('reasoning')] : []),
  ];
  return {
    chosen,
    label: isCurrent ? `$(check) ${name}` : name,
    description: notes.join(' · '),
    ...(name !== chosen.model && { detail: chosen.model }),
  };
}

/** A model in a list with models of several servers, which may have the same name. */
function itemWithServer(app: ModelsApp, chosen: ChosenModel): ModelItem {
  const item = modelItem(app, chosen);
  return chosen.baseUrl === '' ? item : { ...item, description: `${chosen.baseUrl} · ${item.description}` };
}

/** Prices per million tokens, and whether cached input is cheaper. */
function priceNotes({ input, output, cachedInput }: Price): readonly string[] {
  return [
    vscode.l10n.t('{0} in, {1} out per million tokens', dollars(input), dollars(output)),
    ...(cachedInput !== undefined && cachedInput < input ? [vscode.l10n.t('prompt caching')] : []),
  ];
}

function retirementNote({ on, successor }: Retirement): string {
  const day = dateText(Date.parse(on), 'UTC');
  return successor === undefined
    ? vscode.l10n.t('retirement date: {0}', day)
    : vscode.l10n.t('retirement date: {0} · successor: {1}', day, successor);
}
