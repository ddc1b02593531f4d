import type { SummaryNode } from '../../../core/model/summary.ts';
import type { SessionState } from '../../../core/state/session-state.ts';

/** What there is to warn of: what the audit found, and the statements that a model did not find in the messages. */
export function faultTexts(state: SessionState, node: SummaryNode): string[] {
  const check = state.checkOf(node);
  const unsupported = (check?.statements ?? []).filter(({ reason, isByCode }) => reason !== 'supported' && !isByCode);
  return [
    ...node.audit.faults.map(({ kind, text }) => `${kind}: ${text}`),
    ...unsupported.map(({ start, end }) => `unsupported: ${(node[check!.level] ?? '').slice(start, end)}`),
  ];
}
