import * as vscode from 'vscode';
import type { Standing } from '../../core/context/ledger-lines.ts';
import type { KeyEventKind } from '../../core/model/key-event.ts';

/** A kind of key event as a heading. */
export const kindName = (kind: KeyEventKind): string =>
  ({
    decision: vscode.l10n.t('Decisions'),
    error: vscode.l10n.t('Errors'),
    preference: vscode.l10n.t('Preferences'),
    constraint: vscode.l10n.t('Constraints'),
    configuration: vscode.l10n.t('Configuration'),
    fact: vscode.l10n.t('Facts'),
    todo: vscode.l10n.t('To-dos'),
    outcome: vscode.l10n.t('Outcomes'),
  })[kind];

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

export const standingName = (standing: Standing): string =>
  ({
    pinned: vscode.l10n.t('pinned'),
    active: vscode.l10n.t('active'),
    superseded: vscode.l10n.t('superseded'),
    dropped: vscode.l10n.t('didn’t fit'),
  })[standing];
