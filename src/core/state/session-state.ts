import type { CompressionRecord, SessionEvent, SessionEventType } from '../journal/schema.ts';
import type { Message } from '../model/message.ts';
import { endTask } from '../model/task.ts';
import { CHANGES, inverseOf, isChange } from './changes.ts';
import { countCompression, countUsage, type Spent } from './counters.ts';
import type { MessagePlace } from './message-log.ts';
import { SessionFacts } from './session-facts.ts';

const CHANGES_PREFIX: ReadonlySet<SessionEventType> = new Set(['compressed', ...CHANGES]);

const CHANGES_LEDGER: ReadonlySet<SessionEventType> = new Set([
  'compressed',
  'event_added',
  'event_pinned',
  'event_removed',
  'event_corrected',
]);

/**
 * A session as the fold of its journal. `apply` is the only way it changes; appending a message costs the same at any
 * length, and the frontier is worked out anew only after a compression, an undo or a change of branch.
 */
export class SessionState extends SessionFacts {
  static fold(events: Iterable<{ readonly at: number; readonly body: SessionEvent }>): SessionState {
    const state = new SessionState();
    for (const { at, body } of events) state.apply(body, at);
    return state;
  }

  apply(event: SessionEvent, at: number): void {
    this.updatedAt = Math.max(this.updatedAt, at);
    if (event.type === 'change_undone') {
      const step = this.history.step(event.undone);
      if (step) this.#fold(step, at);
      return;
    }
    const inverse = isChange(event) ? inverseOf(this, event) : undefined;
    if (isChange(event) && inverse) this.history.record({ event, inverse, at });
    this.#fold(event, at);
  }

  #fold(event: Exclude<SessionEvent, { type: 'change_undone' }>, at: number): void {
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
      case 'session_moved':
        this.workspace = event.workspace;
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
        this.#add(event.message, event.message);
        return;
      case 'reply_partial': {
        const before = this.replies.get(event.id)?.text ?? '';
        const { id, parent, model } = event;
        this.replies.set(id, { id, parent, model, at, text: before.slice(0, event.offset) + event.text });
        return;
      }
      case 'head_moved':
        this.branches.moveHead(event.to);
        this.#branchChanged();
        return;
      case 'message_deleted':
        this.branches.setDeleted(event.id, event.deleted);
        this.#branchChanged();
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
        this.summaries.undo(event.node, event.undone);
        this.nodesNow = undefined;
        return;
      case 'node_expanded':
        this.summaries.expand(event.node, event.expanded);
        this.nodesNow = undefined;
        return;
      case 'compressions_undone':
        this.summaries.undoCompressions(event.compressions, event.undone);
        this.nodesNow = undefined;
        return;
      case 'node_level_set':
        this.summaries.setLevel(event.node, event.level);
        return;
      case 'node_replaced':
        this.summaries.replace(event.node);
        if (event.level !== undefined) this.summaries.setLevel(event.node.id, event.level);
        this.nodesNow = undefined;
        return;
      case 'node_checked':
        this.summaries.note(event.node, event.check);
        return;
      case 'node_edited':
        this.summaries.edit(event.node, event.level, event.text, event.tokens);
        this.nodesNow = undefined;
        return;
      case 'event_added':
        this.noticeStrays([event.event]);
        this.keyEvents.add(event.event);
        return;
      case 'event_pinned':
        this.keyEvents.pin(event.id, event.pinned);
        return;
      case 'event_removed':
        this.keyEvents.setRemoved(event.id, event.removed);
        return;
      case 'event_corrected':
        this.keyEvents.correct(event.id, event.correction);
        return;
      case 'usage_recorded':
        countUsage(this.counters, event);
        return;
      case 'escalation':
        this.escalation = event.reason;
        return;
    }
  }

  /** Takes in a message that `apply` has seen in another state: its text is read when it is asked for. */
  place(message: MessagePlace): void {
    this.#add(message);
  }

  /** Sets what is summed up over the session's life, where events were left out because their sums are known. */
  resume(updatedAt: number, spent: Spent): void {
    this.updatedAt = updatedAt;
    Object.assign(this.counters, spent);
  }

  #add(place: MessagePlace, message?: Message): void {
    this.replies.delete(place.id);
    if (place.role === 'assistant' && this.summaries.closeExpanded()) {
      this.history.forgetExpanded();
      this.#branchChanged();
    }
    const isNew = !this.messages.has(place.id);
    this.messages.add(place, message);
    if (isNew) this.counters.messagesEver++;
    if (!this.branches.add(place, isNew)) this.#branchChanged();
  }

  #branchChanged(): void {
    this.nodesNow = undefined;
    this.prefixRevision++;
  }

  #commit(record: CompressionRecord, at: number): void {
    this.summaries.commit(record, ({ first, last }) => this.branches.deletedBetween(first, last));
    this.noticeStrays(record.events);
    this.keyEvents.commit(record);
    this.compressions.push(countCompression(this.counters, record, at));
    this.lastCompressedAt = at;
    this.messagesEverAtLastCompression = this.counters.messagesEver;
    this.nodesNow = undefined;
  }
}
