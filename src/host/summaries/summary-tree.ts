import { createCoverageTest } from '../../core/context/ledger-lines.ts';
import type { CompressionId, NodeId } from '../../core/model/ids.ts';
import { supportOf } from '../../core/model/statement-check.ts';
import type { CheckedSpan, SummaryNode } from '../../core/model/summary.ts';
import type { SessionState } from '../../core/state/session-state.ts';

/** The summaries of the tree that cover the message at a position, topmost first. */
export function summariesOf(state: SessionState, position: number): SummaryNode[] {
  const found: SummaryNode[] = [];
  let siblings: readonly SummaryNode[] = state.frontier.map(({ node }) => node);
  for (;;) {
    const node = siblings.find(({ id }) => {
      const span = state.spanOf(id);
      return span && span.from <= position && position <= span.to;
    });
    if (!node) return found;
    found.push(node);
    siblings = childNodes(state, node);
  }
}

export const childNodes = ({ nodes }: SessionState, { children }: SummaryNode): SummaryNode[] =>
  children.flatMap((id) => nodes.get(id) ?? []);

/** Nodes that the user has reverted individually or with their compression, and that no newer summary covers. */
export function revertedNodes(state: SessionState): SummaryNode[] {
  const isCovered = createCoverageTest(state.frontier);
  return [...state.summaries.reverted].flatMap((id) => {
    const node = state.nodes.get(id);
    const from = node && state.positionOf(node.first);
    return node && from !== undefined && !isCovered(from) ? [node] : [];
  });
}

/** The undone compression with which a summary was reverted. It can only be redone as a whole. */
export const undoneCompressionOf = (
  { compressions, summaries }: SessionState,
  node: NodeId,
): CompressionId | undefined =>
  compressions.find(({ id, nodes }) => nodes.includes(node) && summaries.isCompressionUndone(id))?.id;

/** Whether a summary is sent, that is, neither covered by another one nor reverted. */
export const isSent = ({ frontier }: Pick<SessionState, 'frontier'>, { id }: SummaryNode): boolean =>
  frontier.some(({ node }) => node.id === id);

/** The ways to regenerate a summary: a parent only from its children, without a model; instructions need a model. */
export const regenerateOptions = (state: Pick<SessionState, 'frontier'>, node: SummaryNode, hasModel: boolean) => [
  ...(node.children.length > 0 ? (['children'] as const) : (['same', 'model'] as const)),
  ...(node.children.length === 0 && hasModel ? (['instructions'] as const) : []),
  ...(isSent(state, node) ? (['finer'] as const) : []),
];

/** The statements of a summary that a check didn't find in its messages. */
export const unsupportedIn = (state: SessionState, node: SummaryNode): readonly CheckedSpan[] =>
  (state.summaries.checkOf(node)?.statements ?? []).filter(({ reason }) => supportOf(reason) === false);

/** Whether a summary is stale, or the audit or a check has found a fault in it. */
export const hasWarning = (state: SessionState, node: SummaryNode): boolean =>
  node.audit.faults.length > 0 || unsupportedIn(state, node).length > 0 || state.stale.has(node.id);

/** Summaries of the tree with a warning, parents before their children. Visits all summaries. */
export function warnedNodes(state: SessionState): SummaryNode[] {
  const withChildren = (node: SummaryNode): SummaryNode[] => [node, ...childNodes(state, node).flatMap(withChildren)];
  return state.frontier.flatMap(({ node }) => withChildren(node)).filter((node) => hasWarning(state, node));
}
