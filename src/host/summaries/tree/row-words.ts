import * as vscode from 'vscode';
import type { StepStatus } from '../../../core/model/task.ts';
import { locale } from '../../platform/l10n.ts';
import { kindName } from '../../platform/key-event-kinds.ts';
import type { TreeFilter } from './filter.ts';
import type { Standing } from './event-index.ts';
import type { SaidList } from './rows.ts';

/** How long ago, in the largest unit that is not 0; milliseconds in. */
export function ago(ms: number): string {
  const format = new Intl.RelativeTimeFormat(locale(), { numeric: 'auto', style: 'narrow' });
  const minutes = Math.max(0, Math.round(ms / 60_000));
  if (minutes < 60) return format.format(-minutes, 'minute');
  if (minutes < 48 * 60) return format.format(-Math.round(minutes / 60), 'hour');
  return format.format(-Math.round(minutes / 1440), 'day');
}

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

export function stepName(status: StepStatus): string {
  switch (status) {
    case 'pending':
      return vscode.l10n.t('pending');
    case 'in_progress':
      return vscode.l10n.t('in progress');
    case 'done':
      return vscode.l10n.t('done');
    case 'skipped':
      return vscode.l10n.t('skipped');
  }
}

export function saidName(list: SaidList): string {
  switch (list) {
    case 'topics':
      return vscode.l10n.t('Topics');
    case 'decisions':
      return vscode.l10n.t('Decisions');
    case 'preferences':
      return vscode.l10n.t('Preferences');
    case 'files':
      return vscode.l10n.t('Files');
  }
}

export const STANDING_ICON: Readonly<Record<Standing, string>> = {
  pinned: 'pinned',
  active: 'quote',
  superseded: 'history',
  dropped: 'circle-slash',
};
export const SAID_ICON: Readonly<Record<SaidList, string>> = {
  topics: 'tag',
  decisions: 'law',
  preferences: 'heart',
  files: 'file',
};
export const STEP_ICON: Readonly<Record<StepStatus, string>> = {
  pending: 'circle-large-outline',
  in_progress: 'play-circle',
  done: 'pass',
  skipped: 'debug-step-over',
};

/** What a filter leaves, for people. */
export function filterName(filter: TreeFilter): string {
  switch (filter.by) {
    case 'warnings':
      return vscode.l10n.t('Summaries with warnings');
    case 'kind':
      return kindName(filter.of);
    case 'text':
      return filter.text;
  }
}
