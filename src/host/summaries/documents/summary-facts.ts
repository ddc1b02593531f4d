import * as vscode from 'vscode';
import type { TriggerName } from '../../../core/journal/schema.ts';
import type { Level, Rung, SummaryCheck, SummaryNode } from '../../../core/model/summary.ts';

/** How far a summary can be trusted, in a few words: what the audit found in the source, and who wrote it. */
export function trustOf({ audit, rung }: SummaryNode, check: SummaryCheck | undefined): string {
  const { identifiers, quotes } = audit;
  const parts = [
    ...(quotes.total > 0 ? [vscode.l10n.t('{0}/{1} quotes', quotes.known, quotes.total)] : []),
    ...(identifiers.total > 0 ? [vscode.l10n.t('{0}/{1} identifiers', identifiers.known, identifiers.total)] : []),
    ...(check ? [checkText(check)] : []),
    rungName(rung),
  ];
  return parts.join(' · ');
}

/** What a model found to stand in the messages, of all statements that it judged. */
function checkText({ statements }: SummaryCheck): string {
  const judged = statements.filter(({ isByCode }) => !isByCode);
  const supported = judged.filter(({ reason }) => reason === 'supported');
  return vscode.l10n.t('{0}/{1} statements', supported.length, judged.length);
}

export function rungName(rung: Rung): string {
  switch (rung) {
    case 'model':
      return vscode.l10n.t('model');
    case 'retry':
      return vscode.l10n.t('model, second try');
    case 'tight':
      return vscode.l10n.t('model, tighter prompt');
    case 'extractive':
      return vscode.l10n.t('by code');
    case 'cut':
      return vscode.l10n.t('cut');
    case 'edited':
      return vscode.l10n.t('edited by you');
  }
}

export function levelName(level: Level): string {
  switch (level) {
    case 'brief':
      return vscode.l10n.t('Brief');
    case 'detailed':
      return vscode.l10n.t('Detailed');
    case 'full':
      return vscode.l10n.t('Full');
  }
}

export function triggerName(trigger: TriggerName): string {
  switch (trigger) {
    case 'share':
      return vscode.l10n.t('Context nearly full');
    case 'before_send':
      return vscode.l10n.t('Room for a message');
    case 'tokens':
      return vscode.l10n.t('Token limit');
    case 'messages':
      return vscode.l10n.t('Message limit');
    case 'every':
      return vscode.l10n.t('Every N messages');
    case 'age':
      return vscode.l10n.t('Age of the last summary');
    case 'task_reset':
      return vscode.l10n.t('Task reset');
    case 'provider_overflow':
      return vscode.l10n.t('Refused as too long');
    case 'command':
      return vscode.l10n.t('On request');
    case 'import':
      return vscode.l10n.t('Import');
  }
}
