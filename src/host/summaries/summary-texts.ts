import * as vscode from 'vscode';
import type { SkipReason } from '../../app/compression-job.ts';
import type { Policy } from '../../core/policy/policy.ts';
import type { TriggerName } from '../../core/journal/schema.ts';
import type { StatementFinding } from '../../core/model/statement-check.ts';
import type { AuditFault, Level, SummaryMethod, SummaryCheck, SummaryNode } from '../../core/model/summary.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { unsupportedIn } from './summary-tree.ts';

/** The results of a summary's audit and check, and how it was generated, in a few words. */
export function verificationText({ audit, rung }: SummaryNode, check: SummaryCheck | undefined): string {
  const { identifiers, quotes } = audit;
  const parts = [
    ...(quotes.total > 0 ? [vscode.l10n.t('{0}/{1} quotes found in the source', quotes.known, quotes.total)] : []),
    ...(identifiers.total > 0
      ? [vscode.l10n.t('{0}/{1} terms found in the source', identifiers.known, identifiers.total)]
      : []),
    ...(check ? [checkText(check)] : []),
    summaryMethodName(rung),
  ];
  return parts.join(' · ');
}

/** The number of checked statements, and of those that a model found in the messages. */
function checkText({ statements }: SummaryCheck): string {
  const judged = statements.filter(({ isByCode }) => !isByCode);
  const supported = judged.filter(({ reason }) => reason === 'supported');
  return vscode.l10n.t('{0}/{1} statements supported', supported.length, judged.length);
}

export const summaryMethodName = (method: SummaryMethod): string =>
  ({
    model: vscode.l10n.t('model'),
    retry: vscode.l10n.t('model (second attempt)'),
    tight: vscode.l10n.t('model (shorter prompt, partial source)'),
    extractive: vscode.l10n.t('extractive'),
    cut: vscode.l10n.t('truncated'),
    edited: vscode.l10n.t('edited by you'),
  })[method];

export const levelName = (level: Level): string =>
  ({
    brief: vscode.l10n.t('Brief'),
    detailed: vscode.l10n.t('Detailed'),
    full: vscode.l10n.t('Full'),
  })[level];

export const triggerName = (trigger: TriggerName): string =>
  ({
    share: vscode.l10n.t('Background threshold'),
    before_send: vscode.l10n.t('Blocking threshold'),
    tokens: vscode.l10n.t('Maximum uncompressed tokens'),
    messages: vscode.l10n.t('Maximum uncompressed messages'),
    every: vscode.l10n.t('Message interval'),
    age: vscode.l10n.t('Age of the last summary'),
    task_reset: vscode.l10n.t('Task ended'),
    provider_overflow: vscode.l10n.t('Request rejected as too long'),
    command: vscode.l10n.t('Manual'),
    import: vscode.l10n.t('Import'),
  })[trigger];

/** Warnings: faults of the audit, and statements that a model didn't find in the messages. */
export function checkWarnings(state: SessionState, node: SummaryNode): string[] {
  const level = state.summaries.checkOf(node)?.level ?? 'detailed';
  return [
    ...node.audit.faults.map(auditFaultText),
    ...unsupportedIn(state, node).map((one) => `${(node[level] ?? '').slice(one.start, one.end)}: ${reasonText(one)}`),
  ];
}

function auditFaultText({ kind, text }: AuditFault): string {
  if (kind === 'empty')
    return vscode.l10n.t(
      'The summarizer returned no usable response. The summary was extracted from the messages without a model.',
    );
  return kind.startsWith('unknown_') ? vscode.l10n.t('Not in the source: {0}', text) : `${kind}: ${text}`;
}

/** The result of checking a statement, for a hover or a warning. */
export const reasonText = ({ reason, missing = [] }: Pick<StatementFinding, 'reason' | 'missing'>): string =>
  ({
    verbatim: vscode.l10n.t('Verbatim quote from the source.'),
    not_in_source: vscode.l10n.t('Not in the source: {0}', missing.join(', ')),
    unchecked: vscode.l10n.t('Not verified by a model, but all checked terms appear in the source.'),
    supported: vscode.l10n.t('According to the model, supported by the source.'),
    no_source: vscode.l10n.t('According to the model, not mentioned in the source.'),
    told_otherwise: vscode.l10n.t('According to the model, the source says something different.'),
  })[reason];

/** The reason why there is nothing to compress, and what the user can do about it. */
export function nothingToCompressText(
  reason: SkipReason | 'off',
  { recentMessages }: Policy,
  { path }: Pick<SessionState, 'path'>,
): string {
  switch (reason) {
    case 'recent_only':
      if (path.length === 0) return vscode.l10n.t('No messages in this session yet.');
      return vscode.l10n.t(
        'Nothing to compress: only recent messages are left, which stay verbatim. To keep fewer than {0}, change the setting threadkeeper.compression.recentMessages.',
        recentMessages,
      );
    case 'no_saving':
      return vscode.l10n.t('Nothing to compress: a summary would be about as long as the messages it replaces.');
    case 'off':
      return vscode.l10n.t('Compression is turned off by the setting threadkeeper.compression.strategy.');
  }
}
