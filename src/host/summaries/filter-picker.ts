import * as vscode from 'vscode';
import { KEY_EVENT_KINDS } from '../../core/model/key-event.ts';
import { kindName } from '../platform/key-event-kinds.ts';
import type { TreeFilter } from './tree/filter.ts';

/** Asks what the tree shall be narrowed to; undefined when the user asks for nothing. */
export async function pickFilter(): Promise<TreeFilter | undefined> {
  const items: readonly (vscode.QuickPickItem & { readonly filter: TreeFilter | 'text' })[] = [
    { label: `$(search) ${vscode.l10n.t('By words…')}`, filter: 'text' },
    { label: `$(warning) ${filterName({ by: 'warnings' })}`, filter: { by: 'warnings' } },
    ...KEY_EVENT_KINDS.map((of) => ({
      label: `$(quote) ${kindName(of)}`,
      description: vscode.l10n.t('Key events'),
      filter: { by: 'kind', of } as const,
    })),
  ];
  const title = vscode.l10n.t('Filter Summaries');
  const picked = await vscode.window.showQuickPick(items, { title });
  if (picked?.filter !== 'text') return picked?.filter;
  const prompt = vscode.l10n.t('Words of a message, a key event or a summary');
  const text = (await vscode.window.showInputBox({ title, prompt }))?.trim();
  return text === undefined || text === '' ? undefined : { by: 'text', text };
}

/** What a filter leaves, for people. */
export function filterName(filter: TreeFilter): string {
  switch (filter.by) {
    case 'warnings':
      return vscode.l10n.t('Summaries with a warning');
    case 'kind':
      return kindName(filter.of);
    case 'text':
      return filter.text;
  }
}
