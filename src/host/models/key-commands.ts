import * as vscode from 'vscode';
import { showInfo } from '../platform/notifications.ts';
import {
  askForKey,
  pickKeyHolder,
  isKeyed,
  KEYED_PROVIDERS,
  PROVIDER_LABELS,
  serverName,
  type KeyHolder,
} from './keys.ts';
import { chosenSummaryModel, keyHolders, type ModelsApp } from './models.ts';
import { readSettings } from '../platform/settings.ts';

/** Maximum time for listing a provider's models, in ms. */
export const LIST_TIMEOUT_MS = 8000;

/** Lets the user set, test, or remove a provider's key. False if the user cancels. */
export async function manageKeys(app: ModelsApp): Promise<boolean> {
  const actions = [
    { label: `$(key) ${vscode.l10n.t('Set API Key…')}`, run: setKey },
    { label: `$(pass) ${vscode.l10n.t('Test Connection…')}`, run: testKey },
    { label: `$(trash) ${vscode.l10n.t('Remove Provider’s API Keys…')}`, run: clearKey },
  ];
  const action = await vscode.window.showQuickPick(actions, { title: vscode.l10n.t('Manage API Keys') });
  return action !== undefined && action.run(app);
}

/** Asks for the key of a configured provider. */
async function setKey(app: ModelsApp): Promise<boolean> {
  const holder = await pickKeyHolder(keyHolders(readSettings()));
  return holder !== undefined && enterKey(app, holder);
}

async function enterKey(app: ModelsApp, holder: KeyHolder): Promise<boolean> {
  if (!(await askForKey(app.keys, holder))) return false;
  showInfo(vscode.l10n.t('The API key was saved in VS Code’s secret storage.'));
  return true;
}

/** Asks for the key of the session's models. If chat and summaries have different ones, the user chooses. */
export async function setModelKey(app: ModelsApp): Promise<boolean> {
  const chat = app.chosenModel();
  const { provider, baseUrl } = chat;
  const summary = chosenSummaryModel(readSettings(), chat);
  const isShared = !isKeyed(summary.provider) || (summary.provider === provider && summary.baseUrl === baseUrl);
  return isKeyed(provider) && isShared ? enterKey(app, { provider, baseUrl }) : setKey(app);
}

async function clearKey(app: ModelsApp): Promise<boolean> {
  const holder = await pickKeyHolder(KEYED_PROVIDERS.map((provider) => ({ provider, baseUrl: '' })));
  if (!holder) return false;
  await app.keys.clear(holder.provider);
  showInfo(vscode.l10n.t('Removed all stored API keys for {0}.', PROVIDER_LABELS[holder.provider]));
  return true;
}

/** Tests a key by listing the provider's models. */
async function testKey(app: ModelsApp): Promise<boolean> {
  const holder = await pickKeyHolder(keyHolders(readSettings()));
  if (!holder) return false;
  showInfo(await tryKey(app, holder));
  return true;
}

/** Tests a key. Resolves to the message for the user; rejects with `ModelFault` if the key is invalid or missing. */
export async function tryKey(app: ModelsApp, holder: KeyHolder): Promise<string> {
  const models = await app.models.list({ ...holder, model: 'list' }, AbortSignal.timeout(LIST_TIMEOUT_MS));
  const name = serverName(holder);
  if (models.length === 1) return vscode.l10n.t('Connected to {0}. 1 model available.', name);
  return vscode.l10n.t('Connected to {0}. {1} models available.', name, models.length);
}
