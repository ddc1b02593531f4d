import * as vscode from 'vscode';
import type { TriggerName } from '../../core/journal/schema.ts';
import type { StatementFinding } from '../../core/model/statement.ts';
import type { AuditFault, Level, Rung, SummaryCheck, SummaryNode } from '../../core/model/summary.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { unsupportedIn } from './rows.ts';

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
      return vscode.l10n.t('model (second attempt)');
    case 'tight':
      return vscode.l10n.t('model (stricter prompt)');
    case 'extractive':
      return vscode.l10n.t('extractive');
    case 'cut':
      return vscode.l10n.t('truncated');
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
      return vscode.l10n.t('Context full before sending');
    case 'tokens':
      return vscode.l10n.t('Token limit');
    case 'messages':
      return vscode.l10n.t('Message limit');
    case 'every':
      return vscode.l10n.t('Message interval');
    case 'age':
      return vscode.l10n.t('Age of the last summary');
    case 'task_reset':
      return vscode.l10n.t('Task reset');
    case 'provider_overflow':
      return vscode.l10n.t('Request rejected as too long');
    case 'command':
      return vscode.l10n.t('On request');
    case 'import':
      return vscode.l10n.t('Import');
  }
}

/** What there is to warn of: what the audit found, and the statements that a model did not find in the messages. */
export function faultTexts(state: SessionState, node: SummaryNode): string[] {
  const level = state.checkOf(node)?.level ?? 'detailed';
  return [
    ...node.audit.faults.map(auditFaultText),
    ...unsupportedIn(state, node).map((one) => `${(node[level] ?? '').slice(one.start, one.end)}: ${reasonText(one)}`),
  ];
}

function auditFaultText({ kind, text }: AuditFault): string {
  switch (kind) {
    case 'unknown_quote':
    case 'unknown_identifier':
    case 'unknown_event':
      return vscode.l10n.t('Not in the source: {0}', text);
    case 'empty':
    case 'grew':
    case 'missing_section':
    case 'not_json':
    case 'refused':
      return `${kind}: ${text}`;
  }
}

/** What was found of a statement, for a hover or a warning. */
export function reasonText({ reason, missing = [] }: Pick<StatementFinding, 'reason' | 'missing'>): string {
  switch (reason) {
    case 'verbatim':
      return vscode.l10n.t('Verbatim quote from the source.');
    case 'not_in_source':
      return vscode.l10n.t('Not in the source: {0}', missing.join(', '));
    case 'unchecked':
      return vscode.l10n.t('Not verified, but all names, numbers, and paths appear in the source.');
    case 'supported':
      return vscode.l10n.t('Supported by the source.');
    case 'no_source':
      return vscode.l10n.t('Not mentioned in the source.');
    case 'told_otherwise':
      return vscode.l10n.t('The source says something different.');
  }
}
