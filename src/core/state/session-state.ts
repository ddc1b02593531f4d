import { correctedEvent } from '../events/correction.ts';
import type { CompressionRecord, SessionEvent } from '../journal/schema.ts';
import type { KeyEventId, MessageId, NodeId, SessionId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Message } from '../model/message.ts';
import type { Level, SummaryNode } from '../model/summary.ts';
import { endTask, type Task } from '../model/task.ts';
import { Branches, MessageLog, type MessagePlace, type ReadMessage } from './branches.ts';
import { inverseOf, isChange, type Change } from './changes.ts';
import { initialCounters, type CompressionEntry, type Counters } from './counters.ts';
import { chooseFrontier, type FrontierItem } from './frontier.ts';
import { KeyEventList } from './key-event-list.ts';
import { Summaries, type SummaryFacts } from './summaries.ts';

type PartialReply = Omit<Extract<SessionEvent, { type: 'reply_partial' }>, 'type' | 'offset'> & { readonly at: number };

/** The inputs of a request's prefix: summaries, key events, and the positions of their messages. */
export type PrefixFacts = Pick<
  SessionState,
  'frontier' | 'levels' | 'events' | 'messages' | 'positionOf' | 'isRemoved' | 'isCurrent'
>;

/** Maximum number of changes that can be undone. */
const MAX_CHANGES = 200;

/**
 * A session's state, as its journal describes it. It only changes through `apply` and `addMessage`. Appending a message
 * takes constant time; the frontier is only recomputed after a compression, a user's change, or a switch of branches.
 */
export class SessionState {
  id: SessionId | undefined;
  title = '';
  workspace = '';
  createdAt = 0;
  updatedAt = 0;
  archived = false;
  pinned = false;
  deleted = false;
  provider: string | undefined;
  model: string | undefined;
  policy: string | undefined;
  task: Task | undefined;
  escalation: 'token_overflow' | null = null;

  /** Whether the request is still too large after a compression; `escalation` is the reason. */
  get requiresEscalation(): boolean {
    return this.escalation !== null;
  }
  /** When the newest compression was committed, in milliseconds since the epoch; undefined if there is none. */
  lastCompressedAt: number | undefined;
  /** Increases when the ledger or the frontier may have changed. A prefix of the same revision is still valid. */
  prefixRevision = 0;
  /** Increases when the list of key events has changed. */
  ledgerRevision = 0;
  messagesEverAtLastCompression = 0;
  readonly counters: Counters = initialCounters();
  readonly messages: MessageLog;
  readonly endedTasks: Task[] = [];
  readonly compressions: CompressionEntry[] = [];
  readonly #branches: Branches;
  readonly #summaries = new Summaries();
  readonly summaries: SummaryFacts = this.#summaries;
  readonly nodes: ReadonlyMap<NodeId, SummaryNode> = this.#summaries.nodes;
  readonly levels: ReadonlyMap<NodeId, Level> = this.#summaries.levels;
  /** The user's changes to summaries and key events that can be undone, oldest first. */
  readonly changes: Change[] = [];
  /** Undone changes that can be redone; the last one is next. */
  readonly undoneChanges: Change[] = [];
  readonly #keyEvents = new KeyEventList();
  readonly events: ReadonlyMap<KeyEventId, KeyEvent> = this.#keyEvents.entries;
  readonly #replies = new Map<MessageId, PartialReply>();
  #hasOrphanedEvents = false;
  #cachedFrontier: readonly FrontierItem[] | undefined;
  /** Whether the frontier lacks a node only because it ends with the newest message; see `#awaitsReply`. */
  #opensNewest = false;

  /** `read` reads messages that were added without their content. */
  constructor(read?: ReadMessage) {
    this.messages = new MessageLog(read);
    this.#branches = new Branches(this.messages);
  }

  /** Message IDs of the active branch, oldest first, without deleted ones. */
  get path(): readonly MessageId[] {
    return this.#branches.path;
  }

  /** The newest message of the active branch, even if it's deleted; null if there is none. */
  get head(): MessageId | null {
    return this.#branches.head;
  }

  /** Nodes that the next compression rebuilds; see `Summaries.stale`. */
  get stale(): ReadonlySet<NodeId> {
    return this.#summaries.stale;
  }

  /** The nodes that replace messages of the active branch, oldest first. */
  get frontier(): readonly FrontierItem[] {
    if (!this.#cachedFrontier) {
      this.#cachedFrontier = this.#frontierOf(this.nodes);
      this.#opensNewest = [...this.nodes.values()].some((node) => this.#awaitsReply(node));
    }
    return this.#cachedFrontier;
  }

  /** The inputs of a request's prefix as if this compression were committed. */
  afterCompression(record: Pick<CompressionRecord, 'nodes' | 'levels' | 'events' | 'changes'>): PrefixFacts {
    const nodes = new Map(this.nodes);
    for (const node of record.nodes) nodes.set(node.id, node);
    const levels = new Map(this.levels);
    for (const { node, level } of record.levels) levels.set(node, level);
    const keyEvents = this.#keyEvents.after(record);
    const { messages } = this;
    return {
      frontier: this.#frontierOf(nodes),
      levels,
      events: keyEvents.entries,
      messages,
      positionOf: (message) => this.positionOf(message),
      isRemoved: (event) => keyEvents.isRemoved(event),
      isCurrent: (event) => keyEvents.isCurrent(event, this.#branchFilter()),
    };
  }

  #frontierOf(nodes: ReadonlyMap<NodeId, SummaryNode>): readonly FrontierItem[] {
    return chooseFrontier(
      nodes.values(),
      (node) =>
        this.#summaries.isReverted(node, nodes) ||
        this.#summaries.hasGap(node, this.#isOnBranch) ||
        this.#awaitsReply(nodes.get(node)),
      (message) => this.positionOf(message),
    );
  }

  /**
   * Whether a node ends with the newest message, and that's a user's, because the user requests another reply to it or
   * has deleted its reply. Then its messages are sent verbatim, because the model replies to that one. Without any
   * reply, all messages were to be summarized.
   */
  #awaitsReply(node: SummaryNode | undefined): boolean {
    const newest = this.path.at(-1);
    if (newest === undefined || node?.last !== newest || this.messages.place(newest)?.role !== 'user') return false;
    return this.childrenOf(newest).length > 0;
  }

  /** Replies that were streaming when the journal ended. Opening the session makes interrupted messages of them. */
  get partials(): readonly PartialReply[] {
    // A response without text contains only thinking.
    return [...this.#replies.values()].filter(({ text }) => text.trim() !== '');
  }

  positionOf(message: MessageId): number | undefined {
    return this.#branches.positionOf(message);
  }

  /** IDs of the messages with this parent. More than one means that branches start here. */
  childrenOf(message: MessageId | null): readonly MessageId[] {
    return this.#branches.childrenOf(message);
  }

  /** A message's parent or, if that's missing because its line is damaged, the message before the gap. */
  parentOf(message: MessageId): MessageId | null {
    return this.#branches.parentOf(message);
  }

  isDeleted(message: MessageId): boolean {
    return this.#branches.isDeleted(message);
  }

  /** Whether the node doesn't replace its messages; see `Summaries.isReverted`. */
  isReverted(node: NodeId): boolean {
    return this.#summaries.isReverted(node);
  }

  /** Positions of the messages that a node covers (0-based, inclusive); undefined if they aren't on the branch. */
  spanOf(id: NodeId): Pick<FrontierItem, 'from' | 'to'> | undefined {
    const node = this.nodes.get(id);
    const from = node && this.positionOf(node.first);
    const to = node && this.positionOf(node.last);
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  /** For each message of the active branch, whether the user has undone or expanded a node that covered it. */
  restoredMessages(): readonly boolean[] {
    const restored = this.path.map(() => false);
    for (const id of this.#summaries.reverted) {
      const span = this.spanOf(id);
      if (span) restored.fill(true, span.from, span.to + 1);
    }
    return restored;
  }

  isRemoved(event: KeyEventId): boolean {
    return this.#keyEvents.isRemoved(event);
  }

  /** Whether nothing on the active branch supersedes a key event. What did may be deleted or on another branch. */
  isCurrent(event: Pick<KeyEvent, 'status' | 'link'>): boolean {
    return this.#keyEvents.isCurrent(event, this.#branchFilter());
  }

  /** Messages of the active branch that no frontier node covers, with their positions, oldest first. */
  *uncompressed(from = 0): Generator<{ readonly message: Message; readonly position: number }> {
    let position = from;
    for (const item of [...this.frontier, undefined]) {
      const stop = item?.from ?? this.path.length;
      for (; position < stop; position++) {
        const message = this.messages.get(this.path[position]!);
        if (message) yield { message, position };
      }
      if (item) position = Math.max(position, item.to + 1);
    }
  }

  /** Number of messages of the active branch that are sent verbatim, including recent ones. */
  get uncompressedCount(): number {
    let covered = 0;
    for (const item of this.frontier) covered += item.to - item.from + 1;
    return this.path.length - covered;
  }

  /** Damage to the journal can leave a key event without its message. */
  #noticeOrphans(events: readonly KeyEvent[]): void {
    this.#hasOrphanedEvents ||= events.some(({ message }) => !this.messages.has(message));
  }

  /** Undefined if the messages of all key events are on the active branch. */
  #branchFilter(): ((message: MessageId) => boolean) | undefined {
    return this.path.length === this.messages.size && !this.#hasOrphanedEvents ? undefined : this.#isOnBranch;
  }

  readonly #isOnBranch = (message: MessageId): boolean => this.positionOf(message) !== undefined;

  apply(event: SessionEvent, at: number): void {
    this.updatedAt = Math.max(this.updatedAt, at);
    if (event.type === 'change_undone') {
      const [from, to] = event.undone ? [this.changes, this.undoneChanges] : [this.undoneChanges, this.changes];
      const change = from.pop();
      if (!change) return;
      to.push(change);
      this.#fold(event.undone ? change.inverse : change.event, at);
      return;
    }
    const inverse = isChange(event) ? inverseOf(this, event) : undefined;
    if (isChange(event) && inverse) {
      this.undoneChanges.length = 0;
      this.changes.push({ event, inverse, at });
      if (this.changes.length > MAX_CHANGES) this.changes.shift();
    }
    this.#fold(event, at);
  }

  #fold(event: Exclude<SessionEvent, { type: 'change_undone' }>, at: number): void {
    if (event.type === 'compressed' || isChange(event)) this.#prefixChanged();
    if (event.type === 'compressed' || event.type.startsWith('event_')) this.ledgerRevision++;
    switch (event.type) {
      case 'session_created':
        this.id = event.id;
        this.title = event.title;
        this.workspace = event.workspace;
        this.createdAt = at;
        return;
      case 'session_renamed':
      case 'session_moved':
      case 'session_archived':
      case 'session_pinned':
      case 'session_deleted':
      case 'model_selected':
      case 'policy_selected':
      case 'task_set': {
        // All fields but `type` are fields of this class.
        const { type, ...fields } = event;
        Object.assign(this, fields);
        return;
      }
      case 'message_added':
        return this.addMessage(event.message, event.message);
      case 'reply_partial': {
        const before = this.#replies.get(event.id)?.text ?? '';
        const { id, parent, model } = event;
        this.#replies.set(id, { id, parent, model, at, text: before.slice(0, event.offset) + event.text });
        return;
      }
      case 'head_moved':
        this.#branches.moveHead(event.to);
        return this.#prefixChanged();
      case 'message_deleted':
        this.#branches.setDeleted(event.id, event.deleted);
        return this.#prefixChanged();
      case 'task_step':
        if (this.task) {
          const steps = this.task.steps.map((s, i) => (i === event.step ? { ...s, status: event.status } : s));
          this.task = { ...this.task, steps };
        }
        return;
      case 'task_reset':
        if (this.task) this.endedTasks.push(endTask(this.task, at));
        this.task = undefined;
        return;
      case 'compressed':
        return this.#commit(event.compression, at);
      case 'node_undone':
        return this.#summaries.undo(event.node, event.undone);
      case 'node_expanded':
        return this.#summaries.expand(event.node, event.expanded);
      case 'compressions_undone':
        return this.#summaries.undoCompressions(event.compressions, event.undone);
      case 'node_level_set':
        return this.#summaries.setLevel(event.node, event.level);
      case 'node_replaced':
        this.#summaries.replace(event.node);
        if (event.level !== undefined) this.#summaries.setLevel(event.node.id, event.level);
        return;
      case 'node_checked':
        return this.#summaries.setCheck(event.node, event.check);
      case 'node_edited':
        return this.#summaries.edit(event.node, event.level, event.text, event.tokens);
      case 'event_added':
        this.#noticeOrphans([event.event]);
        return this.#keyEvents.add(event.event);
      case 'event_pinned':
        return this.#keyEvents.update(event.id, (known) => ({ ...known, pinned: event.pinned }));
      case 'event_removed':
        return this.#keyEvents.setRemoved(event.id, event.removed);
      case 'event_corrected':
        return this.#keyEvents.update(event.id, (known) => correctedEvent(known, event.correction));
      case 'usage_recorded': {
        const { purpose, usage, costUsd } = event;
        this.counters[`${purpose}Tokens`] += usage.input + usage.output;
        this.counters[`${purpose}CostUsd`] += costUsd ?? 0;
        return;
      }
      case 'escalation':
        this.escalation = event.reason;
        return;
    }
  }

  /** Adds a message. Without `message`, its content is read on first use. */
  addMessage(place: MessagePlace, message?: Message): void {
    this.#replies.delete(place.id);
    if (place.role === 'assistant' && this.#summaries.closeExpanded()) {
      // Nodes are only expanded until the next response, so expanding one can't be undone anymore.
      for (const list of [this.changes, this.undoneChanges])
        list.splice(0, list.length, ...list.filter(({ event }) => event.type !== 'node_expanded'));
      this.#prefixChanged();
    }
    const isNew = !this.messages.has(place.id);
    this.messages.add(place, message);
    if (isNew) this.counters.messagesEver++;
    if (!this.#branches.add(place, isNew) || (this.#opensNewest && this.#cachedFrontier)) this.#prefixChanged();
  }

  #prefixChanged(): void {
    this.#cachedFrontier = undefined;
    this.prefixRevision++;
  }

  #commit(record: CompressionRecord, at: number): void {
    this.#summaries.commit(record, ({ first, last }) => this.#branches.deletedBetween(first, last));
    this.#noticeOrphans(record.events);
    this.#keyEvents.commit(record);
    const { nodes, events: _events, changes: _changes, levels: _levels, ...entry } = record;
    this.compressions.push({ ...entry, at, nodes: nodes.map((node) => node.id) });
    this.counters.compressions++;
    this.lastCompressedAt = at;
    this.messagesEverAtLastCompression = this.counters.messagesEver;
  }
}
