import type { Context } from '../core/context/assemble.ts';
import type { Recalled } from '../core/context/render.ts';
import type { CompressionRecord } from '../core/journal/schema.ts';
import { taskId, type MessageId, type NodeId } from '../core/model/ids.ts';
import { messageText, type Attachment, type ImageBlock, type Usage } from '../core/model/message.ts';
import type { Step } from '../core/model/task.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { Calibration } from '../core/tokens/calibration.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { Distance } from '../core/policy/triggers.ts';
import { CompressionTriggers } from './compression-triggers.ts';
import type { CompressionOutcome } from './compression-job.ts';
import type { Compressor } from './compressor.ts';
import { ContextMeter } from './context-meter.ts';
import type { ConversationUpdate, Waiting } from './conversation-update.ts';
import { Emitter, type Disposable } from './emitter.ts';
import type { ChatModel, Clock, CountStore, Log, SessionJournal } from './ports.ts';
import { recoverReplies, recoverWhenTakenOver } from './reply-stream.ts';
import { previewSend, type SendPreview } from './send-preview.ts';
import { SendQueue } from './send-queue.ts';
import type { ConversationSettings } from './settings.ts';
import { isOver, startStep, takeReport } from './tick-steps.ts';
import { TurnRunning } from './turn-refused.ts';
import { TurnRunner } from './turn-runner.ts';
import { changedMessage, userMessageEvents, type UserMessage } from './user-message.ts';

export interface ConversationDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly counter: TokenCounter;
  readonly countStore: CountStore;
  readonly compressor: Compressor;
  readonly settings: () => ConversationSettings;
  /** Throws `ModelFault` when the chosen model cannot be had (no key). */
  readonly chatModel: () => Promise<ChatModel>;
  /** Corrects counts by what the chosen model's provider reports; undefined where our own count is the exact one. */
  readonly calibration: () => Calibration | undefined;
  /** Money of a call in US dollars; null when the price is not known. */
  readonly price: (model: string, usage: Usage) => number | null;
  /** Excerpts of compressed history that match a text, within a number of tokens. */
  readonly recall: (text: string, budgetTokens: number) => Promise<readonly Recalled[]>;
}

/**
 * One session's turns: append, assemble, stream, journal; triggers are checked between turns.
 * It outlives the panel that shows it.
 */
export class Conversation {
  /** What would be sent, and how much of it fits. */
  readonly meter: ContextMeter;
  /** What was written while a reply arrives. */
  readonly queue: SendQueue;
  readonly #deps: ConversationDeps;
  readonly #triggers: CompressionTriggers;
  readonly #turns: TurnRunner;
  readonly #updates: Emitter<ConversationUpdate>;
  #resetWaiting = false;
  /** The task's goal was reported as reached; with the next message it is over. */
  #isGoalReached = false;
  #closed = false;
  #halting = false;
  #importing = false;
  #waiting: Waiting | null = null;
  #thinkingSince: number | null = null;

  constructor({ settings, calibration, ...others }: ConversationDeps) {
    const deps = {
      ...others,
      // A turn acts on the settings that it began with, and learns of the model that it asked.
      settings: () => this.#turns.settings ?? settings(),
      calibration: () => (this.#turns.asked ? this.#turns.asked.calibration : calibration()),
    };
    this.#deps = deps;
    this.meter = new ContextMeter(deps);
    this.#updates = new Emitter((error) => {
      deps.log.warn(`Session ${deps.journal.id}: a listener failed: ${String(error)}`);
    });
    const onUpdate = (update: ConversationUpdate): void => {
      if (update.type === 'turn_ended') this.#waiting = null;
      if (update.type === 'reply_thinking') this.#thinkingSince ??= deps.clock.now();
      else if (update.type === 'reply_text' || update.type === 'turn_ended') this.#thinkingSince = null;
      this.#updates.emit(update);
    };
    this.#triggers = new CompressionTriggers({
      ...deps,
      meter: this.meter,
      isReplying: () => this.isReplying,
      isEnding: () => this.#closed || this.#halting,
    });
    this.#turns = new TurnRunner({
      ...deps,
      meter: this.meter,
      triggers: this.#triggers,
      onUpdate,
      afterTurn: (reply) => this.#afterTurn(reply),
    });
    this.queue = new SendQueue({
      newId: () => deps.clock.id(),
      send: ({ text, attachments, images, pasted }) => this.send(text, attachments, images, pasted),
      said: () => this.state.counters.messagesEver,
      isReplying: () => this.isReplying,
      stop: () => this.stop(),
      changed: () => this.#updates.emit({ type: 'queue_changed' }),
    });
    recoverWhenTakenOver(deps, () => this.isReplying);
  }

  get state(): SessionState {
    return this.#deps.journal.state;
  }

  get journal(): SessionJournal {
    return this.#deps.journal;
  }

  get counts(): MessageCounts {
    return this.meter.counts;
  }

  get counter(): TokenCounter {
    return this.#deps.counter;
  }

  get compressor(): Compressor {
    return this.#deps.compressor;
  }

  /** When the next try starts, while the provider has asked for patience. */
  get waiting(): Waiting | null {
    return this.#waiting;
  }

  /** When the model began to think, in ms since the epoch; null once it writes. */
  get thinkingSince(): number | null {
    return this.#thinkingSince;
  }

  settings(): ConversationSettings {
    return this.#deps.settings();
  }

  /** Called by the adapter that retries. */
  setWaiting(waiting: Waiting | null): void {
    this.#waiting = waiting;
    this.#updates.emit({ type: 'waiting', until: waiting?.until ?? null });
  }

  /** Resolves when no turn runs and what was compressed in the background is committed or dropped. */
  async settled(): Promise<void> {
    await this.#turns.ended;
    await this.compressor.settled();
    await this.#triggers.settled();
  }

  /** Stops what runs, so that another window can go on; what has arrived of a reply is kept. */
  async halt(): Promise<void> {
    this.#halting = true;
    try {
      this.stop();
      this.compressor.cancel();
      await this.settled();
    } finally {
      this.#halting = false;
    }
  }

  /** Stops what runs and releases the journal; what has arrived of a reply is kept. */
  async close(): Promise<void> {
    this.#closed = true;
    try {
      await this.halt();
      await this.meter.save();
    } finally {
      await this.journal.close();
    }
  }

  get isReplying(): boolean {
    return this.#turns.isReplying;
  }

  onUpdate(listener: (update: ConversationUpdate) => void): Disposable {
    return this.#updates.on(listener);
  }

  /** Tokens a request may take, in counted tokens. */
  budget(): number {
    return this.meter.budget();
  }

  /** What would be sent now. Costs in proportion to what is sent. */
  context(recalled: readonly Recalled[] = []): Context {
    return this.meter.context(recalled);
  }

  /** Makes the session ready: counts are read or made, replies that were cut off become messages. Yields as it goes. */
  async prepare(): Promise<void> {
    await this.meter.load();
    await recoverReplies(this.journal);
  }

  /** What is left before the session is compressed in the background; undefined when the policy is off. */
  compressesIn(): Distance | undefined {
    return this.#triggers.ahead();
  }

  /** Takes in messages in bulk; triggers look at them after the next turn. */
  async import<T>(append: () => Promise<T>): Promise<T> {
    this.#importing = true;
    try {
      const result = await append();
      await this.meter.countNew();
      return result;
    } finally {
      this.#importing = false;
    }
  }

  /**
   * Sends a message and resolves when the turn has ended. The message is on disk before the request leaves.
   * Rejects with `TurnRunning`, `ContextOverflow`, `StoreFault` (nothing was sent) or `ModelFault` (the message is
   * kept, and so is what came of the reply).
   */
  async send(
    text: string,
    attachments: readonly Attachment[] = [],
    images: readonly ImageBlock[] = [],
    pasted: readonly string[] = [],
  ): Promise<void> {
    await this.#turns.run(async (signal) => {
      const { clock, settings } = this.#deps;
      if (settings().resetFinishedTask && (this.#isGoalReached || isOver(this.state.task)))
        await this.#reset(true, signal);
      await this.journal.append(...userMessageEvents({ text, attachments, images, pasted }, this.state, clock));
      await this.#startStep();
      return text;
    });
  }

  /** Asks again for a reply to the newest user message on the branch that ends at `at`. */
  async retry(at: MessageId): Promise<void> {
    await this.#turns.run(async () => {
      await this.journal.append({ type: 'head_moved', to: at });
      const message = this.state.messages.get(at);
      return message ? messageText(message) : '';
    });
  }

  /** Sends a changed text in place of an earlier message: a new branch; the old one stays. */
  async editAndResend(of: MessageId, text: string): Promise<void> {
    const original = this.state.messages.get(of);
    if (!original) return;
    await this.#turns.run(async () => {
      await this.journal.append({ type: 'message_added', message: changedMessage(original, text, this.#deps.clock) });
      return text;
    });
  }

  /** Ends the reply that is arriving; what has come is kept. */
  stop(): void {
    this.#turns.stop();
  }

  async setTask(goal: string, steps: readonly Step[]): Promise<void> {
    this.#isGoalReached = false;
    await this.journal.append({ type: 'task_set', task: { id: taskId(this.#deps.clock.id()), goal, steps } });
  }

  /** Makes the branch that ends at `to` the active one. Rejects with `TurnRunning` while a reply arrives. */
  async moveHead(to: MessageId): Promise<void> {
    if (this.isReplying) throw new TurnRunning();
    await this.journal.append({ type: 'head_moved', to });
  }

  async deleteMessage(id: MessageId, deleted: boolean): Promise<void> {
    await this.journal.append({ type: 'message_deleted', id, deleted });
  }

  /** Takes summaries out of the context, so that what they stood for is sent word for word; or puts them back. */
  async undoNodes(nodes: readonly NodeId[], undone: boolean): Promise<void> {
    await this.journal.append(...nodes.map((node) => ({ type: 'node_undone', node, undone }) as const));
  }

  /** The model that would answer now. Rejects with `ModelFault` when it cannot be had. */
  chatModel(): Promise<ChatModel> {
    return this.#deps.chatModel();
  }

  /** What would be sent if this were sent now. Nothing is kept of it, and no model is asked. */
  async previewSend(draft: UserMessage): Promise<SendPreview> {
    return previewSend({ ...this.#deps, meter: this.meter, triggers: this.#triggers }, draft);
  }

  /** What a compression would commit now; undefined when there is nothing to compress. */
  async previewCompression(): Promise<CompressionRecord | undefined> {
    return this.compressor.preview(this.#triggers.request({ trigger: 'command', threshold: 0 }, 'now'));
  }

  /**
   * Ends the task and compresses when that is due. While a reply arrives it waits for the turn's end and says so.
   * A compression that fails is logged and does not stop the reset.
   */
  async resetTask(): Promise<void> {
    if (this.isReplying) {
      this.#resetWaiting = true;
      this.#updates.emit({ type: 'reset_waiting' });
      return;
    }
    await this.#reset(false);
  }

  /** Compresses what lies before the window, now; the command's way. */
  async compressNow(): Promise<CompressionOutcome> {
    return this.#triggers.compress({ trigger: 'command', threshold: 0 }, 'now');
  }

  /** Called when a compression that ran during a turn may be committed, and at start-up. */
  async betweenTurns(): Promise<void> {
    if (this.isReplying || this.#closed || this.#halting || this.#importing || this.journal.readOnly !== undefined)
      return;
    await this.#triggers.betweenTurns();
  }

  async #reset(automatic: boolean, signal?: AbortSignal): Promise<void> {
    await this.#triggers.atReset(signal);
    await this.journal.append({ type: 'task_reset', automatic });
    this.#isGoalReached = false;
    this.#deps.log.event('task_reset_preserving_conversation', {
      session_id: this.journal.id,
      automatic,
      message_count: this.state.path.length,
      uncompressed_messages: this.state.uncoveredCount,
    });
  }

  async #startStep(): Promise<void> {
    const { journal } = this;
    await startStep({ state: journal.state, append: (...events) => journal.append(...events) });
  }

  async #afterTurn(reply: MessageId | undefined): Promise<void> {
    try {
      if (reply !== undefined) this.#isGoalReached = await takeReport(this.journal, reply);
      if (this.#resetWaiting) {
        this.#resetWaiting = false;
        await this.#reset(false);
      }
      await this.betweenTurns();
    } catch (error) {
      this.#deps.log.warn(`Session ${this.journal.id}: background work after a turn failed: ${String(error)}`);
    }
    const ending = reply === undefined ? undefined : this.state.messages.get(reply)?.ending;
    if (this.#closed || this.#halting) this.queue.hold();
    else this.queue.turnEnded(ending === 'complete' || ending === 'length');
  }
}
