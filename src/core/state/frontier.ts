import type { MessageId, NodeId } from '../model/ids.ts';
import type { SummaryNode } from '../model/summary.ts';

/** A node on the active branch, with the positions (0-based, inclusive) of the messages that it covers. */
export interface FrontierItem {
  readonly node: SummaryNode;
  readonly from: number;
  readonly to: number;
}

/**
 * The nodes that replace messages of the active branch, in order and without overlaps. Reverted nodes don't replace
 * their messages. If several nodes cover the same messages, the widest wins, then the newest, but never one that
 * another of them replaces.
 */
export function chooseFrontier(
  nodes: Iterable<SummaryNode>,
  isReverted: (node: NodeId) => boolean,
  positionOf: (message: MessageId) => number | undefined,
): FrontierItem[] {
  const candidates: FrontierItem[] = [];
  let length = 0;
  for (const node of [...nodes].reverse()) {
    if (isReverted(node.id)) continue;
    const from = positionOf(node.first);
    const to = positionOf(node.last);
    if (from === undefined || to === undefined) continue;
    // If a covered message was deleted, the others are sent verbatim until they are summarized again.
    if (to - from + 1 !== node.messages) continue;
    candidates.push({ node, from, to });
    length = Math.max(length, to + 1);
  }
  candidates.sort((a, b) => b.to - b.from - (a.to - a.from));
  const replaced = new Set(candidates.flatMap(({ node }) => node.replaces ?? []));
  // If an interval overlaps a wider one, one of its ends lies within that, so it's enough to check the ends.
  const covered = new Uint8Array(length);
  const chosen: FrontierItem[] = [];
  for (const { node, from, to } of candidates) {
    if (replaced.has(node.id) || covered[from] === 1 || covered[to] === 1) continue;
    covered.fill(1, from, to + 1);
    chosen.push({ node, from, to });
  }
  return chosen.sort((a, b) => a.from - b.from);
}
