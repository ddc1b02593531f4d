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

/** What became of a key event: sent verbatim, by the user's wish or by itself; replaced; or left out for want of room. */
export type Standing = 'pinned' | 'active' | 'superseded' | 'dropped';

export function standingName(standing: Standing): string {
  switch (standing) {
    case 'pinned':
      return vscode.l10n.t('pinned');
    case 'active':
      return vscode.l10n.t('active');
    case 'superseded':
      return vscode.l10n.t('superseded');
    case 'dropped':
      return vscode.l10n.t('didn’t fit');
  }
}
