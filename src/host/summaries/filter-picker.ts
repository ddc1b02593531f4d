import * as vscode from 'vscode';
import { KEY_EVENT_KINDS } from '../../core/model/key-event.ts';
import { kindName } from '../platform/key-event-kinds.ts';
import type { SummariesApp } from './summaries-app.ts';
import { filterName } from './items.ts';
import type { TreeFilter } from './rows.ts';

/** Narrows the tree to what the user picks. */
export async function filterSummaries(app: SummariesApp): Promise<void> {
  const filter = await pickFilter();
  if (!filter) return;
  await app.sessions.currentOrLatest();
  app.tree.narrow(filter);
  await vscode.commands.executeCommand('threadkeeper.summaries.focus');
}

async function pickFilter(): Promise<TreeFilter | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly filter: TreeFilter | 'text' })[] = [
    { label: `$(search) ${vscode.l10n.t('Filter by text…')}`, filter: 'text' },
    { label: `$(warning) ${filterName({ by: 'warnings' })}`, filter: { by: 'warnings' } },
    ...KEY_EVENT_KINDS.map((of) => ({
      label: `$(quote) ${kindName(of)}`,
      description: vscode.l10n.t('Key events'),
      filter: { by: 'kind', of } as const,
    })),
  ];
  const title = vscode.l10n.t('Filter Context View');
  const picked = await vscode.window.showQuickPick(items, { title });
  if (picked?.filter !== 'text') return picked?.filter;
  const prompt = vscode.l10n.t('Text in a message, key event, or summary');
  const text = (await vscode.window.showInputBox({ title, prompt }))?.trim();
  return text === undefined || text === '' ? undefined : { by: 'text', text };
}
