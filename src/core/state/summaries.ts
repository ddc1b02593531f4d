import type { CompressionRecord } from '../journal/schema.ts';
import type { CompressionId, MessageId, NodeId } from '../model/ids.ts';
import { auditAfterEdit, type Level, type SummaryCheck, type SummaryNode } from '../model/summary.ts';

/** Read-only facts about a session's summaries. */
export type SummaryFacts = Pick<
  Summaries,
  'reverted' | 'parentsOf' | 'isUndone' | 'isUndoneWithin' | 'isExpanded' | 'isCompressionUndone' | 'checkOf'
>;

/**
 * A session's summaries and the user's changes: edited texts, chosen levels, and nodes that are reverted, so that their
 * messages are sent verbatim. Only changed by `SessionState`.
 */
export class Summaries {
  readonly nodes = new Map<NodeId, SummaryNode>();
  readonly levels = new Map<NodeId, Level>();
  readonly #nodesByCompression = new Map<CompressionId, readonly NodeId[]>();
  readonly #undone = new Set<NodeId>();
  readonly #undoneCompressions = new Set<CompressionId>();
  readonly #expanded = new Set<NodeId>();
  /** Nodes that were undone, alone or with their compression. */
  #allUndone: ReadonlySet<NodeId> = new Set();
  #reverted: ReadonlySet<NodeId> = new Set();
  #stale: ReadonlySet<NodeId> | undefined;
  /**
   * The descendants of nodes that the user reverted one by one, and the nodes that they replaced. They are reverted,
   * too, because the user wants to send the messages, not other summaries of them.
   */
  #revertedBelow: ReadonlySet<NodeId> = new Set();
  /** The children of a node when it was made. If an undo restores a node's texts, it keeps these children. */
  readonly #madeFrom = new WeakMap<SummaryNode, readonly SummaryNode[]>();

  /** Models' checks of nodes, with the text that was checked. */
  readonly #checks = new Map<NodeId, { readonly check: SummaryCheck; readonly text: string }>();

  /** Messages within a node's range that it doesn't cover, because they were deleted when it was made. */
  readonly #deletedWhenMade = new Map<NodeId, readonly MessageId[]>();

  /** Nodes that the user undid, alone or with their compression, or expanded. */
  get reverted(): ReadonlySet<NodeId> {
    return this.#reverted;
  }

  parentsOf(node: NodeId): readonly SummaryNode[] {
    return [...this.nodes.values()].filter(({ children }) => children.includes(node));
  }

  isUndone(node: NodeId): boolean {
    return this.#undone.has(node);
  }

  /** Whether a node's messages are sent instead of it until the next response. */
  isExpanded(node: NodeId): boolean {
    return this.#expanded.has(node);
  }

  isCompressionUndone(compression: CompressionId): boolean {
    return this.#undoneCompressions.has(compression);
  }

  /** Whether the node doesn't replace its messages, because it, a descendant, or a node made from it was reverted. */
  isReverted(node: NodeId, nodes: ReadonlyMap<NodeId, SummaryNode> = this.nodes): boolean {
    return this.#revertedBelow.has(node) || this.#isAnyWithin(node, nodes, (at) => this.#reverted.has(at));
  }

  /** Whether the node or a descendant was undone, alone or with its compression. Ignores expanded nodes. */
  isUndoneWithin(node: NodeId): boolean {
    return this.#isAnyWithin(node, this.nodes, (at) => this.#allUndone.has(at));
  }

  #isAnyWithin(node: NodeId, nodes: ReadonlyMap<NodeId, SummaryNode>, is: (node: NodeId) => boolean): boolean {
    if (this.#reverted.size === 0) return false;
    for (const at of withDescendants(node, nodes)) if (is(at)) return true;
    return false;
  }

  /** Whether a message that was deleted when the node was made is on the branch again. */
  hasGap(node: NodeId, isOnBranch: (message: MessageId) => boolean): boolean {
    return this.#deletedWhenMade.get(node)?.some(isOnBranch) === true;
  }

  /** Adds the nodes of a compression. `deletedIn` returns the deleted messages within a node's range. */
  commit(
    { id, nodes, levels }: Pick<CompressionRecord, 'id' | 'nodes' | 'levels'>,
    deletedIn: (node: SummaryNode) => readonly MessageId[],
  ): void {
    this.#nodesByCompression.set(id, [...(this.#nodesByCompression.get(id) ?? []), ...nodes.map((node) => node.id)]);
    for (const node of nodes) {
      this.nodes.set(node.id, node);
      const deleted = deletedIn(node);
      if (deleted.length > 0) this.#deletedWhenMade.set(node.id, deleted);
      this.#madeFrom.set(node, this.#childrenOf(node));
    }
    this.#stale = undefined;
    for (const { node, level } of levels) this.levels.set(node, level);
  }

  undo(node: NodeId, undone: boolean): void {
    change(this.#undone, node, undone);
    this.#updateReverted();
  }

  undoCompressions(compressions: readonly CompressionId[], undone: boolean): void {
    for (const id of compressions) change(this.#undoneCompressions, id, undone);
    this.#updateReverted();
  }

  expand(node: NodeId, expanded: boolean): void {
    change(this.#expanded, node, expanded);
    this.#updateReverted();
  }

  /** Collapses expanded nodes after the response. Returns whether there were any. */
  closeExpanded(): boolean {
    if (this.#expanded.size === 0) return false;
    this.#expanded.clear();
    this.#updateReverted();
    return true;
  }

  setLevel(node: NodeId, level: Level | null): void {
    if (level === null) this.levels.delete(node);
    else this.levels.set(node, level);
  }

  /** Replaces a node's text at one level by the user's. */
  edit(id: NodeId, level: Level, text: string, tokens: number): void {
    const node = this.nodes.get(id);
    if (!node) return;
    const { structured, ...rest } = node;
    this.replace({
      ...rest,
      // Parents are made from these lists, which contain the model's text instead of the user's.
      ...(level !== 'detailed' && structured && { structured }),
      // The detailed text is the one that was audited.
      ...(level === 'detailed' && { audit: auditAfterEdit(node.audit, node.detailed, text) }),
      [level]: text,
      tokens: { ...node.tokens, [level]: tokens },
      rung: 'edited',
    });
  }

  setCheck(id: NodeId, check: SummaryCheck): void {
    const text = this.nodes.get(id)?.[check.level];
    if (text !== undefined) this.#checks.set(id, { check, text });
  }

  /** A model's check of a node, if the checked text is unchanged. */
  checkOf(node: SummaryNode): SummaryCheck | undefined {
    const noted = this.#checks.get(node.id);
    return noted && node[noted.check.level] === noted.text ? noted.check : undefined;
  }

  /** Replaces a node's texts, so that nodes made from it are stale. */
  replace(node: SummaryNode): void {
    const before = this.nodes.get(node.id);
    if (!before) return;
    if (!this.#madeFrom.has(node)) {
      const asBefore = hasSameTexts(before, node) ? this.#madeFrom.get(before) : undefined;
      this.#madeFrom.set(node, asBefore ?? this.#childrenOf(node));
    }
    this.nodes.set(node.id, node);
    this.#stale = undefined;
  }

  /** Nodes that the next compression rebuilds, because summaries they were made from were changed or undone. */
  get stale(): ReadonlySet<NodeId> {
    if (this.#stale) return this.#stale;
    const stale = new Set<NodeId>();
    const isChanged = (child: SummaryNode): boolean =>
      stale.has(child.id) || this.#allUndone.has(child.id) || !hasSameTexts(this.nodes.get(child.id) ?? child, child);
    // Children first, because a node made from a stale one is stale.
    for (const node of [...this.nodes.values()].sort((a, b) => a.depth - b.depth))
      if (this.#madeFrom.get(node)?.some(isChanged)) stale.add(node.id);
    return (this.#stale = stale);
  }

  #childrenOf(node: SummaryNode): readonly SummaryNode[] {
    return node.children.flatMap((id) => this.nodes.get(id) ?? []);
  }

  #updateReverted(): void {
    const single = [...this.#undone, ...this.#expanded];
    const compressed = [...this.#undoneCompressions].flatMap((id) => this.#nodesByCompression.get(id) ?? []);
    this.#allUndone = new Set([...this.#undone, ...compressed]);
    this.#reverted = new Set([...single, ...compressed]);
    this.#stale = undefined;
    this.#revertedBelow = new Set(single.flatMap((id) => [...withDescendants(id, this.nodes, true)].slice(1)));
  }
}

/** A node, its descendants and, with `replaced`, the nodes they replaced; each once, despite cycles in damaged data. */
function* withDescendants(node: NodeId, nodes: ReadonlyMap<NodeId, SummaryNode>, replaced = false): Generator<NodeId> {
  const below = [node];
  const seen = new Set(below);
  for (let at = below.pop(); at !== undefined; at = below.pop()) {
    yield at;
    const { children = [], replaces = [] } = nodes.get(at) ?? {};
    for (const child of replaced ? [...children, ...replaces] : children) {
      if (seen.has(child)) continue;
      seen.add(child);
      below.push(child);
    }
  }
}

/** Compares the texts from which parents are made. */
const hasSameTexts = (a: SummaryNode, b: SummaryNode): boolean =>
  a.detailed === b.detailed && a.brief === b.brief && a.title === b.title;

function change<Id>(set: Set<Id>, id: Id, isIn: boolean): void {
  if (isIn) set.add(id);
  else set.delete(id);
}
