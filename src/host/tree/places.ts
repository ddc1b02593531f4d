import type { NodeId } from '../../core/model/ids.ts';
import type { FrontierItem } from '../../core/state/frontier.ts';
import type { SessionState } from '../../core/state/session-state.ts';

/** Positions of the messages that a node stands for; undefined when they are not on the active branch. */
export function rangeOf(state: SessionState, id: NodeId): { readonly from: number; readonly to: number } | undefined {
  const node = state.nodes.get(id);
  const from = node && state.positionOf(node.first);
  const to = node && state.positionOf(node.last);
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** The first item of a list in order that ends at a position or behind it, by bisection. */
function firstEndingFrom<Item>(
  items: readonly Item[],
  position: number,
  endOf: (item: Item) => number,
): Item | undefined {
  let low = 0;
  let high = items.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (endOf(items[middle]!) < position) low = middle + 1;
    else high = middle;
  }
  return items[low];
}

/** The item of the frontier that stands for the message at a position. */
function frontierAt({ frontier }: SessionState, position: number): FrontierItem | undefined {
  const item = firstEndingFrom(frontier, position, ({ to }) => to);
  return item && item.from <= position ? item : undefined;
}

/** The leaf of the tree that stands for the message at a position. */
export function leafAt(state: SessionState, position: number): NodeId | undefined {
  let at = frontierAt(state, position)?.node;
  while (at && at.children.length > 0) {
    const below = firstEndingFrom(at.children, position, (id) => rangeOf(state, id)?.to ?? Infinity);
    const range = below === undefined ? undefined : rangeOf(state, below);
    at = below !== undefined && range && range.from <= position ? state.nodes.get(below) : undefined;
  }
  return at?.id;
}

export function leafRange(
  state: SessionState,
  position: number,
): { readonly from: number; readonly to: number } | undefined {
  const leaf = leafAt(state, position);
  return leaf && rangeOf(state, leaf);
}

/** Whether a node is in the tree: on the frontier, or below it. */
export function stands(state: SessionState, id: NodeId): boolean {
  const range = rangeOf(state, id);
  const item = range && frontierAt(state, range.from);
  if (!item || range.to > item.to) return false;
  for (let at: NodeId | undefined = id; at !== undefined; at = state.parentsOf(at)[0])
    if (at === item.node.id) return true;
  return false;
}
