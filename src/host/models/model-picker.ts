import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { ModelFault } from '../../app/fault.ts';
import { describeFault } from '../../app/fault-text.ts';
import type { ChatRequest } from '../../app/ports.ts';
import { knownModels, retirementOf } from '../../core/tokens/models.ts';
import { cancellable } from '../platform/cancellable.ts';
import { inform } from '../platform/inform.ts';
import { translated } from '../platform/translated.ts';
import { locale, short } from '../platform/l10n.ts';
import type { ModelFacts, Retirement } from '../../core/tokens/model-facts.ts';
import { COMMAND } from '../platform/ids.ts';
import { LIST_TIMEOUT_MS } from './key-commands.ts';
import { askForKey, isKeyed, LABEL } from './keys.ts';
import { addressOf, type ChosenModel } from './models.ts';
import type { ModelsApp } from './models-app.ts';
import { readSettings } from '../platform/settings.ts';
import type { ProviderName } from '../platform/settings-schema.ts';

export type ProviderItem = vscode.QuickPickItem & { readonly provider: ProviderName };

/** A model that has to be loaded first may take this long to answer, in ms. */
const TRY_TIMEOUT_MS = 60_000;
/** For the model, in any language. */
const TRY = 'ping';
const TRY_REQUEST: ChatRequest = {
  purpose: 'check',
  system: [],
  messages: [{ role: 'user', content: [{ type: 'text', text: TRY }] }],
  maxOutputTokens: 16,
};

/** Chooses the session's model: a provider, then one of its models. False when the user gave it up. */
export async function chooseModel(app: ModelsApp): Promise<boolean> {
  const conversation = await app.sessions.currentOrLatest();
  const title = vscode.l10n.t('Select a model for this session');
  const provider = (await vscode.window.showQuickPick(providerItems(app), { title }))?.provider;
  if (!provider) return false;
  const picked = await pickOfProvider(app, provider, vscode.l10n.t('Select Model'));
  if (!picked || (picked.isUntried && !(await answersOrIsWanted(app, picked)))) return false;
  const { isOutgrown } = await selectModel(app, conversation, provider, picked.model);
  if (isOutgrown) await offerCompression(app.models.label(picked));
  return true;
}

/** The providers, the editor's own models first where there are any: they need no key. */
export async function providerItems(app: ModelsApp): Promise<ProviderItem[]> {
  const mine = await app.models.list(at('vscode'), AbortSignal.timeout(LIST_TIMEOUT_MS)).catch((error: unknown) => {
    // One extension that does not answer must not take the other providers from the list.
    app.channel.warn(`The editor's models could not be listed: ${String(error)}`);
    return [];
  });
  const editor: ProviderItem = {
    label: vscode.l10n.t('VS Code language models'),
    description:
      mine.length === 1
        ? vscode.l10n.t('1 model · sends your messages to its provider')
        : vscode.l10n.t('{0} models · sends your messages to the selected provider', mine.length),
    provider: 'vscode',
  };
  return [
    ...(mine.length > 0 ? [editor] : []),
    {
      label: vscode.l10n.t('Local'),
      description: vscode.l10n.t('no API key or network access needed · quotes earlier messages'),
      provider: 'local',
    },
    { label: 'OpenAI', description: vscode.l10n.t('sends your messages to OpenAI'), provider: 'openai' },
    { label: 'Anthropic', description: vscode.l10n.t('sends your messages to Anthropic'), provider: 'anthropic' },
    {
      label: vscode.l10n.t('OpenAI-compatible server'),
      description: vscode.l10n.t('sends your messages to the configured base URL'),
      provider: 'compatible',
    },
  ];
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

/** What can be chosen in the list of a provider's models besides a model. */
export type ModelItem = vscode.QuickPickItem & { readonly model: string };
type Act = 'other' | 'retry' | 'address' | 'key';
type ListItem = vscode.QuickPickItem & { readonly model?: string; readonly act?: Act };

/** Asks for what the provider lacks (address, key), then for the model. A list that cannot be had says so in itself. */
async function pickOfProvider(app: ModelsApp, provider: ProviderName, title: string): Promise<Picked | undefined> {
  if (provider === 'local') return { ...at(provider), model: 'local', isUntried: false };
  let isUntried = false;
  const setAddress = async (): Promise<boolean> => (isUntried = await askForAddress(app, at(provider).baseUrl));
  const setKey = async (): Promise<boolean> =>
    isKeyed(provider) &&
    (isUntried = (await askForKey(app.keys, { provider, baseUrl: at(provider).baseUrl })) !== undefined);
  if (provider === 'compatible' && at(provider).baseUrl === '' && !(await setAddress())) return undefined;
  if (isKeyed(provider) && !(await app.models.isReady(at(provider))) && !(await setKey())) return undefined;
  for (;;) {
    const picked = await vscode.window.showQuickPick(listItems(app, at(provider)), { title, matchOnDetail: true });
    if (picked?.model !== undefined) return { ...at(provider), model: picked.model, isUntried };
    switch (picked?.act) {
      case undefined:
        return undefined;
      case 'other': {
        const prompt = vscode.l10n.t('Enter the model ID, as used by the provider.');
        const name = (await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true }))?.trim();
        if (name) return { ...at(provider), model: name, isUntried: true };
        break;
      }
      case 'address':
        await setAddress();
        break;
      case 'key':
        await setKey();
        break;
      case 'retry':
        break;
    }
  }
}

/** The models of a provider with their context windows, or why there is no list; always with ways on. */
async function listItems(app: ModelsApp, provider: ChosenModel): Promise<ListItem[]> {
  const other: ListItem = {
    label: `$(edit) ${vscode.l10n.t('Other…')}`,
    detail: vscode.l10n.t('Enter a model ID'),
    act: 'other',
  };
  const address: ListItem = {
    label: `$(link) ${vscode.l10n.t('Change Base URL…')}`,
    description: provider.baseUrl,
    act: 'address',
  };
  const key: ListItem = { label: `$(key) ${vscode.l10n.t('Set API Key')}`, act: 'key' };
  const more = [
    ...(provider.provider === 'vscode' ? [] : [other]),
    ...(provider.provider === 'compatible' ? [address] : []),
  ];
  try {
    const models = await modelItems(app, provider);
    return [...models, { label: '', kind: vscode.QuickPickItemKind.Separator }, ...more];
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    const why: ListItem = {
      label: `$(refresh) ${vscode.l10n.t('Try Again')}`,
      description: vscode.l10n.t('{0} returned no model list', whereOf(provider)),
      detail: translated(describeFault(error).message),
      act: 'retry',
    };
    const known = [...knownModels()].filter(([id, { vendor }]) => vendor === provider.provider && !retirementOf(id));
    return [
      why,
      ...more,
      ...(isKeyed(provider.provider) ? [key] : []),
      ...known.map(([model]) => modelItem(app, provider, model)),
    ];
  }
}

/** The models of a provider. Rejects with `ModelFault`. */
export async function modelItems(app: ModelsApp, provider: ChosenModel): Promise<ModelItem[]> {
  const listed = await app.models.list(provider, AbortSignal.timeout(LIST_TIMEOUT_MS));
  return listed.map(({ id, facts }) => modelItem(app, provider, id, facts));
}

function modelItem(app: ModelsApp, provider: ChosenModel, model: string, facts: ModelFacts = {}): ModelItem {
  const info = { ...app.models.info({ ...provider, model }), ...facts };
  const label = app.models.label({ ...provider, model });
  const isKnown = info.known || facts.contextWindow !== undefined;
  const notes = [
    isKnown ? vscode.l10n.t('{0} tokens', short(info.contextWindow)) : vscode.l10n.t('unknown context window'),
    ...(info.retires ? [retirementNote(info.retires)] : []),
  ];
  return { model, label, description: notes.join(' · '), ...(label !== model && { detail: model }) };
}

/** When a vendor shuts a model down, and what it names in its place. */
function retirementNote({ on, successor }: Retirement): string {
  const day = new Date(on).toLocaleDateString(locale());
  return successor === undefined
    ? vscode.l10n.t('retires on {0}', day)
    : vscode.l10n.t('retires on {0} · successor: {1}', day, successor);
}

/** Sends one short request to a model that was never asked before. False when the user wants to choose again. */
async function answersOrIsWanted(app: ModelsApp, chosen: ChosenModel): Promise<boolean> {
  const title = vscode.l10n.t('Connecting to {0}…', app.models.label(chosen));
  try {
    await cancellable(title, async (signal) => {
      const model = await app.models.make(chosen, { search: () => [] });
      const limit = AbortSignal.any([signal, AbortSignal.timeout(TRY_TIMEOUT_MS)]);
      // The first piece of an answer is enough.
      await model.stream(TRY_REQUEST, limit)[Symbol.asyncIterator]().next();
    });
    inform(vscode.l10n.t('Connected to {0}.', app.models.label(chosen)));
    return true;
  } catch (error) {
    if (!ModelFault.is(error)) throw error;
    const anyway = vscode.l10n.t('Use Anyway');
    const text = vscode.l10n.t(
      '{0} didn’t respond at {1}. {2}',
      app.models.label(chosen),
      whereOf(chosen),
      translated(describeFault(error).message),
    );
    const again = vscode.l10n.t('Select Model');
    const answer = await vscode.window.showWarningMessage(text, again, anyway);
    if (answer === again) await vscode.commands.executeCommand(COMMAND.chooseModel);
    return answer === anyway;
  }
}

/** Who is asked, for people: a server by its address. */
const whereOf = ({ provider, baseUrl }: ChosenModel): string =>
  baseUrl !== '' ? baseUrl : isKeyed(provider) ? LABEL[provider] : provider;

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
  await conversation.journal.append({ type: 'model_selected', provider, model });
  await app.modelChanged();
  const after = conversation.budget();
  return { isOutgrown: after < before && conversation.context().total > after };
}

async function offerCompression(label: string): Promise<void> {
  const compress = vscode.l10n.t('Compress History');
  const text = vscode.l10n.t('The session doesn’t fit in the context window of {0}.', label);
  const answer = await vscode.window.showWarningMessage(text, compress);
  if (answer === compress) await vscode.commands.executeCommand(COMMAND.compressHistory);
}

/** A provider at the address that the settings give it, before a model is chosen. */
const at = (provider: ProviderName): ChosenModel => ({
  provider,
  model: 'list',
  baseUrl: addressOf(provider, readSettings()),
});

/** Asks where the compatible server is and tries it before it is kept. False when the user gave it up. */
async function askForAddress(app: ModelsApp, before: string): Promise<boolean> {
  for (let value = before; ;) {
    const typed = await vscode.window.showInputBox({
      title: vscode.l10n.t('Base URL of the OpenAI-compatible server'),
      prompt: vscode.l10n.t('Saved in the setting threadkeeper.chat.baseUrl. Your messages are sent to this URL.'),
      placeHolder: 'http://localhost:11434/v1',
      value,
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
  await configuration.update('baseUrl', address, vscode.ConfigurationTarget.Global);
}
