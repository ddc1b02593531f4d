import type { CompressionRecord } from '../journal/schema.ts';
import type { CompressionId, MessageId, NodeId } from '../model/ids.ts';
import type { Level, SummaryCheck, SummaryNode } from '../model/summary.ts';

/** What is told of a session's summaries. */
export type SummaryFacts = Pick<
  Summaries,
  'opened' | 'parentsOf' | 'isUndone' | 'isTakenBack' | 'isExpanded' | 'isCompressionUndone' | 'checkOf'
>;

/**
 * The summaries of a session and what the user has done to them: texts changed, levels chosen, nodes opened so that
 * their messages are sent word for word. Changed through `SessionState.apply` alone.
 */
export class Summaries {
  readonly nodes = new Map<NodeId, SummaryNode>();
  readonly levels = new Map<NodeId, Level>();
  /** Nodes that were made from summaries which have been changed or undone since: rebuilt at the next compression. */
  readonly stale = new Set<NodeId>();
  readonly #made = new Map<CompressionId, readonly NodeId[]>();
  readonly #undone = new Set<NodeId>();
  readonly #undoneCompressions = new Set<CompressionId>();
  readonly #expanded = new Set<NodeId>();
  /** What is undone or expanded, whichever way. */
  #opened: ReadonlySet<NodeId> = new Set();
  /** What stood below summaries, or before them, that were opened by themselves: their messages are wanted, nothing else. */
  #openedFromAbove: ReadonlySet<NodeId> = new Set();
  readonly #parents = new Map<NodeId, NodeId[]>();
  /** The children of a node as they were when it was made; what is put back was made when it first came. */
  readonly #madeFrom = new WeakMap<SummaryNode, readonly SummaryNode[]>();

  /** What models found of nodes, with the text of which they found it. */
  readonly #checks = new Map<NodeId, { readonly check: SummaryCheck; readonly text: string }>();

  /** Messages that lay among those of a node and were deleted when it was made: it does not stand for them. */
  readonly #passedOver = new Map<NodeId, readonly MessageId[]>();

  /** Nodes that were opened themselves, by the user's undoing or expanding, not for what is below them. */
  get opened(): ReadonlySet<NodeId> {
    return this.#opened;
  }

  /** The nodes that were made from this one. */
  parentsOf(node: NodeId): readonly NodeId[] {
    return this.#parents.get(node) ?? [];
  }

  isUndone(node: NodeId): boolean {
    return this.#undone.has(node);
  }

  /** True for a node whose messages are sent in its place until the next reply has come. */
  isExpanded(node: NodeId): boolean {
    return this.#expanded.has(node);
  }

  isCompressionUndone(compression: CompressionId): boolean {
    return this.#undoneCompressions.has(compression);
  }

  /** True when the node does not stand for its messages: it, a node below it, or one that was made of it was opened. */
  isOpen(node: NodeId, nodes: ReadonlyMap<NodeId, SummaryNode> = this.nodes): boolean {
    return this.#openedFromAbove.has(node) || this.#isAnyFrom(node, nodes, (at) => this.#opened.has(at));
  }

  /** The same, but for what was opened for one reply alone. */
  isTakenBack(node: NodeId): boolean {
    return this.#isAnyFrom(node, this.nodes, (at) => this.#isTakenBack(at));
  }

  #isAnyFrom(node: NodeId, nodes: ReadonlyMap<NodeId, SummaryNode>, is: (node: NodeId) => boolean): boolean {
    if (this.#opened.size === 0) return false;
    for (const at of withDescendants(node, nodes)) if (is(at)) return true;
    return false;
  }

  /** True when a message that the node passed over because it was deleted stands on the branch again. */
  hasGap(node: NodeId, isOnBranch: (message: MessageId) => boolean): boolean {
    return this.#passedOver.get(node)?.some(isOnBranch) === true;
  }

  /** Takes in what a compression has made; `deletedIn` names the deleted messages among those of a node. */
  commit(
    { id, nodes, levels }: Pick<CompressionRecord, 'id' | 'nodes' | 'levels'>,
    deletedIn: (node: SummaryNode) => readonly MessageId[],
  ): void {
    this.#made.set(id, [...(this.#made.get(id) ?? []), ...nodes.map((node) => node.id)]);
    for (const node of nodes) {
      this.nodes.set(node.id, node);
      const passedOver = deletedIn(node);
      if (passedOver.length > 0) this.#passedOver.set(node.id, passedOver);
      for (const child of node.children) {
        const parents = this.#parents.get(child);
        if (parents) parents.push(node.id);
        else this.#parents.set(child, [node.id]);
      }
      this.#madeFrom.set(node, this.#childrenOf(node));
      this.#judge(node.id);
    }
    for (const { node, level } of levels) this.levels.set(node, level);
  }

  undo(node: NodeId, undone: boolean): void {
    change(this.#undone, node, undone);
    this.#reopen();
    this.#judgeAbove([node]);
  }

  undoCompressions(compressions: readonly CompressionId[], undone: boolean): void {
    for (const id of compressions) change(this.#undoneCompressions, id, undone);
    this.#reopen();
    this.#judgeAbove(compressions.flatMap((id) => this.#made.get(id) ?? []));
  }

  expand(node: NodeId, expanded: boolean): void {
    change(this.#expanded, node, expanded);
    this.#reopen();
  }

  /** The reply has come for which nodes were expanded. True when there were any. */
  closeExpanded(): boolean {
    if (this.#expanded.size === 0) return false;
    this.#expanded.clear();
    this.#reopen();
    return true;
  }

  setLevel(node: NodeId, level: Level | null): void {
    if (level === null) this.levels.delete(node);
    else this.levels.set(node, level);
  }

  /** Puts the user's text in place of a node's at one level. */
  edit(id: NodeId, level: Level, text: string, tokens: number): void {
    const node = this.nodes.get(id);
    if (!node) return;
    this.replace({ ...node, [level]: text, tokens: { ...node.tokens, [level]: tokens }, rung: 'edited' });
  }

  /** Notes what a model found of a node's statements; what was found of it before is put away. */
  note(id: NodeId, check: SummaryCheck): void {
    const text = this.nodes.get(id)?.[check.level];
    if (text !== undefined) this.#checks.set(id, { check, text });
  }

  /** What a model found of a node, as long as the words stand of which it was found; of other words it tells nothing. */
  checkOf(node: SummaryNode): SummaryCheck | undefined {
    const noted = this.#checks.get(node.id);
    return noted && node[noted.check.level] === noted.text ? noted.check : undefined;
  }

  /** Puts another text in a known node's place; what was made from it, above, is judged anew. */
  replace(node: SummaryNode): void {
    const before = this.nodes.get(node.id);
    if (!before) return;
    if (!this.#madeFrom.has(node)) {
      const asBefore = readsAlike(before, node) ? this.#madeFrom.get(before) : undefined;
      this.#madeFrom.set(node, asBefore ?? this.#childrenOf(node));
    }
    this.nodes.set(node.id, node);
    this.#judge(node.id);
    this.#judgeAbove([node.id]);
  }

  /** Judges what was made from these nodes, and what was made from that. */
  #judgeAbove(nodes: readonly NodeId[]): void {
    const seen = new Set<NodeId>(nodes);
    const above = nodes.flatMap((node) => this.parentsOf(node));
    for (let at = above.shift(); at !== undefined; at = above.shift()) {
      if (seen.has(at)) continue;
      seen.add(at);
      this.#judge(at);
      above.push(...this.parentsOf(at));
    }
  }

  #judge(id: NodeId): void {
    const node = this.nodes.get(id);
    const made = (node && this.#madeFrom.get(node)) ?? [];
    const changed = made.some((then) => {
      const now = this.nodes.get(then.id);
      return (
        this.stale.has(then.id) ||
        this.#isTakenBack(then.id) ||
        (now !== undefined && now !== then && !readsAlike(now, then))
      );
    });
    change(this.stale, id, changed);
  }

  /** What was undone itself, or with its compression; not what is open for one reply. */
  #isTakenBack(node: NodeId): boolean {
    return this.#opened.has(node) && !(this.#expanded.has(node) && !this.#undone.has(node));
  }

  #childrenOf(node: SummaryNode): readonly SummaryNode[] {
    return node.children.flatMap((id) => this.nodes.get(id) ?? []);
  }

  #reopen(): void {
    const undone = [...this.#undoneCompressions].flatMap((id) => this.#made.get(id) ?? []);
    const single = [...this.#undone, ...this.#expanded];
    this.#opened = new Set([...single, ...undone]);
    this.#openedFromAbove = new Set(single.flatMap((id) => [...withDescendants(id, this.nodes, true)].slice(1)));
  }
}

/**
 * A node, then those that it was made of and, if `replaced`, those that it took the place of. Damaged data may name a
 * node as its own descendant: each comes once.
 */
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

/** A parent is made from these texts of its children. */
const readsAlike = (a: SummaryNode, b: SummaryNode): boolean =>
  a.detailed === b.detailed && a.brief === b.brief && a.title === b.title;

function change<Id>(set: Set<Id>, id: Id, isIn: boolean): void {
  if (isIn) set.add(id);
  else set.delete(id);
}
