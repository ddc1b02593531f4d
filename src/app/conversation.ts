import type { Context } from '../core/context/assemble.ts';
import type { RecalledExcerpt } from '../core/context/render-context.ts';
import type { CompressionRecord, SessionEvent, TriggerName } from '../core/journal/schema.ts';
import { messageId, taskId, type MessageId, type NodeId, type TaskId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import { isFinished, type Step } from '../core/model/task.ts';
import type { DueTrigger } from '../core/policy/triggers.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { Calibration } from '../core/tokens/calibration.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import { CompressionTriggers } from './compression-triggers.ts';
import type { CompressionOutcome, SkipReason } from './compression-job.ts';
import type { Compressor } from './compressor.ts';
import { ContextMeter } from './context-meter.ts';
import type { ConversationUpdate, PendingRetry } from './conversation-update.ts';
import { Emitter, type Disposable } from './emitter.ts';
import { ModelFault, ContextOverflow, TurnRunning } from './fault.ts';
import type { ChatModel, ChatRequest, SessionJournal } from './ports.ts';
import { HALTED, recoverReplies, recoverOnTakeover, requestOf, streamReply } from './reply-stream.ts';
import { SendQueue } from './send-queue.ts';
import type { SessionDeps } from './session-deps.ts';
import type { ConversationSettings } from './conversation-settings.ts';
import { requireMessages } from './summary-changes.ts';
import { applyProgressReport, startNextStep } from './task-progress.ts';
import { editedMessage, userMessage, userMessageEvents, type UserMessage } from './user-message.ts';

export interface ConversationDeps extends SessionDeps {
  readonly compressor: Compressor;
  /** The settings to call a model or compress with. Throws if one is invalid; `settings` replaces it instead. */
  readonly callSettings: SessionDeps['settings'];
  /**
   * Rejects with `ModelFault` if the selected model isn't available, for example without an API key, and like
   * `callSettings` if a setting is invalid.
   */
  readonly chatModel: () => Promise<ChatModel>;
  readonly recall: (text: string, budgetTokens: number) => Promise<readonly RecalledExcerpt[]>;
}

export interface SendPreview {
  readonly context: Context;
  readonly request: ChatRequest;
  /** The trigger of a compression that would run first and shorten the request. */
  readonly compressesFirst: TriggerName | undefined;
}

interface Turn {
  readonly abort: AbortController;
  settings?: ConversationSettings;
  /** The calibration of the called model. The user may select another model during the turn. */
  called?: { readonly calibration: Calibration | undefined };
  reply?: MessageId;
  /** The task in the request. The user may set another one during the turn. */
  task?: TaskId | undefined;
}

/** Minimum tokens for recalled excerpts. Shorter ones wouldn't be useful. */
const MIN_RECALL_TOKENS = 50;

/** An open session. Runs its turns one at a time, and continues after its panel is closed. */
export class Conversation {
  readonly journal: SessionJournal;
  readonly counter: TokenCounter;
  readonly compressor: Compressor;
  readonly meter: ContextMeter;
  readonly triggers: CompressionTriggers;
  readonly counts: MessageCounts;
  readonly queue: SendQueue;
  readonly #deps: ConversationDeps;
  #turn: Turn | undefined;
  #turnEnd: Promise<unknown> = Promise.resolve();
  /** Whether the next reply gets a higher output limit, because thinking used up the last one's. */
  #raisesLimit = false;
  /** Events of replies that couldn't be written, for example because the disk failed. */
  #unwritten: readonly SessionEvent[] = [];
  readonly #updates: Emitter<ConversationUpdate>;
  readonly #otherWork = new Map<Promise<unknown>, AbortController>();
  /** Whether a task reset was postponed to the end of the turn. */
  #isResetPending = false;
  /** The task reset that compresses first. */
  #compressingReset: object | undefined;
  #closed = false;
  #halting = false;
  /** The running import: when its messages are in the journal, and when they are also counted. Neither rejects. */
  #importing: { readonly appended: Promise<unknown>; readonly counted: Promise<unknown> } | undefined;
  #pendingRetry: PendingRetry | null = null;
  #thinkingSince: number | null = null;

  constructor({ settings, callSettings, calibration, ...others }: ConversationDeps) {
    const deps = {
      ...others,
      // Settings and model must not change during a turn.
      settings: () => this.#turn?.settings ?? settings(),
      callSettings: () => this.#turn?.settings ?? callSettings(),
      calibration: () => (this.#turn?.called ? this.#turn.called.calibration : calibration()),
    };
    this.#deps = deps;
    this.journal = deps.journal;
    this.counter = deps.counter;
    this.compressor = deps.compressor;
    this.meter = new ContextMeter(deps);
    this.counts = this.meter.counts;
    this.#updates = new Emitter((error) => {
      deps.log.warn(`Session ${deps.journal.id}: a listener failed: ${String(error)}`);
    });
    this.triggers = new CompressionTriggers({
      ...deps,
      meter: this.meter,
      isReplying: () => this.isReplying,
    });
    this.queue = new SendQueue({
      newId: () => deps.clock.id(),
      send: (message, onAdded) => this.sendMessage(message, onAdded),
      isReplying: () => this.isReplying,
      isInSession: (id) => this.state.messages.has(id),
      stop: () => this.stop(),
      onChange: () => this.#updates.emit({ type: 'queue_changed' }),
    });
    this.journal.onDidChange(() => this.queue.dropSent());
    recoverOnTakeover(deps, () => this.isReplying);
  }

  get state(): SessionState {
    return this.journal.state;
  }

  get pendingRetry(): PendingRetry | null {
    return this.#pendingRetry;
  }

  /** When the model began to think, in ms since the epoch; null once it writes. */
  get thinkingSince(): number | null {
    return this.#thinkingSince;
  }

  settings(): ConversationSettings {
    return this.#deps.settings();
  }

  /** Called when a retry becomes pending, or none is anymore. */
  setPendingRetry(retry: PendingRetry | null): void {
    this.#pendingRetry = retry;
    this.#updates.emit({ type: 'retry_pending', until: retry?.until ?? null });
  }

  /** Resolves when no turn is running and background compressions have been committed or discarded. */
  async settled(): Promise<void> {
    await this.#turnEnd;
    await this.compressor.settled();
    await this.triggers.settled();
  }

  /**
   * Runs other work that calls a model, such as a verification. `halt` aborts it and waits for its end, so that its
   * cost is recorded.
   */
  async runOutsideTurn<T>(signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const abort = new AbortController();
    const running = work(AbortSignal.any([signal, abort.signal]));
    this.#otherWork.set(running, abort);
    try {
      return await running;
    } finally {
      this.#otherWork.delete(running);
    }
  }

  /** Stops the turn, compressions, and other work, so that another window can take over. Keeps a partial reply. */
  async halt(): Promise<void> {
    this.#halting = true;
    try {
      this.#turn?.abort.abort(HALTED);
      this.compressor.cancel();
      for (const abort of this.#otherWork.values()) abort.abort();
      await Promise.allSettled(this.#otherWork.keys());
      await this.settled();
      await this.#writeReplies().catch((error: unknown) => this.#logFailedWork(error));
      await this.triggers.commitReady();
    } finally {
      this.#halting = false;
    }
  }

  /** Stops the turn and compressions, and closes the journal. A partial reply is kept. */
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
    return this.#turn !== undefined;
  }

  onUpdate(listener: (update: ConversationUpdate) => void): Disposable {
    return this.#updates.on(listener);
  }

  /** The current context. Takes time proportional to its size. */
  context(recalled: readonly RecalledExcerpt[] = []): Context {
    return this.meter.context(recalled);
  }

  /** Prepares an opened session: loads or computes token counts, and recovers interrupted replies. */
  async prepare(): Promise<void> {
    await this.meter.load();
    await recoverReplies(this.journal);
  }

  /**
   * Appends many messages and counts them, unless `append` resolves to false because it was canceled. Meanwhile,
   * triggers aren't checked, and replies and switches of the branch wait. A message that is sent while they are counted
   * is stored at once.
   */
  async import(append: () => Promise<boolean>): Promise<boolean> {
    const appended = append();
    const counted = appended.then((isComplete) => (isComplete ? this.meter.countNew() : undefined));
    this.#importing = { appended: Promise.allSettled([appended]), counted: Promise.allSettled([counted]) };
    try {
      await counted;
      return await appended;
    } finally {
      this.#importing = undefined;
    }
  }

  /**
   * Sends a message and resolves when the turn has ended. The message is on disk before the request is sent, and then
   * `onAdded` is called. Does nothing if another window has sent it meanwhile. Rejects with `TurnRunning`,
   * `ContextOverflow`, or `StoreFault` if nothing was sent, and with `ModelFault` if the request failed, which keeps the
   * message and a partial reply. If a setting is invalid, rejects with its error without adding the message.
   */
  async sendMessage(message: UserMessage, onAdded?: () => void): Promise<void> {
    await this.#runTurn(async (signal) => {
      const endsTask = this.#endsTask;
      const due = this.triggers.dueAtReset();
      if (message.id !== undefined && this.state.messages.has(message.id)) {
        onAdded?.();
        return undefined;
      }
      await this.#appendUserMessage(userMessageEvents(message, this.state, this.#deps.clock));
      onAdded?.();
      if (endsTask) await this.#reset(true, due, signal);
      await startNextStep(this.journal);
      return message.text;
    });
  }

  send(text: string): Promise<void> {
    return this.sendMessage({ text });
  }

  /** Requests another reply to the message `at`. Without a reply, the previous branch is restored. */
  async retry(at: MessageId): Promise<void> {
    let before: MessageId | null = at;
    await this.#runTurn(
      async () => {
        before = this.state.head;
        await this.journal.append({ type: 'head_moved', to: at });
        const message = this.state.messages.get(at);
        return message ? messageText(message) : '';
      },
      async () => {
        const isUnanswered = this.state.head === at && before !== at;
        if (isUnanswered && !this.journal.readOnly) await this.journal.append({ type: 'head_moved', to: before });
      },
    );
  }

  /** Sends an edited copy of an earlier message, on a new branch. Calls `onAdded` once it's in the session. */
  async editAndResend(of: MessageId, text: string, onAdded?: () => void): Promise<void> {
    const original = this.state.messages.get(of);
    if (!original) return;
    await this.#runTurn(async () => {
      const message = editedMessage(original, text, this.#deps.clock);
      await this.#appendUserMessage([{ type: 'message_added', message }]);
      onAdded?.();
      return text;
    });
  }

  /** Stops the current reply. A partial reply is kept. */
  stop(): void {
    this.#turn?.abort.abort();
  }

  async setTask(goal: string, steps: readonly Step[]): Promise<void> {
    const task = { id: taskId(this.#deps.clock.id()), goal, steps };
    // A pending reset applies to the previous task.
    const isResetPending = this.#isResetPending || this.#compressingReset !== undefined;
    this.#isResetPending = false;
    this.#compressingReset = undefined;
    if (isResetPending) await this.#storeReset(false, { type: 'task_set', task });
    else await this.journal.append({ type: 'task_set', task });
  }

  /** Makes the branch that ends at `to` the active one. Rejects with `TurnRunning` during a turn. */
  async moveHead(to: MessageId): Promise<void> {
    await this.#importing?.counted;
    if (this.isReplying) throw new TurnRunning();
    await this.journal.append({ type: 'head_moved', to });
  }

  /** Deletes a message, or restores it. Rejects with `ChangeFault` or `StoreFault`. */
  async deleteMessage(id: MessageId, deleted: boolean): Promise<void> {
    const position = this.state.positionOf(id);
    if (deleted && position !== undefined) requireMessages(this.state, { from: position, to: position });
    await this.journal.append({ type: 'message_deleted', id, deleted });
  }

  /** Undoes summaries, so that their messages are sent verbatim, or redoes them. Rejects like `deleteMessage`. */
  async undoNodes(nodes: readonly NodeId[], undone: boolean): Promise<void> {
    if (undone) for (const node of nodes) requireMessages(this.state, this.state.spanOf(node));
    await this.journal.append(...nodes.map((node) => ({ type: 'node_undone', node, undone }) as const));
  }

  /** The selected model. Rejects like `ConversationDeps.chatModel`. */
  chatModel(): Promise<ChatModel> {
    return this.#deps.chatModel();
  }

  /** The request that would be sent for a draft, or without a message if it's empty. Doesn't call a model. */
  async previewSend(draft: UserMessage): Promise<SendPreview> {
    const { clock, settings } = this.#deps;
    const { meter, state } = this;
    const { text, attachments = [], images = [] } = draft;
    const isEmpty = text === '' && attachments.length === 0 && images.length === 0;
    const message = userMessage(draft, messageId('pending'), state, clock);
    const endsTask = !isEmpty && this.#endsTask;
    const assemble = (excerpts: readonly RecalledExcerpt[]): Context =>
      meter.context(excerpts, isEmpty ? undefined : { message, endsTask });
    const plain = assemble([]);
    const due = (endsTask ? this.triggers.dueAtReset() : undefined) ?? this.triggers.dueBeforeSend(plain);
    const context = assemble(await this.#recall(text, plain, assemble));
    const request = requestOf(context, settings(), this);
    return { context, request, compressesFirst: due?.trigger };
  }

  async previewCompression(): Promise<CompressionRecord | SkipReason | 'off'> {
    return this.compressor.preview(this.triggers.compressionRequest({ trigger: 'command', threshold: 0 }, 'now'));
  }

  /**
   * Ends the task, and compresses first if that's due. A failed compression doesn't prevent the reset. During a turn,
   * this is postponed to its end.
   */
  async resetTask(): Promise<void> {
    if (this.isReplying) {
      this.#isResetPending = this.#compressingReset === undefined;
      this.#updates.emit({ type: 'reset_pending' });
      return;
    }
    await this.#reset(false, this.triggers.dueAtReset());
  }

  async compressNow(): Promise<CompressionOutcome> {
    return this.triggers.compress({ trigger: 'command', threshold: 0 }, 'now');
  }

  /** Commits finished compressions and checks the triggers. Called after each turn. */
  async betweenTurns(): Promise<void> {
    if (this.isReplying || this.#isEnding || this.#importing || this.journal.readOnly !== undefined) return;
    await this.triggers.betweenTurns();
  }

  /**
   * Runs a turn. `addMessage` writes the turn's message to the journal and returns its text, or undefined if no reply is
   * needed; `onEnd` is called before the next turn may begin. Settles after `betweenTurns`, even if the turn failed.
   */
  async #runTurn(
    addMessage: (signal: AbortSignal) => Promise<string | undefined>,
    onEnd?: () => Promise<void>,
  ): Promise<void> {
    if (this.#turn) throw new TurnRunning();
    const turn: Turn = { abort: new AbortController() };
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = turn;
    this.#turnEnd = promise;
    let failure: unknown;
    const { calibration, callSettings, chatModel } = this.#deps;
    try {
      // Before the message is added, so that it isn't left unanswered.
      turn.settings = callSettings();
      await this.#importing?.appended;
      await this.#becomeWriter();
      await this.#writeReplies();
      // Another window may have deleted the session while this one showed it.
      if (this.state.deleted) await this.journal.append({ type: 'session_deleted', deleted: false });
      const text = await addMessage(turn.abort.signal);
      if (text === undefined) return;
      await this.#importing?.counted;
      turn.called = { calibration: calibration() };
      turn.task = this.state.task?.id;
      await this.#reply(await chatModel(), text, turn.abort.signal);
      this.#raisesLimit = false;
    } catch (error) {
      failure = error;
      this.#raisesLimit = ModelFault.is(error, 'output_limit');
      throw error;
    } finally {
      try {
        await onEnd?.();
      } finally {
        this.#turn = undefined;
        const reply = turn.reply !== undefined && this.state.messages.has(turn.reply) ? turn.reply : undefined;
        this.#update({ type: 'turn_ended', id: reply, error: failure });
        await this.#afterTurn(reply, turn.task);
        resolve(undefined);
      }
    }
  }

  /** Counts the message first, in steps, because listeners count new messages at once, and an attachment may be long. */
  async #appendUserMessage(events: readonly SessionEvent[]): Promise<void> {
    const { counts, counter } = this;
    for (const event of events)
      if (event.type === 'message_added')
        counts.keep(event.message.id, await counter.messageYielding(event.message, this.#deps.clock.yielder));
    await this.journal.append(...events);
  }

  /** Makes this window the writer if the previous one is gone, and recovers that window's interrupted replies. */
  async #becomeWriter(): Promise<void> {
    const { readOnly } = this.journal;
    if (readOnly?.reason !== 'not_writer') return;
    await this.journal.prepareToWrite();
    if (this.journal.readOnly) throw this.journal.readOnly;
    await recoverReplies(this.journal);
  }

  /** Writes the replies that couldn't be written before. Doesn't change the active branch if it has other messages. */
  async #writeReplies(): Promise<void> {
    const unwritten = this.#unwritten;
    if (unwritten.length === 0 || this.journal.readOnly) return;
    this.#unwritten = [];
    const { head, messages } = this.state;
    // Another window may have stored the part of the reply that was on disk. Messages never change.
    const events = unwritten.map((event) =>
      event.type === 'message_added' && messages.has(event.message.id)
        ? { ...event, message: { ...event.message, id: messageId(this.#deps.clock.id()) } }
        : event,
    );
    const isAtHead = events.every((event) => event.type !== 'message_added' || event.message.parent === head);
    try {
      await this.journal.append(...events, ...(isAtHead ? [] : [{ type: 'head_moved', to: head } as const]));
    } catch (error) {
      this.#unwritten = unwritten;
      throw error;
    }
  }

  /** Sends the request. If it's rejected as too long, retries with a lower output limit or after compressing. */
  async #reply(model: ChatModel, text: string, signal: AbortSignal): Promise<void> {
    const deps = {
      ...this.#deps,
      meter: this.meter,
      onUpdate: (update: ConversationUpdate) => this.#update(update),
      onUnwritten: (events: readonly SessionEvent[]) => (this.#unwritten = [...this.#unwritten, ...events]),
    };
    let recalled = await this.#makeRoom(text, signal);
    while (recalled) {
      try {
        await streamReply(deps, model, recalled, signal, this.#raisesLimit);
        return;
      } catch (error) {
        if (!ModelFault.is(error, 'context_too_long')) throw error;
        const rejected = this.context(recalled);
        const fits = this.meter.calibrateByRejection(rejected, error.contextWindow);
        const isShorter = fits || (await this.triggers.afterRejection(rejected.total, signal));
        if (!isShorter && !signal.aborted) throw error;
      }
      recalled = await this.#makeRoom(text, signal);
    }
  }

  /** Compresses if necessary; rejects with `ContextOverflow`. Resolves to undefined if the turn was stopped. */
  async #makeRoom(text: string, signal: AbortSignal): Promise<readonly RecalledExcerpt[] | undefined> {
    const budget = this.meter.budget();
    await this.triggers.beforeSend(signal);
    if (signal.aborted) return undefined;
    const { total } = this.context();
    if (total > budget) {
      await this.journal.append({ type: 'escalation', reason: 'token_overflow' });
      const { counts, meter, state } = this;
      const newest = state.head === null ? 0 : counts.totalOf(state.head, state.messages);
      const [needed, available] = [meter.providerTokens(total), meter.providerBudget()];
      throw new ContextOverflow(needed, available, newest > total - budget);
    }
    await this.triggers.endEscalation();
    const excerpts = await this.#recall(text, this.context(), (recalled) => this.context(recalled));
    const { head } = this.state;
    if (excerpts.length > 0 && head !== null) this.#update({ type: 'recalled', message: head, excerpts });
    return excerpts;
  }

  /** Excerpts from compressed history that match a new message and fit in the request. */
  async #recall(
    text: string,
    plain: Context,
    assemble: (recalled: readonly RecalledExcerpt[]) => Context,
  ): Promise<readonly RecalledExcerpt[]> {
    const { recall, settings } = this.#deps;
    const budget = this.meter.budget();
    const room = Math.min(Math.floor(budget * settings().recallShare), budget - plain.total);
    if (text === '' || room < MIN_RECALL_TOKENS || this.state.frontier.length === 0) return [];
    const recalled = await recall(text, room);
    return assemble(recalled).total > budget ? [] : recalled;
  }

  /** Whether the session is being closed or handed over. Then no compression is started. */
  get #isEnding(): boolean {
    return this.#closed || this.#halting;
  }

  get #endsTask(): boolean {
    const { task } = this.state;
    return this.settings().resetFinishedTask && task !== undefined && isFinished(task);
  }

  #update(update: ConversationUpdate): void {
    if (update.type === 'reply_started' && this.#turn) this.#turn.reply = update.id;
    if (update.type === 'turn_ended') this.#pendingRetry = null;
    const isArriving = update.type === 'reply_text' || update.type === 'reply_thinking';
    if (isArriving && this.#pendingRetry) this.setPendingRetry(null);
    if (update.type === 'reply_thinking') this.#thinkingSince ??= this.#deps.clock.now();
    else if (update.type === 'reply_text' || update.type === 'turn_ended') this.#thinkingSince = null;
    this.#updates.emit(update);
  }

  async #reset(automatic: boolean, due: DueTrigger | undefined, signal?: AbortSignal): Promise<void> {
    const reset = {};
    this.#compressingReset = reset;
    try {
      if (due && !this.#isEnding) await this.triggers.compress(due, 'now', { signal });
      // `setTask` has performed the reset, or another one has begun.
      if (this.#compressingReset !== reset) return;
    } finally {
      if (this.#compressingReset === reset) this.#compressingReset = undefined;
    }
    await this.#storeReset(automatic);
  }

  async #storeReset(automatic: boolean, ...next: readonly SessionEvent[]): Promise<void> {
    await this.journal.append({ type: 'task_reset', automatic }, ...next);
    this.#deps.log.event('task_reset_preserving_conversation', {
      session_id: this.journal.id,
      automatic,
      message_count: this.state.path.length,
      uncompressed_messages: this.state.uncompressedCount,
    });
  }

  async #afterTurn(reply: MessageId | undefined, task: TaskId | undefined): Promise<void> {
    try {
      await this.#writeReplies();
      if (reply !== undefined && this.state.task?.id === task) await applyProgressReport(this.journal, reply);
      if (this.#isResetPending) {
        this.#isResetPending = false;
        await this.#reset(false, this.triggers.dueAtReset());
      }
      await this.betweenTurns();
    } catch (error) {
      this.#logFailedWork(error);
    }
    const ending = reply === undefined ? undefined : this.state.messages.get(reply)?.ending;
    if (this.#isEnding) this.queue.hold();
    // If the next turn has already begun, the queue waits for its end.
    else if (!this.isReplying) this.queue.turnEnded(ending === 'complete' || ending === 'length');
  }

  #logFailedWork(error: unknown): void {
    this.#deps.log.warn(`Session ${this.journal.id}: background work after a turn failed: ${String(error)}`);
  }
}
