import * as vscode from 'vscode';
import { showInfo } from '../platform/notifications.ts';
import {
  askForKey,
  pickKeyedServer,
  isKeyed,
  KEYED_PROVIDERS,
  PROVIDER_LABELS,
  serverName,
  type KeyedServer,
} from './keys.ts';
import { chosenSummaryModel, keyedServers, type ModelsApp } from './models.ts';
import { readSettings } from '../platform/settings.ts';

/** Maximum time for listing a provider's models, in ms. */
export const LIST_TIMEOUT_MS = 8000;

/** Lets the user set, test, or remove a provider's key. False if the user cancels. */
export async function manageKeys(app: ModelsApp): Promise<boolean> {
  const actions = [
    { label: `$(key) ${vscode.l10n.t('Set API Key…')}`, run: setKey },
    { label: `$(pass) ${vscode.l10n.t('Test Connection…')}`, run: testConnection },
    { label: `$(trash) ${vscode.l10n.t('Remove Provider’s API Keys…')}`, run: clearKey },
  ];
  const action = await vscode.window.showQuickPick(actions, { title: vscode.l10n.t('Manage API Keys') });
  return action !== undefined && action.run(app);
}

async function setKey(app: ModelsApp): Promise<boolean> {
  const server = await pickKeyedServer(keyedServers(readSettings()));
  return server !== undefined && enterKey(app, server);
}

async function enterKey(app: ModelsApp, server: KeyedServer): Promise<boolean> {
  if (!(await askForKey(app.keys, server))) return false;
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
  const server = await pickKeyedServer(KEYED_PROVIDERS.map((provider) => ({ provider, baseUrl: '' })));
  if (!server) return false;
  await app.keys.clear(server.provider);
  showInfo(vscode.l10n.t('Removed all stored API keys for {0}.', PROVIDER_LABELS[server.provider]));
  return true;
}

async function testConnection(app: ModelsApp): Promise<boolean> {
  const server = await pickKeyedServer(keyedServers(readSettings()));
  if (!server) return false;
  showInfo(await testKey(app, server));
  return true;
}

/** Tests a key by listing the models. Resolves to the message for the user; rejects with `ModelFault`. */
export async function testKey(app: ModelsApp, server: KeyedServer): Promise<string> {
  const models = await app.models.list({ ...server, model: 'list' }, AbortSignal.timeout(LIST_TIMEOUT_MS));
  const name = serverName(server);
  if (models.length === 1) return vscode.l10n.t('Connected to {0}. 1 model available.', name);
  return vscode.l10n.t('Connected to {0}. {1} models available.', name, models.length);
}
