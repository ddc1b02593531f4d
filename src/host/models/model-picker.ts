import * as vscode from 'vscode';
import type { Conversation } from '../../app/conversation.ts';
import { short } from '../platform/l10n.ts';
import { COMMAND } from '../platform/ids.ts';
import { LIST_TIMEOUT_MS } from './key-commands.ts';
import { askForKey, isKeyed } from './keys.ts';
import { addressOf, type ChosenModel } from './models.ts';
import type { ModelsApp } from './models-app.ts';
import { readSettings } from '../platform/settings.ts';
import type { ProviderName } from '../platform/settings-schema.ts';

export type ProviderItem = vscode.QuickPickItem & { readonly provider: ProviderName };
export type ModelItem = vscode.QuickPickItem & { readonly model: string };

/** Chooses who answers in this session: a provider, then one of its models. The session remembers it. */
export async function chooseModel(app: ModelsApp): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const providers = providerItems(app);
  const title = vscode.l10n.t('Who answers in this session?');
  const provider = (await vscode.window.showQuickPick(providers, { title }))?.provider;
  if (!provider) return;
  if (provider === 'local') {
    await selectModel(app, conversation, provider, 'local');
    return;
  }
  if (provider === 'compatible' && !(await askForAddress())) return;
  const base = at(provider);
  if (isKeyed(provider) && !(await app.models.isReady(base))) {
    if (!(await askForKey(app.keys, { provider, baseUrl: base.baseUrl }))) return;
  }
  const picked = await vscode.window.showQuickPick(modelItems(app, base), { title: vscode.l10n.t('Choose Model') });
  if (!picked) return;
  const { isOutgrown } = await selectModel(app, conversation, provider, picked.model);
  if (isOutgrown) await offerCompression(picked.label);
}

/** The providers, the editor's own models first where there are any: they need no key. */
export async function providerItems(app: ModelsApp): Promise<ProviderItem[]> {
  const mine = await app.models.list(at('vscode'), AbortSignal.timeout(LIST_TIMEOUT_MS)).catch((error: unknown) => {
    // One extension that does not answer must not take the other providers from the list.
    app.channel.warn(`The editor's models could not be listed: ${String(error)}`);
    return [];
  });
  const editor: ProviderItem = {
    label: vscode.l10n.t('Models of the editor'),
    description:
      mine.length === 1
        ? vscode.l10n.t('1 model; sends your text to its vendor')
        : vscode.l10n.t('{0} models; sends your text to the vendor you choose', mine.length),
    provider: 'vscode',
  };
  return [
    ...(mine.length > 0 ? [editor] : []),
    {
      label: vscode.l10n.t('Local'),
      description: vscode.l10n.t('no key, no network: finds and quotes what was said'),
      provider: 'local',
    },
    { label: 'OpenAI', description: vscode.l10n.t('sends your text to OpenAI'), provider: 'openai' },
    { label: 'Anthropic', description: vscode.l10n.t('sends your text to Anthropic'), provider: 'anthropic' },
    {
      label: vscode.l10n.t('Compatible server'),
      description: vscode.l10n.t('sends your text to the address in the settings'),
      provider: 'compatible',
    },
  ];
}

/** A model of one of these providers, as the user picks it; undefined when none was picked. Rejects with `ModelFault`. */
export async function pickModel(
  app: ModelsApp,
  providers: Promise<readonly ProviderItem[]>,
  title: string,
): Promise<ChosenModel | undefined> {
  const provider = (await vscode.window.showQuickPick(providers, { title }))?.provider;
  if (!provider) return undefined;
  if (provider === 'local') return { ...at(provider), model: 'local' };
  const model = (await vscode.window.showQuickPick(modelItems(app, at(provider)), { title }))?.model;
  return model === undefined ? undefined : { ...at(provider), model };
}

/** The models of a provider, with their windows where they are known. Rejects with `ModelFault`. */
export async function modelItems(app: ModelsApp, provider: ChosenModel): Promise<ModelItem[]> {
  const listed = await app.models.list(provider, AbortSignal.timeout(LIST_TIMEOUT_MS));
  return listed.map((model) => {
    const info = app.models.info({ ...provider, model });
    const label = app.models.label({ ...provider, model });
    return {
      model,
      label,
      ...(info.known && { description: vscode.l10n.t('{0} tokens', short(info.contextWindow)) }),
      ...(label !== model && { detail: model }),
    };
  });
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
  await conversation.journal.append({ type: 'model_selected', provider, model });
  await app.modelChanged();
  const after = conversation.budget();
  return { isOutgrown: after < before && conversation.context().total > after };
}

async function offerCompression(label: string): Promise<void> {
  const compress = vscode.l10n.t('Compress History');
  const text = vscode.l10n.t('The conversation is larger than the window of {0}.', label);
  const answer = await vscode.window.showWarningMessage(text, compress);
  if (answer === compress) await vscode.commands.executeCommand(COMMAND.compressHistory);
}

/** A provider at the address that the settings give it, before a model is chosen. */
const at = (provider: ProviderName): ChosenModel => ({
  provider,
  model: 'list',
  baseUrl: addressOf(provider, readSettings()),
});

/** Asks where the compatible server is, once; false when the user gave no address. */
async function askForAddress(): Promise<boolean> {
  const settings = readSettings();
  if (addressOf('compatible', settings) !== '') return true;
  const address = await vscode.window.showInputBox({
    title: vscode.l10n.t('Address of the compatible server'),
    prompt: vscode.l10n.t('Kept in the setting threadkeeper.chat.baseUrl. Your text is sent there.'),
    placeHolder: 'http://localhost:11434/v1',
    ignoreFocusOut: true,
    validateInput: (text) =>
      URL.canParse(text.trim())
        ? undefined
        : vscode.l10n.t('This is not an address such as http://localhost:11434/v1.'),
  });
  if (address === undefined) return false;
  const configuration = vscode.workspace.getConfiguration('threadkeeper.chat');
  // The address of the settings is that of the provider they name: one that has its own gives way.
  if (isKeyed(settings.chat.provider))
    await configuration.update('provider', 'compatible', vscode.ConfigurationTarget.Global);
  await configuration.update('baseUrl', address.trim(), vscode.ConfigurationTarget.Global);
  return true;
}
