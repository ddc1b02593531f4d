import type { Context } from '../core/context/assemble.ts';
import type { Recalled } from '../core/context/render.ts';
import type { CompressionRecord, SessionEvent } from '../core/journal/event.ts';
import { messageId, taskId, type MessageId, type NodeId } from '../core/model/ids.ts';
import { messageText, type Attachment, type ImageBlock, type Message, type Usage } from '../core/model/message.ts';
import { isFinished, type Step } from '../core/model/task.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { Calibration } from '../core/tokens/calibration.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { Distance } from '../core/policy/triggers.ts';
import { CompressionTriggers } from './compression-triggers.ts';
import type { CompressionOutcome, Compressor } from './compressor.ts';
import { ContextMeter } from './context-meter.ts';
import type { ConversationUpdate, Waiting } from './conversation-update.ts';
import { Emitter, type Disposable } from './emitter.ts';
import { ModelFault } from './fault.ts';
import type { ChatModel, Clock, CountStore, Log, SessionJournal } from './ports.ts';
import { recoverReplies, streamReply, type ReplyDeps } from './reply-stream.ts';
import { previewSend, recallWithin, type SendPreview, type UnsentMessage } from './send-preview.ts';
import type { ConversationSettings } from './settings.ts';
import { tickReportedSteps } from './tick-steps.ts';
import { titleFrom } from './title.ts';
import { ContextOverflow, TurnRunning } from './turn-refused.ts';

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
  readonly #deps: ConversationDeps;
  readonly #replies: ReplyDeps;
  readonly #triggers: CompressionTriggers;
  readonly #updates: Emitter<ConversationUpdate>;
  #turn: AbortController | undefined;
  /** The reply that was begun last in this turn. */
  #begun: MessageId | undefined;
  #resetWaiting = false;
  #closed = false;
  #halting = false;
  #importing = false;
  #waiting: Waiting | null = null;
  #turnEnd: Promise<unknown> = Promise.resolve();

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.meter = new ContextMeter(deps);
    this.#updates = new Emitter((error) => {
      deps.log.warn(`A listener of session ${deps.journal.id} failed: ${String(error)}`);
    });
    const onUpdate = (update: ConversationUpdate): void => {
      if (update.type === 'reply_started') this.#begun = update.id;
      this.#updates.emit(update);
    };
    this.#triggers = new CompressionTriggers({ ...deps, meter: this.meter, isReplying: () => this.isReplying });
    this.#replies = { ...deps, meter: this.meter, onUpdate };
    let wasReadOnly = deps.journal.readOnly !== undefined;
    deps.journal.onDidChange(() => {
      const became = wasReadOnly && deps.journal.readOnly === undefined;
      wasReadOnly = deps.journal.readOnly !== undefined;
      // What the writer before had begun and could not end.
      if (became && !this.isReplying)
        void recoverReplies(deps.journal).catch((error: unknown) =>
          deps.log.warn(`Session ${deps.journal.id}: ${String(error)}`),
        );
    });
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
    await this.#turnEnd;
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
    await this.halt();
    await this.meter.save();
    await this.journal.close();
  }

  get isReplying(): boolean {
    return this.#turn !== undefined;
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
  async send(text: string, attachments: readonly Attachment[] = [], images: readonly ImageBlock[] = []): Promise<void> {
    await this.#runTurn(async () => {
      const { clock, settings } = this.#deps;
      if (settings().resetFinishedTask && this.state.task && isFinished(this.state.task)) await this.#reset(true);
      const message: Message = {
        id: messageId(clock.id()),
        parent: this.state.head,
        role: 'user',
        content: [{ type: 'text', text }, ...images],
        at: clock.now(),
        ...(attachments.length > 0 && { attachments }),
      };
      const events: SessionEvent[] = [{ type: 'message_added', message }];
      if (this.state.counters.messagesEver === 0)
        events.push({
          type: 'session_renamed',
          title: titleFrom(text.trim() === '' ? (attachments[0]?.name ?? '') : text),
        });
      await this.journal.append(...events);
      return text;
    });
  }

  /** Asks again for a reply to the newest user message on the branch that ends at `at`. */
  async retry(at: MessageId): Promise<void> {
    await this.#runTurn(async () => {
      await this.journal.append({ type: 'head_moved', to: at });
      const message = this.state.messages.get(at);
      return message ? messageText(message) : '';
    });
  }

  /** Sends a changed text in place of an earlier message: a new branch; the old one stays. */
  async editAndResend(of: MessageId, text: string): Promise<void> {
    const original = this.state.messages.get(of);
    if (!original) return;
    await this.#runTurn(async () => {
      const { clock } = this.#deps;
      const message: Message = {
        ...original,
        id: messageId(clock.id()),
        content: [{ type: 'text', text }, ...original.content.filter(({ type }) => type === 'image')],
        at: clock.now(),
      };
      await this.journal.append({ type: 'message_added', message });
      return text;
    });
  }

  /** Ends the reply that is arriving; what has come is kept. */
  stop(): void {
    this.#turn?.abort();
  }

  async setTask(goal: string, steps: readonly Step[]): Promise<void> {
    await this.journal.append({ type: 'task_set', task: { id: taskId(this.#deps.clock.id()), goal, steps } });
  }

  /** Makes the branch that ends at `to` the active one. Rejects with `TurnRunning` while a reply arrives. */
  async moveHead(to: MessageId): Promise<void> {
    if (this.#turn) throw new TurnRunning();
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
  async previewSend(draft: UnsentMessage): Promise<SendPreview> {
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
    if (this.#turn) {
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
    if (this.#turn || this.#closed || this.#halting || this.#importing || this.journal.readOnly !== undefined) return;
    await this.#triggers.betweenTurns();
  }

  async #reset(automatic: boolean): Promise<void> {
    await this.#triggers.atReset();
    await this.journal.append({ type: 'task_reset', automatic });
  }

  async #runTurn(prepare: () => Promise<string>): Promise<void> {
    if (this.#turn) throw new TurnRunning();
    const turn = new AbortController();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = turn;
    this.#turnEnd = promise;
    this.#begun = undefined;
    let failure: unknown;
    try {
      const text = await prepare();
      const model = await this.#deps.chatModel();
      await this.#reply(model, text, turn.signal);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#turn = undefined;
      this.#waiting = null;
      const reply = this.#keptReply();
      this.#updates.emit({ type: 'turn_ended', id: reply, error: failure });
      await this.#afterTurn(reply);
      resolve(undefined);
    }
  }

  #keptReply(): MessageId | undefined {
    const id = this.#begun;
    return id !== undefined && this.state.messages.has(id) ? id : undefined;
  }

  /** When the provider calls the request too long, it is compressed and sent once more. */
  async #reply(model: ChatModel, text: string, signal: AbortSignal): Promise<void> {
    const first = await this.#makeRoom(text);
    try {
      await streamReply(this.#replies, model, first, signal);
    } catch (error) {
      if (!ModelFault.is(error, 'context_too_long')) throw error;
      const refused = this.context(first);
      this.meter.refused(refused);
      const outcome = await this.#triggers.compress({ trigger: 'provider_overflow', threshold: refused.total }, 'now');
      if (outcome.kind !== 'committed') throw error;
      await streamReply(this.#replies, model, await this.#makeRoom(text), signal);
    }
  }

  async #afterTurn(reply: MessageId | undefined): Promise<void> {
    try {
      if (reply !== undefined) await tickReportedSteps(this.journal, reply);
      if (this.#resetWaiting) {
        this.#resetWaiting = false;
        await this.#reset(false);
      }
      await this.betweenTurns();
    } catch (error) {
      this.#deps.log.warn(`Session ${this.journal.id}: ${String(error)}`);
    }
  }

  /** Makes sure that the request fits: compression first, then a halved window, then the escalation. */
  async #makeRoom(text: string): Promise<readonly Recalled[]> {
    const { settings, recall } = this.#deps;
    const { recallShare } = settings();
    const budget = this.budget();
    await this.#triggers.beforeSend();
    const { total } = this.context();
    if (total > budget) {
      await this.journal.append({ type: 'escalation', reason: 'token_overflow' });
      throw new ContextOverflow(total, budget);
    }
    if (this.state.escalation) await this.journal.append({ type: 'escalation', reason: null });
    const assemble = (excerpts: readonly Recalled[]): Context => this.context(excerpts);
    const found = { text, context: this.context(), budget, share: recallShare, recall, assemble };
    const recalled = await recallWithin(found, this.state);
    if (recalled.length > 0 && this.state.head !== null)
      this.#updates.emit({ type: 'recalled', message: this.state.head, excerpts: recalled });
    return recalled;
  }
}
