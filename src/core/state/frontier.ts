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
 * Runs in O(k log k) of all nodes.
 */
export function chooseFrontier(
  nodes: Iterable<SummaryNode>,
  isOpen: (node: NodeId) => boolean,
  positionOf: (message: MessageId) => number | undefined,
): FrontierItem[] {
  const candidates: (FrontierItem & { readonly order: number })[] = [];
  let order = 0;
  for (const node of nodes) {
    order++;
    if (isOpen(node.id)) continue;
    const from = positionOf(node.first);
    const to = positionOf(node.last);
    if (from === undefined || to === undefined) continue;
    // Of a node that covers a deleted message the rest stands word for word again, until it is summarized anew.
    if (to - from + 1 === node.messages) candidates.push({ node, from, to, order });
  }
  candidates.sort((a, b) => b.to - b.from - (a.to - a.from) || b.order - a.order);
  const chosen = new Disjoint();
  const replaced = new Set(candidates.flatMap(({ node }) => node.replaces ?? []));
  const picked = candidates.filter(({ node, from, to }) => !replaced.has(node.id) && chosen.add(from, to));
  return picked.map(({ node, from, to }) => ({ node, from, to })).sort((a, b) => a.from - b.from);
}

/** A growing set of disjoint intervals, kept sorted for lookup by bisection. */
class Disjoint {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  /** False, and nothing changed, when the interval overlaps one that is there. */
  add(from: number, to: number): boolean {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#starts[middle]! <= from) low = middle + 1;
      else high = middle;
    }
    const before = this.#ends[low - 1];
    const after = this.#starts[low];
    if ((before !== undefined && before >= from) || (after !== undefined && after <= to)) return false;
    this.#starts.splice(low, 0, from);
    this.#ends.splice(low, 0, to);
    return true;
  }
}
