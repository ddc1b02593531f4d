import * as vscode from 'vscode';
import { modelInfo } from '../core/tokens/models.ts';
import { askForKey } from './keys.ts';
import { short } from './gauge-item.ts';
import type { ProviderName } from './settings.ts';
import type { Product } from './product.ts';

/** How long the list of a provider's models is waited for, in ms. */
const LIST_TIMEOUT_MS = 8000;

/** Chooses who answers in this session: a provider, then one of its models. The session remembers it. */
export async function chooseModel(app: Product): Promise<void> {
  const conversation = await app.sessions.currentOrLatest();
  const provider = await pickProvider();
  if (!provider) return;
  if (provider === 'local') {
    await conversation.journal.append({ type: 'model_selected', provider, model: 'local' });
    await app.panel.changed();
    return;
  }
  const base = {
    provider,
    model: '',
    baseUrl: app.chosenModel().provider === provider ? app.chosenModel().baseUrl : '',
  };
  if (!(await app.models.isReady(base)) && !(await askForKey(app.keys, provider))) return;
  const listed = await app.models.list({ ...base, model: 'list' }, AbortSignal.timeout(LIST_TIMEOUT_MS));
  const items = listed.map((model) => {
    const info = modelInfo(model);
    return { label: model, ...(info.known && { description: vscode.l10n.t('{0} tokens', short(info.contextWindow)) }) };
  });
  const picked = await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Choose Model') });
  if (!picked) return;
  const before = conversation.budget();
  await conversation.journal.append({ type: 'model_selected', provider, model: picked.label });
  await app.panel.changed();
  const { total } = conversation.context();
  if (conversation.budget() < before && total > conversation.budget()) {
    const compress = vscode.l10n.t('Compress History');
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t('The conversation is larger than the window of {0}.', picked.label),
      compress,
    );
    if (answer === compress) await vscode.commands.executeCommand('threadkeeper.compressHistory');
  }
}

async function pickProvider(): Promise<ProviderName | undefined> {
  const items: readonly { label: string; description: string; provider: ProviderName }[] = [
    {
      label: 'Local',
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
  return (await vscode.window.showQuickPick(items, { title: vscode.l10n.t('Who answers in this session?') }))?.provider;
}
