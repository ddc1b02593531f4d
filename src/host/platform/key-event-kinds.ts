import * as vscode from 'vscode';
import type { KeyEventKind } from '../../core/model/key-event.ts';

/** A kind of key event as a heading. */
export function kindName(kind: KeyEventKind): string {
  switch (kind) {
    case 'decision':
      return vscode.l10n.t('Decisions');
    case 'error':
      return vscode.l10n.t('Errors');
    case 'preference':
      return vscode.l10n.t('Preferences');
    case 'constraint':
      return vscode.l10n.t('Constraints');
    case 'configuration':
      return vscode.l10n.t('Configuration');
    case 'fact':
      return vscode.l10n.t('Facts');
    case 'todo':
      return vscode.l10n.t('To-dos');
    case 'outcome':
      return vscode.l10n.t('Outcomes');
  }
}

/** The icon of a kind, by its name among the editor's own. */
export const KIND_ICON: Readonly<Record<KeyEventKind, string>> = {
  decision: 'law',
  error: 'error',
  preference: 'heart',
  constraint: 'lock',
  configuration: 'settings',
  fact: 'lightbulb',
  todo: 'tasklist',
  outcome: 'pass',
};
