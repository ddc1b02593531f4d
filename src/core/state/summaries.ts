import type { MessageId, NodeId } from '../model/ids.ts';
import type { Level, SummaryNode } from '../model/summary.ts';

/** A session's summary nodes: the tree that they form, and which of them were undone or have become stale. */
export class Summaries {
  readonly nodes = new Map<NodeId, SummaryNode>();
  readonly levels = new Map<NodeId, Level>();
  /** Ancestors of an edited node: rebuilt at the next compression. */
  readonly stale = new Set<NodeId>();
  readonly #undone = new Set<NodeId>();
  readonly #parents = new Map<NodeId, NodeId[]>();
  /** Messages that lay among those of a node and were deleted when it was made: it does not stand for them. */
  readonly #passedOver = new Map<NodeId, readonly MessageId[]>();

  /** Nodes that were undone by themselves, not those above them. */
  get undone(): ReadonlySet<NodeId> {
    return this.#undone;
  }

  add(node: SummaryNode, passedOver: readonly MessageId[]): void {
    this.nodes.set(node.id, node);
    if (passedOver.length > 0) this.#passedOver.set(node.id, passedOver);
    for (const child of node.children) {
      const parents = this.#parents.get(child);
      if (parents) parents.push(node.id);
      else this.#parents.set(child, [node.id]);
      this.stale.delete(child);
    }
  }

  setUndone(node: NodeId, undone: boolean): void {
    if (undone) this.#undone.add(node);
    else this.#undone.delete(node);
  }

  edit(id: NodeId, level: Level, text: string, tokens: number): void {
    const node = this.nodes.get(id);
    if (!node) return;
    this.nodes.set(id, { ...node, [level]: text, tokens: { ...node.tokens, [level]: tokens }, rung: 'edited' });
    const open = [...(this.#parents.get(id) ?? [])];
    for (let ancestor = open.pop(); ancestor !== undefined; ancestor = open.pop()) {
      if (this.stale.has(ancestor)) continue;
      this.stale.add(ancestor);
      open.push(...(this.#parents.get(ancestor) ?? []));
    }
  }

  /** True when the node does not stand for its messages: it, or a node below it, was undone. */
  isOpen(node: NodeId): boolean {
    if (this.#undone.size === 0) return false;
    const below = [node];
    // Damaged data may name a node as its own descendant: each is looked at once.
    const seen = new Set(below);
    for (let at = below.pop(); at !== undefined; at = below.pop()) {
      if (this.#undone.has(at)) return true;
      for (const child of this.nodes.get(at)?.children ?? []) {
        if (seen.has(child)) continue;
        seen.add(child);
        below.push(child);
      }
    }
    return false;
  }

  /** True when a message that the node passed over because it was deleted stands on the branch again. */
  hasGap(node: NodeId, isOnBranch: (message: MessageId) => boolean): boolean {
    return this.#passedOver.get(node)?.some(isOnBranch) === true;
  }
}
