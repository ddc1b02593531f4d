import type { MessageId, NodeId } from '../model/ids.ts';
import type { SummaryNode } from '../model/summary.ts';

/** A node on the active branch, with the positions (0-based, inclusive) of the messages it covers on the path. */
export interface FrontierItem {
  readonly node: SummaryNode;
  readonly from: number;
  readonly to: number;
}

/**
 * The nodes that stand for messages of the active branch, in order, none overlapping.
 * Of two nodes that cover the same messages the wider wins, then the later made; but none that another one replaces.
 * Takes time with the nodes and the messages that they cover.
 */
export function chooseFrontier(
  nodes: Iterable<SummaryNode>,
  isOpen: (node: NodeId) => boolean,
  positionOf: (message: MessageId) => number | undefined,
): FrontierItem[] {
  const candidates: FrontierItem[] = [];
  for (const node of [...nodes].reverse()) {
    if (isOpen(node.id)) continue;
    const from = positionOf(node.first);
    const to = positionOf(node.last);
    if (from === undefined || to === undefined) continue;
    // Of a node that covers a deleted message the rest stands word for word again, until it is summarized anew.
    if (to - from + 1 === node.messages) candidates.push({ node, from, to });
  }
  candidates.sort((a, b) => b.to - b.from - (a.to - a.from));
  const replaced = new Set(candidates.flatMap(({ node }) => node.replaces ?? []));
  // Of an interval that overlaps a wider one, an end lies in it.
  const covered = new Set<number>();
  const chosen: FrontierItem[] = [];
  for (const { node, from, to } of candidates) {
    if (replaced.has(node.id) || covered.has(from) || covered.has(to)) continue;
    for (let position = from; position <= to; position++) covered.add(position);
    chosen.push({ node, from, to });
  }
  return chosen.sort((a, b) => a.from - b.from);
}
