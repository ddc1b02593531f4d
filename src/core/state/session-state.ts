import { correctedEvent } from '../events/correction.ts';
import type { CompressionRecord, SessionEvent, SessionEventType } from '../journal/event.ts';
import type { KeyEventId, MessageId, NodeId, SessionId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Message } from '../model/message.ts';
import type { Level, SummaryNode } from '../model/summary.ts';
import { endTask, type Task } from '../model/task.ts';
import { chooseFrontier, type FrontierItem } from './frontier.ts';

const CHANGES_PREFIX: ReadonlySet<SessionEventType> = new Set([
  'compressed',
  'node_undone',
  'node_edited',
  'event_added',
  'event_pinned',
  'event_removed',
  'event_corrected',
]);

const CHANGES_LEDGER: ReadonlySet<SessionEventType> = new Set([
  'compressed',
  'event_added',
  'event_pinned',
  'event_removed',
  'event_corrected',
]);

/** Sums over the session's life; they survive compression. Tokens, messages, US dollars. */
export interface Counters {
  messagesEver: number;
  compressions: number;
  tokensSaved: number;
  compressionTokens: number;
  compressionCostUsd: number;
  chatTokens: number;
  chatCostUsd: number;
}

/** A compression as the list of compressions shows it. */
export type CompressionEntry = Omit<CompressionRecord, 'nodes' | 'events' | 'changes' | 'levels'> & {
  readonly at: number;
  readonly nodes: readonly NodeId[];
  readonly keyEvents: number;
};

interface PartialReply {
  readonly id: MessageId;
  readonly parent: MessageId | null;
  readonly model: string;
  readonly text: string;
  readonly at: number;
}

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
  head: MessageId | null = null;
  task: Task | undefined;
  escalation: 'token_overflow' | null = null;
  /** Milliseconds since the epoch of the newest compression; undefined before the first. */
  lastCompressedAt: number | undefined;
  /** Grows whenever ledger or frontier may have changed: a prefix made at the same revision is still good. */
  prefixRevision = 0;
  /** Grows whenever the list of key events has changed. */
  ledgerRevision = 0;
  /** `counters.messagesEver` when the newest compression was committed. */
  messagesEverAtLastCompression = 0;
  readonly counters: Counters = {
    messagesEver: 0,
    compressions: 0,
    tokensSaved: 0,
    compressionTokens: 0,
    compressionCostUsd: 0,
    chatTokens: 0,
    chatCostUsd: 0,
  };
  readonly messages = new Map<MessageId, Message>();
  readonly nodes = new Map<NodeId, SummaryNode>();
  readonly levels = new Map<NodeId, Level>();
  readonly events = new Map<KeyEventId, KeyEvent>();
  readonly endedTasks: Task[] = [];
  readonly compressions: CompressionEntry[] = [];
  /** Ancestors of an edited node: rebuilt at the next compression. */
  readonly stale = new Set<NodeId>();
  readonly #deletedMessages = new Set<MessageId>();
  readonly #removedEvents = new Set<KeyEventId>();
  readonly #undone = new Set<NodeId>();
  readonly #partials = new Map<MessageId, PartialReply>();
  readonly #parents = new Map<NodeId, NodeId[]>();
  /** Messages that lay among those of a node and were deleted when it was made: it does not stand for them. */
  readonly #passedOver = new Map<NodeId, readonly MessageId[]>();
  readonly #children = new Map<MessageId | null, MessageId[]>();
  #path: MessageId[] = [];
  #position = new Map<MessageId, number>();
  #frontier: readonly FrontierItem[] | undefined;

  static fold(events: Iterable<{ readonly at: number; readonly body: SessionEvent }>): SessionState {
    const state = new SessionState();
    for (const { at, body } of events) state.apply(body, at);
    return state;
  }

  /** Message ids of the active branch, oldest first, without those that were deleted. */
  get path(): readonly MessageId[] {
    return this.#path;
  }

  /** The nodes that stand for messages of the active branch, oldest first. */
  get frontier(): readonly FrontierItem[] {
    this.#frontier ??= chooseFrontier(
      this.nodes.values(),
      (node) => this.isOpen(node) || this.#passedOver.get(node)?.some((id) => this.#position.has(id)) === true,
      (message) => this.#position.get(message),
    );
    return this.#frontier;
  }

  /** Replies whose text was arriving when the journal ends: they become interrupted messages on opening. */
  get partials(): readonly PartialReply[] {
    return [...this.#partials.values()];
  }

  positionOf(message: MessageId): number | undefined {
    return this.#position.get(message);
  }

  /** Ids of the messages whose parent is this one: more than one means that branches start here. */
  childrenOf(message: MessageId | null): readonly MessageId[] {
    return this.#children.get(message) ?? [];
  }

  isDeleted(message: MessageId): boolean {
    return this.#deletedMessages.has(message);
  }

  isUndone(node: NodeId): boolean {
    return this.#undone.has(node);
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

  /** True for a message that the user has opened by undoing the node that stood for it. */
  isHeldOpen(position: number): boolean {
    for (const id of this.#undone) {
      const node = this.nodes.get(id);
      const from = node && this.#position.get(node.first);
      const to = node && this.#position.get(node.last);
      if (from !== undefined && to !== undefined && from <= position && position <= to) return true;
    }
    return false;
  }

  isRemoved(event: KeyEventId): boolean {
    return this.#removedEvents.has(event);
  }

  /**
   * True for a key event that nothing has taken the place of on the active branch: what superseded or absorbed it may
   * have been said on another one, or have been deleted or struck out since.
   */
  isCurrent({ status, link }: Pick<KeyEvent, 'status' | 'link'>): boolean {
    if (status === 'active') return true;
    if (status === 'dropped' || link === undefined) return false;
    const other = this.events.get(link);
    return other !== undefined && (this.isRemoved(link) || !this.#position.has(other.message));
  }

  /** The active branch's messages that no frontier node covers, with their positions, oldest first. */
  *uncovered(from = 0): Generator<{ readonly message: Message; readonly position: number }> {
    let position = from;
    for (const item of [...this.frontier, undefined]) {
      const stop = item?.from ?? this.#path.length;
      for (; position < stop; position++) {
        const message = this.messages.get(this.#path[position]!);
        if (message) yield { message, position };
      }
      if (item) position = Math.max(position, item.to + 1);
    }
  }

  /** How many messages of the active branch stand word for word, the window's included. */
  get uncoveredCount(): number {
    let covered = 0;
    for (const item of this.frontier) covered += item.to - item.from + 1;
    return this.#path.length - covered;
  }

  apply(event: SessionEvent, at: number): void {
    this.updatedAt = Math.max(this.updatedAt, at);
    if (CHANGES_PREFIX.has(event.type)) this.prefixRevision++;
    if (CHANGES_LEDGER.has(event.type)) this.ledgerRevision++;
    switch (event.type) {
      case 'session_created':
        this.id = event.id;
        this.title = event.title;
        this.workspace = event.workspace;
        this.createdAt = at;
        return;
      case 'session_renamed':
        this.title = event.title;
        return;
      case 'session_archived':
        this.archived = event.archived;
        return;
      case 'session_pinned':
        this.pinned = event.pinned;
        return;
      case 'session_deleted':
        this.deleted = event.deleted;
        return;
      case 'model_selected':
        this.provider = event.provider;
        this.model = event.model;
        return;
      case 'policy_selected':
        this.policy = event.policy;
        return;
      case 'message_added':
        this.#addMessage(event.message);
        return;
      case 'reply_partial': {
        const before = this.#partials.get(event.id)?.text ?? '';
        const { id, parent, model } = event;
        this.#partials.set(id, { id, parent, model, at, text: before.slice(0, event.offset) + event.text });
        return;
      }
      case 'head_moved':
        this.#moveHead(event.to);
        return;
      case 'message_deleted':
        if (event.deleted) this.#deletedMessages.add(event.id);
        else this.#deletedMessages.delete(event.id);
        this.#moveHead(this.head);
        return;
      case 'task_set':
        this.task = event.task;
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
        if (event.undone) this.#undone.add(event.node);
        else this.#undone.delete(event.node);
        this.#frontier = undefined;
        return;
      case 'node_edited':
        this.#editNode(event.node, event.level, event.text, event.tokens);
        return;
      case 'event_added':
        this.events.set(event.event.id, event.event);
        return;
      case 'event_pinned': {
        const entry = this.events.get(event.id);
        if (entry) this.events.set(event.id, { ...entry, pinned: event.pinned });
        return;
      }
      case 'event_removed':
        if (event.removed) this.#removedEvents.add(event.id);
        else this.#removedEvents.delete(event.id);
        return;
      case 'event_corrected': {
        const entry = this.events.get(event.id);
        if (entry) this.events.set(event.id, correctedEvent(entry, event.correction));
        return;
      }
      case 'usage_recorded': {
        const tokens = event.usage.input + event.usage.output;
        if (event.purpose === 'chat') {
          this.counters.chatTokens += tokens;
          this.counters.chatCostUsd += event.costUsd ?? 0;
        } else {
          this.counters.compressionTokens += tokens;
          this.counters.compressionCostUsd += event.costUsd ?? 0;
        }
        return;
      }
      case 'escalation':
        this.escalation = event.reason;
        return;
    }
  }

  #addMessage(message: Message): void {
    this.#partials.delete(message.id);
    const known = this.messages.has(message.id);
    this.messages.set(message.id, message);
    if (!known) {
      this.counters.messagesEver++;
      const siblings = this.#children.get(message.parent);
      if (siblings) siblings.push(message.id);
      else this.#children.set(message.parent, [message.id]);
    }
    if (message.parent === this.head && !known) {
      this.head = message.id;
      this.#position.set(message.id, this.#path.length);
      this.#path.push(message.id);
    } else {
      this.#moveHead(message.id);
    }
  }

  #moveHead(to: MessageId | null): void {
    const path: MessageId[] = [];
    const seen = new Set<MessageId>();
    // A parent that is missing, or a circle made by damage, ends the branch there.
    for (let at = to; at !== null && !seen.has(at);) {
      const message = this.messages.get(at);
      if (!message) break;
      seen.add(at);
      if (!this.#deletedMessages.has(at)) path.push(at);
      at = message.parent;
    }
    this.head = to !== null && this.messages.has(to) ? to : null;
    this.#path = path.reverse();
    this.#position = new Map(this.#path.map((id, position) => [id, position]));
    this.#frontier = undefined;
    this.prefixRevision++;
  }

  #commit(record: CompressionRecord, at: number): void {
    const { nodes, events, changes, levels, ...entry } = record;
    for (const node of nodes) {
      this.nodes.set(node.id, node);
      const passedOver = this.#deletedAmong(node);
      if (passedOver.length > 0) this.#passedOver.set(node.id, passedOver);
      for (const child of node.children) {
        const parents = this.#parents.get(child);
        if (parents) parents.push(node.id);
        else this.#parents.set(child, [node.id]);
        this.stale.delete(child);
      }
    }
    for (const { node, level } of levels) this.levels.set(node, level);
    for (const event of events) {
      const known = this.events.get(event.id);
      // What the user has pinned or corrected while it was being found stays so.
      const entry = { ...event, pinned: event.pinned || known?.pinned === true };
      this.events.set(event.id, known?.found ? correctedEvent(entry, known) : entry);
    }
    for (const { id, status, link } of changes) {
      const known = this.events.get(id);
      if (known) this.events.set(id, { ...known, status, ...(link && { link }) });
    }
    this.compressions.push({ ...entry, at, nodes: nodes.map((node) => node.id), keyEvents: events.length });
    this.counters.compressions++;
    this.counters.tokensSaved += Math.max(0, record.tokens.before - record.tokens.after);
    this.lastCompressedAt = at;
    this.messagesEverAtLastCompression = this.counters.messagesEver;
    this.#frontier = undefined;
  }

  #deletedAmong({ first, last }: SummaryNode): MessageId[] {
    const found: MessageId[] = [];
    if (this.#deletedMessages.size === 0 || !this.#position.has(first)) return found;
    for (let at: MessageId | null = last; at !== null && at !== first;) {
      if (this.#deletedMessages.has(at)) found.push(at);
      at = this.messages.get(at)?.parent ?? null;
    }
    return found;
  }

  #editNode(id: NodeId, level: Level, text: string, tokens: number): void {
    const node = this.nodes.get(id);
    if (!node) return;
    this.nodes.set(id, { ...node, [level]: text, tokens: { ...node.tokens, [level]: tokens }, rung: 'edited' });
    const open = [...(this.#parents.get(id) ?? [])];
    for (let ancestor = open.pop(); ancestor !== undefined; ancestor = open.pop()) {
      if (this.stale.has(ancestor)) continue;
      this.stale.add(ancestor);
      open.push(...(this.#parents.get(ancestor) ?? []));
    }
    this.#frontier = undefined;
  }
}
