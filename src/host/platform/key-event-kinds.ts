import * as vscode from 'vscode';
import type { EventStatus } from '../../core/context/ledger-lines.ts';
import type { KeyEventKind } from '../../core/model/key-event.ts';
import { KIND_NAMES } from '../../protocol/display-names.ts';
import { formatCounted, translated } from './l10n.ts';

export const kindName = (kind: KeyEventKind): string => translated(KIND_NAMES[kind]);

export const kindHeading = (kind: KeyEventKind): string =>
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

export const statusName = (status: EventStatus): string =>
  ({
    pinned: vscode.l10n.t('pinned'),
    active: vscode.l10n.t('active'),
    superseded: vscode.l10n.t('superseded'),
    dropped: vscode.l10n.t('didn’t fit'),
  })[status];

const OPEN_SETTINGS = 'workbench.action.openSettings';
/** Link to the setting for the key events' share of the context. The Settings editor only finds it by its ID. */
const OPEN_BUDGET_SETTING = `command:${OPEN_SETTINGS}?${encodeURIComponent('["@id:threadkeeper.compression.keyEventBudget"]')}`;

/** Reports how many key events don't fit in the context, with a link to the setting. */
export function appendDroppedNotice(text: vscode.MarkdownString, events: number): vscode.MarkdownString {
  const notice = formatCounted(
    events,
    '1 more key event doesn’t fit and isn’t sent.',
    '{0} more key events don’t fit and aren’t sent.',
  );
  text.isTrusted = { enabledCommands: [OPEN_SETTINGS] };
  return text.appendMarkdown(`${notice} [${vscode.l10n.t('Open Settings')}](${OPEN_BUDGET_SETTING})\n\n`);
}
