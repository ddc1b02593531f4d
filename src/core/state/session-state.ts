import type { CompressionRecord, SessionEvent } from '../journal/schema.ts';
import type { KeyEventId, MessageId, NodeId, SessionId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Message } from '../model/message.ts';
import type { Level, SummaryNode } from '../model/summary.ts';
import { endTask, type Task } from '../model/task.ts';
import { Branches, MessageLog, type MessagePlace, type ReadMessage } from './branches.ts';
import { inverseOf, isChange, type Change } from './changes.ts';
import { countCompression, countUsage, noCounts, type CompressionEntry, type Counters } from './counters.ts';
import { chooseFrontier, type FrontierItem } from './frontier.ts';
import { KeyEventList } from './key-event-list.ts';
import { Summaries, type SummaryFacts } from './summaries.ts';

type PartialReply = Omit<Extract<SessionEvent, { type: 'reply_partial' }>, 'type' | 'offset'> & { readonly at: number };

/** What the front of a request is made from: summaries and key events, and where their messages stand. */
export type FrontFacts = Pick<
  SessionState,
  'frontier' | 'levels' | 'events' | 'messages' | 'positionOf' | 'isRemoved' | 'isCurrent'
>;

/** So many changes can be taken back, the newest first. */
const MAX_CHANGES = 200;

/**
 * A session as the fold of its journal. `apply` is the only way it changes; appending a message costs the same at any
 * length, and the frontier is worked out anew only after a compression, an undo or a change of branch.
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

  /** The request is still too large after a compression; `escalation` is the reason. */
  get requiresEscalation(): boolean {
    return this.escalation !== null;
  }
  /** Milliseconds since the epoch of the newest compression; undefined before the first. */
  lastCompressedAt: number | undefined;
  /** Grows whenever ledger or frontier may have changed: a prefix made at the same revision is still good. */
  prefixRevision = 0;
  /** Grows whenever the list of key events has changed. */
  ledgerRevision = 0;
  /** `counters.messagesEver` when the newest compression was committed. */
  messagesEverAtLastCompression = 0;
  readonly counters: Counters = noCounts();
  readonly messages: MessageLog;
  readonly endedTasks: Task[] = [];
  readonly compressions: CompressionEntry[] = [];
  readonly #branches: Branches;
  readonly #summaries = new Summaries();
  readonly summaries: SummaryFacts = this.#summaries;
  readonly nodes: ReadonlyMap<NodeId, SummaryNode> = this.#summaries.nodes;
  readonly levels: ReadonlyMap<NodeId, Level> = this.#summaries.levels;
  /** Nodes that were made from summaries which have been changed since: rebuilt at the next compression. */
  readonly stale: ReadonlySet<NodeId> = this.#summaries.stale;
  /** What the user has changed in summaries and key events and can take back, oldest first. */
  readonly changes: Change[] = [];
  /** What the user has taken back and can do again; the last one is the next. */
  readonly undoneChanges: Change[] = [];
  readonly #keyEvents = new KeyEventList();
  readonly events: ReadonlyMap<KeyEventId, KeyEvent> = this.#keyEvents.entries;
  readonly #replies = new Map<MessageId, PartialReply>();
  #hasStrays = false;
  #nodesNow: readonly FrontierItem[] | undefined;

  /** `read` reads the messages that are taken in by `place`. */
  constructor(read?: ReadMessage) {
    this.messages = new MessageLog(read);
    this.#branches = new Branches(this.messages);
  }

  /** Message ids of the active branch, oldest first, without those that were deleted. */
  get path(): readonly MessageId[] {
    return this.#branches.path;
  }

  /** The newest message of the active branch, deleted or not; null before the first. */
  get head(): MessageId | null {
    return this.#branches.head;
  }

  /** The nodes that stand for messages of the active branch, oldest first. */
  get frontier(): readonly FrontierItem[] {
    this.#nodesNow ??= this.#frontierOf(this.nodes);
    return this.#nodesNow;
  }

  /** What the front of a request would be made from, were this compression committed to the session as it is. */
  afterCompression(record: Pick<CompressionRecord, 'nodes' | 'levels' | 'events' | 'changes'>): FrontFacts {
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
      isCurrent: (event) => keyEvents.isCurrent(event, this.#whereBranched()),
    };
  }

  #frontierOf(nodes: ReadonlyMap<NodeId, SummaryNode>): readonly FrontierItem[] {
    return chooseFrontier(
      nodes.values(),
      (node) => this.#summaries.isOpen(node, nodes) || this.#summaries.hasGap(node, this.#isOnBranch),
      (message) => this.positionOf(message),
    );
  }

  /** Replies whose text was arriving when the journal ends: they become interrupted messages on opening. */
  get partials(): readonly PartialReply[] {
    // All that had come of one without text was thinking.
    return [...this.#replies.values()].filter(({ text }) => text.trim() !== '');
  }

  positionOf(message: MessageId): number | undefined {
    return this.#branches.positionOf(message);
  }

  /** Ids of the messages whose parent is this one: more than one means that branches start here. */
  childrenOf(message: MessageId | null): readonly MessageId[] {
    return this.#branches.childrenOf(message);
  }

  isDeleted(message: MessageId): boolean {
    return this.#branches.isDeleted(message);
  }

  /** True when the node does not stand for its messages: it, or a node below it, was undone or expanded. */
  isOpen(node: NodeId): boolean {
    return this.#summaries.isOpen(node);
  }

  /** Positions of the messages that a node stands for, from 0, both included; undefined where the branch has them not. */
  spanOf(id: NodeId): Pick<FrontierItem, 'from' | 'to'> | undefined {
    const node = this.nodes.get(id);
    const from = node && this.positionOf(node.first);
    const to = node && this.positionOf(node.last);
    return from === undefined || to === undefined ? undefined : { from, to };
  }

  /** For each message of the active branch whether the user has opened it by undoing the node that stood for it. */
  heldOpen(): readonly boolean[] {
    const edges = new Int32Array(this.path.length + 1);
    for (const id of this.#summaries.opened) {
      const span = this.spanOf(id);
      if (!span || span.from > span.to) continue;
      edges[span.from]!++;
      edges[span.to + 1]!--;
    }
    let spans = 0;
    return this.path.map((_, position) => (spans += edges[position]!) > 0);
  }

  isRemoved(event: KeyEventId): boolean {
    return this.#keyEvents.isRemoved(event);
  }

  /**
   * True for a key event that nothing has taken the place of on the active branch: what superseded or absorbed it may
   * have been said on another one, or have been deleted or struck out since.
   */
  isCurrent(event: Pick<KeyEvent, 'status' | 'link'>): boolean {
    return this.#keyEvents.isCurrent(event, this.#whereBranched());
  }

  /** The active branch's messages that no frontier node covers, with their positions, oldest first. */
  *uncovered(from = 0): Generator<{ readonly message: Message; readonly position: number }> {
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

  /** How many messages of the active branch stand word for word, the window's included. */
  get uncoveredCount(): number {
    let covered = 0;
    for (const item of this.frontier) covered += item.to - item.from + 1;
    return this.path.length - covered;
  }

  /** Damage can leave a key event without its message. */
  #noticeStrays(events: readonly KeyEvent[]): void {
    this.#hasStrays ||= events.some(({ message }) => !this.messages.has(message));
  }

  /** Undefined where every key event's message is on the active branch, and need not be looked for. */
  #whereBranched(): ((message: MessageId) => boolean) | undefined {
    return this.path.length === this.messages.size && !this.#hasStrays ? undefined : this.#isOnBranch;
  }

  readonly #isOnBranch = (message: MessageId): boolean => this.positionOf(message) !== undefined;

  static fold(events: Iterable<{ readonly at: number; readonly body: SessionEvent }>): SessionState {
    const state = new SessionState();
    for (const { at, body } of events) state.apply(body, at);
    return state;
  }

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
    if (event.type === 'compressed' || isChange(event)) this.#frontChanged();
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
        // Each of these has the fields that it sets.
        const { type, ...fields } = event;
        Object.assign(this, fields);
        return;
      }
      case 'message_added':
        this.place(event.message, event.message);
        return;
      case 'reply_partial': {
        const before = this.#replies.get(event.id)?.text ?? '';
        const { id, parent, model } = event;
        this.#replies.set(id, { id, parent, model, at, text: before.slice(0, event.offset) + event.text });
        return;
      }
      case 'head_moved':
        this.#branches.moveHead(event.to);
        this.#frontChanged();
        return;
      case 'message_deleted':
        this.#branches.setDeleted(event.id, event.deleted);
        this.#frontChanged();
        return;
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
        this.#commit(event.compression, at);
        return;
      case 'node_undone':
        this.#summaries.undo(event.node, event.undone);
        return;
      case 'node_expanded':
        this.#summaries.expand(event.node, event.expanded);
        return;
      case 'compressions_undone':
        this.#summaries.undoCompressions(event.compressions, event.undone);
        return;
      case 'node_level_set':
        this.#summaries.setLevel(event.node, event.level);
        return;
      case 'node_replaced':
        this.#summaries.replace(event.node);
        if (event.level !== undefined) this.#summaries.setLevel(event.node.id, event.level);
        return;
      case 'node_checked':
        this.#summaries.note(event.node, event.check);
        return;
      case 'node_edited':
        this.#summaries.edit(event.node, event.level, event.text, event.tokens);
        return;
      case 'event_added':
        this.#noticeStrays([event.event]);
        this.#keyEvents.add(event.event);
        return;
      case 'event_pinned':
        this.#keyEvents.pin(event.id, event.pinned);
        return;
      case 'event_removed':
        this.#keyEvents.setRemoved(event.id, event.removed);
        return;
      case 'event_corrected':
        this.#keyEvents.correct(event.id, event.correction);
        return;
      case 'usage_recorded':
        countUsage(this.counters, event);
        return;
      case 'escalation':
        this.escalation = event.reason;
        return;
    }
  }

  /** Takes in a message; without `message` one that `apply` has seen in another state, to be read when it is asked for. */
  place(place: MessagePlace, message?: Message): void {
    this.#replies.delete(place.id);
    if (place.role === 'assistant' && this.#summaries.closeExpanded()) {
      // What held for one turn is over: there is nothing to take back.
      for (const list of [this.changes, this.undoneChanges])
        list.splice(0, list.length, ...list.filter(({ event }) => event.type !== 'node_expanded'));
      this.#frontChanged();
    }
    const isNew = !this.messages.has(place.id);
    this.messages.add(place, message);
    if (isNew) this.counters.messagesEver++;
    if (!this.#branches.add(place, isNew)) this.#frontChanged();
  }

  #frontChanged(): void {
    this.#nodesNow = undefined;
    this.prefixRevision++;
  }

  #commit(record: CompressionRecord, at: number): void {
    this.#summaries.commit(record, ({ first, last }) => this.#branches.deletedBetween(first, last));
    this.#noticeStrays(record.events);
    this.#keyEvents.commit(record);
    this.compressions.push(countCompression(this.counters, record, at));
    this.lastCompressedAt = at;
    this.messagesEverAtLastCompression = this.counters.messagesEver;
  }
}
