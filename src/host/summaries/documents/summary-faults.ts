import { supportOf } from '../../../core/model/statement.ts';
import type { CheckedSpan, SummaryNode } from '../../../core/model/summary.ts';
import type { SessionState } from '../../../core/state/session-state.ts';

/** The statements of a summary that a check did not find in its messages. */
export const unsupportedIn = (state: SessionState, node: SummaryNode): readonly CheckedSpan[] =>
  (state.checkOf(node)?.statements ?? []).filter(({ reason }) => supportOf(reason) === false);

/** Whether there is something to warn of. */
export const hasFaults = (state: SessionState, node: SummaryNode): boolean =>
  node.audit.faults.length > 0 || unsupportedIn(state, node).length > 0;
