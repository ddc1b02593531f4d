import { assembleContext, assemblePrefix, type Context, type ContextPrefix } from '../core/context/assemble.ts';
import type { Recalled } from '../core/context/render.ts';
import type { CompressionRecord, SessionEvent } from '../core/journal/event.ts';
import { messageId, taskId, type MessageId, type NodeId } from '../core/model/ids.ts';
import { messageText, type Attachment, type Ending, type Message, type Usage } from '../core/model/message.ts';
import { isFinished, type Step } from '../core/model/task.ts';
import { dueAtReset, dueBeforeSend, dueTrigger, type DueTrigger } from '../core/policy/triggers.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { MessageCounts } from '../core/tokens/message-counts.ts';
import type { Calibration, CountedRequest } from '../core/tokens/calibration.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { CompressionOutcome, CompressionRequest, Compressor } from './compressor.ts';
import { Emitter, type Disposable } from './emitter.ts';
import { ModelFault } from './fault.ts';
import type { ChatModel, ChatRequest, Clock, CountStore, Log, SessionJournal } from './ports.ts';
import { ReplyWriter } from './reply-writer.ts';
import type { ConversationSettings } from './settings.ts';
import { titleFrom } from './title.ts';

/** What happens in a conversation while it happens; what has happened is in the journal. */
export type ConversationUpdate =
  | { readonly type: 'reply_started'; readonly id: MessageId; readonly model: string }
  | { readonly type: 'reply_text'; readonly id: MessageId; readonly offset: number; readonly text: string }
  | { readonly type: 'turn_ended'; readonly id: MessageId | undefined; readonly error: unknown }
  | { readonly type: 'reset_waiting' }
  /** The provider asked for patience; `until` is milliseconds since the epoch, null when the wait is over. */
  | { readonly type: 'waiting'; readonly until: number | null }
  | { readonly type: 'recalled'; readonly message: MessageId; readonly excerpts: readonly Recalled[] };

/** Why a message was not sent; `ContextOverflow` comes with ways out, shown by the panel. */
export class ContextOverflow extends Error {
  readonly total: number;
  readonly budget: number;

  constructor(total: number, budget: number) {
    super(`The request needs ${total} tokens and the model's budget is ${budget}.`);
    this.name = 'ContextOverflow';
    this.total = total;
    this.budget = budget;
  }
}

/** A second turn was asked for while one is running. */
export class TurnRunning extends Error {
  constructor() {
    super('A reply is still arriving. Stop it first, or wait until it ends.');
    this.name = 'TurnRunning';
  }
}

/** A pause before the next try: until when (ms since the epoch), and after which fault. */
export interface Waiting {
  readonly until: number;
  readonly fault: ModelFault;
}

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
  readonly #deps: ConversationDeps;
  readonly #counts: MessageCounts;
  readonly #updates: Emitter<ConversationUpdate>;
  #turn: AbortController | undefined;
  #prefix: { readonly key: string; readonly prefix: ContextPrefix } | undefined;
  #factor: number | undefined;
  #resetWaiting = false;
  #closed = false;
  #importing = false;
  #waiting: Waiting | null = null;
  #turnEnd: Promise<unknown> = Promise.resolve();
  #background: Promise<void> = Promise.resolve();

  constructor(deps: ConversationDeps) {
    this.#deps = deps;
    this.#counts = new MessageCounts(deps.counter);
    this.#updates = new Emitter((error) => {
      deps.log.warn(`A listener of session ${deps.journal.id} failed: ${String(error)}`);
    });
  }

  get state(): SessionState {
    return this.#deps.journal.state;
  }

  get journal(): SessionJournal {
    return this.#deps.journal;
  }

  get counts(): MessageCounts {
    return this.#counts;
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
    await this.#background;
  }

  /** Stops what runs and releases the journal; what has arrived of a reply is kept. */
  async close(): Promise<void> {
    this.#closed = true;
    this.stop();
    this.compressor.cancel();
    await this.settled();
    await this.#deps.countStore.save(this.journal.id, this.#counts.export());
    await this.journal.close();
  }

  get isReplying(): boolean {
    return this.#turn !== undefined;
  }

  onUpdate(listener: (update: ConversationUpdate) => void): Disposable {
    return this.#updates.on(listener);
  }

  /** What the model's tokenizer makes of one counted token of this conversation, as far as is known. */
  get tokenFactor(): number {
    this.#factor ??= this.#measureFactor();
    return this.#factor;
  }

  /** Tokens a request may take, in counted tokens: what every part of the product reckons in. */
  budget(): number {
    return Math.floor(this.providerBudget() / this.tokenFactor);
  }

  /** The same in the provider's own tokens, as the gauge shows it. */
  providerBudget(): number {
    const { contextWindow, reservedTokens } = this.#deps.settings();
    return Math.max(0, contextWindow - reservedTokens);
  }

  /** True until the provider's reports have shown how it counts. */
  get isApproximate(): boolean {
    return this.#deps.calibration()?.calibrated === false;
  }

  /** Another model was chosen: its own tokenizer counts from now on. */
  modelChanged(): void {
    this.#factor = undefined;
  }

  /** What would be sent now. Costs in proportion to what is sent. */
  context(recalled: readonly Recalled[] = []): Context {
    const { counter } = this.#deps;
    return assembleContext({
      state: this.state,
      prefix: this.#currentPrefix(),
      recalled,
      counter,
      counts: this.#counts,
    });
  }

  /** Makes the session ready: counts are read or made, replies that were cut off become messages. Yields as it goes. */
  async prepare(): Promise<void> {
    const { countStore, clock } = this.#deps;
    const stored = await countStore.load(this.journal.id);
    if (stored) this.#counts.import(stored);
    await this.countNew();
    await this.#recover();
    await clock.yieldNow();
  }

  /** Takes in messages in bulk; triggers look at them after the next turn. */
  async import<T>(append: () => Promise<T>): Promise<T> {
    this.#importing = true;
    try {
      const result = await append();
      await this.countNew();
      return result;
    } finally {
      this.#importing = false;
    }
  }

  /** Counts messages that came in bulk, without holding the event loop up, and keeps the counts. */
  async countNew(): Promise<void> {
    const { clock, countStore } = this.#deps;
    const counted = await this.#counts.warm(this.state.messages.values(), () => clock.yieldNow());
    if (counted > 0) await countStore.save(this.journal.id, this.#counts.export());
  }

  /** Turns replies that were cut off by a crash or a reload into interrupted messages. */
  async #recover(): Promise<void> {
    if (this.journal.readOnly !== undefined) return;
    for (const partial of this.state.partials) {
      await this.journal.append({
        type: 'message_added',
        message: {
          id: partial.id,
          parent: partial.parent,
          role: 'assistant',
          content: [{ type: 'text', text: partial.text }],
          at: partial.at,
          model: partial.model,
          ending: 'interrupted',
        },
      });
    }
  }

  /**
   * Sends a message and resolves when the turn has ended. The message is on disk before the request leaves.
   * Rejects with `TurnRunning`, `ContextOverflow`, `StoreFault` (nothing was sent) or `ModelFault` (the message is
   * kept, and so is what came of the reply).
   */
  async send(text: string, attachments: readonly Attachment[] = []): Promise<void> {
    await this.#runTurn(async () => {
      const { clock, settings } = this.#deps;
      if (settings().resetFinishedTask && this.state.task && isFinished(this.state.task)) await this.#reset(true);
      const message: Message = {
        id: messageId(clock.id()),
        parent: this.state.head,
        role: 'user',
        content: [{ type: 'text', text }],
        at: clock.now(),
        ...(attachments.length > 0 && { attachments }),
      };
      const events: SessionEvent[] = [{ type: 'message_added', message }];
      if (this.state.counters.messagesEver === 0) events.push({ type: 'session_renamed', title: titleFrom(text) });
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
        content: [{ type: 'text', text }],
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

  /** What a compression would commit now; undefined when there is nothing to compress. */
  async previewCompression(): Promise<CompressionRecord | undefined> {
    return this.compressor.preview(this.#request({ trigger: 'command', threshold: 0 }, 'now'));
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
    return this.#compress({ trigger: 'command', threshold: 0 }, 'now');
  }

  /** Called when a compression that ran during a turn may be committed, and at start-up. */
  async betweenTurns(): Promise<void> {
    if (this.#turn || this.#closed || this.#importing || this.journal.readOnly !== undefined) return;
    await this.#deps.compressor.commit();
    const due = this.#dueNow();
    if (due) await this.#compress(due, 'background');
  }

  #dueNow(): DueTrigger | undefined {
    const { clock, settings } = this.#deps;
    const { policy } = settings();
    const { state } = this;
    const context = this.context();
    return dueTrigger(policy, {
      share: context.total / Math.max(1, this.budget()),
      uncoveredTokens: context.tokens.window + context.tokens.attachments,
      uncoveredMessages: state.uncoveredCount,
      messagesEver: state.counters.messagesEver,
      messagesEverAtLast: state.messagesEverAtLastCompression,
      lastCompressedAt: state.lastCompressedAt,
      now: clock.now(),
    });
  }

  async #reset(automatic: boolean): Promise<void> {
    const due = dueAtReset(this.#deps.settings().policy, this.state.uncoveredCount);
    if (due) await this.#compress(due, 'now');
    await this.journal.append({ type: 'task_reset', automatic });
  }

  async #compress(due: DueTrigger, urgency: 'now' | 'background'): Promise<CompressionOutcome> {
    const { compressor } = this.#deps;
    const outcome = compressor.run(this.#request(due, urgency));
    if (urgency === 'background') {
      this.#background = outcome.then(() => this.#commitIfIdle());
      return { kind: 'started' };
    }
    const result = await outcome;
    return result.kind === 'ready' ? compressor.commit() : result;
  }

  #request(due: DueTrigger, urgency: 'now' | 'background'): CompressionRequest {
    const settings = this.settings();
    return { due, urgency, settings, budget: this.budget(), before: this.context(), counts: this.#counts };
  }

  async #commitIfIdle(): Promise<void> {
    try {
      if (!this.#turn) await this.#deps.compressor.commit();
    } catch (error) {
      this.#deps.log.warn(`Session ${this.journal.id}: ${String(error)}`);
    }
  }

  async #runTurn(prepare: () => Promise<string>): Promise<void> {
    if (this.#turn) throw new TurnRunning();
    const turn = new AbortController();
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#turn = turn;
    this.#turnEnd = promise;
    let reply: MessageId | undefined;
    let failure: unknown;
    try {
      const text = await prepare();
      const model = await this.#deps.chatModel();
      reply = await this.#reply(model, text, turn.signal);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      this.#turn = undefined;
      this.#waiting = null;
      this.#updates.emit({ type: 'turn_ended', id: reply, error: failure });
      await this.#afterTurn();
      resolve(undefined);
    }
  }

  /** When the provider calls the request too long, it is compressed and sent once more. */
  async #reply(model: ChatModel, text: string, signal: AbortSignal): Promise<MessageId> {
    const first = await this.#makeRoom(text);
    try {
      return await this.#stream(model, first, signal);
    } catch (error) {
      if (!ModelFault.is(error, 'context_too_long')) throw error;
      const { total } = this.context(first);
      // The provider counts more than we thought: at least what it has just refused does not fit.
      this.#factor = Math.max(this.tokenFactor * 1.1, (this.providerBudget() / total) * 1.1);
      const outcome = await this.#compress({ trigger: 'provider_overflow', threshold: total }, 'now');
      if (outcome.kind !== 'committed') throw error;
      return this.#stream(model, await this.#makeRoom(text), signal);
    }
  }

  async #afterTurn(): Promise<void> {
    try {
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
    const { policy, recallShare } = settings();
    const budget = this.budget();
    const due = dueBeforeSend(policy, this.context().total / Math.max(1, budget));
    if (due) await this.#compress(due, 'now');
    const { total } = this.context();
    if (total > budget) {
      await this.journal.append({ type: 'escalation', reason: 'token_overflow' });
      throw new ContextOverflow(total, budget);
    }
    if (this.state.escalation) await this.journal.append({ type: 'escalation', reason: null });
    const room = Math.min(Math.floor(budget * recallShare), budget - total);
    if (room < 50 || this.state.frontier.length === 0) return [];
    const recalled = await recall(text, room);
    if (recalled.length === 0 || this.context(recalled).total > budget) return [];
    if (this.state.head !== null)
      this.#updates.emit({ type: 'recalled', message: this.state.head, excerpts: recalled });
    return recalled;
  }

  async #stream(model: ChatModel, recalled: readonly Recalled[], signal: AbortSignal): Promise<MessageId> {
    const { clock } = this.#deps;
    const { reservedTokens, temperature } = this.#deps.settings();
    const context = this.context(recalled);
    const request: ChatRequest = {
      system: context.system,
      messages: context.messages.map(({ role, content }) => ({ role, content })),
      maxOutputTokens: reservedTokens,
      ...(temperature !== undefined && { temperature }),
    };
    await this.#countByProvider(model, request, context, signal);
    const reply = { id: messageId(clock.id()), parent: this.state.head, model: model.id };
    const writer = new ReplyWriter(this.journal, clock, reply);
    let usage: Usage | undefined;
    let ending: Ending = 'interrupted';
    this.#updates.emit({ type: 'reply_started', id: reply.id, model: model.id });
    try {
      for await (const chunk of model.stream(request, signal)) {
        switch (chunk.type) {
          case 'text':
            this.#updates.emit({ type: 'reply_text', id: reply.id, offset: writer.text.length, text: chunk.text });
            writer.add(chunk.text);
            break;
          case 'usage':
            usage = chunk.usage;
            break;
          case 'end':
            ending = chunk.ending;
            break;
        }
      }
      return reply.id;
    } catch (error) {
      if (!ModelFault.is(error, 'cancelled')) throw error;
      ending = 'stopped';
      return reply.id;
    } finally {
      await writer.settled();
      await this.#keepReply({ ...reply, text: writer.text, usage, ending });
      if (usage && usage.input > 0) {
        this.#deps.calibration()?.observe({ ...counted(context), reported: usage.input });
        this.#factor = undefined;
      }
    }
  }

  /** Before the first reports have come, a provider that counts is asked, if the user agreed to the call. */
  async #countByProvider(model: ChatModel, request: ChatRequest, context: Context, signal: AbortSignal): Promise<void> {
    if (!model.countTokens || !this.isApproximate || !this.#deps.settings().countWithProvider) return;
    try {
      const reported = await model.countTokens(request, signal);
      this.#deps.calibration()?.observe({ ...counted(context), reported });
      this.#factor = undefined;
    } catch (error) {
      if (!ModelFault.is(error)) throw error;
      // The turn itself meets the same fault, if it lasts, and tells of it.
      this.#deps.log.warn(`Session ${this.journal.id}: the provider did not count (${error.reason}).`);
    }
  }

  /** The reply counts as received when it is on disk. A reply without any text is not kept. */
  async #keepReply(reply: {
    readonly id: MessageId;
    readonly parent: MessageId | null;
    readonly model: string;
    readonly text: string;
    readonly usage: Usage | undefined;
    readonly ending: Ending;
  }): Promise<void> {
    const { clock, price } = this.#deps;
    const { id, parent, model, text, usage, ending } = reply;
    const events: SessionEvent[] = [];
    if (text !== '') {
      const content = [{ type: 'text', text }] as const;
      const message: Message = {
        id,
        parent,
        role: 'assistant',
        content,
        at: clock.now(),
        model,
        ending,
        ...(usage && { usage }),
      };
      events.push({ type: 'message_added', message });
    }
    if (usage) events.push({ type: 'usage_recorded', purpose: 'chat', model, usage, costUsd: price(model, usage) });
    if (events.length > 0) await this.journal.append(...events);
  }

  #measureFactor(): number {
    const calibration = this.#deps.calibration();
    if (!calibration) return 1;
    // The prefix needs a budget and the factor needs the prefix: the prior stands in for the first measure.
    this.#factor = 1 / Math.max(1e-3, calibration.toCounted(1e6, { tokens: 0, cjk: 0, messages: 0 }) / 1e6);
    const context = this.context();
    return calibration.estimate(counted(context)) / Math.max(1, context.total);
  }

  #currentPrefix(): ContextPrefix {
    const { counter, settings } = this.#deps;
    const { systemPrompt, memory, policy } = settings();
    const share = policy.ledgerShare;
    const key = JSON.stringify([this.state.prefixRevision, this.providerBudget(), share, systemPrompt, memory]);
    if (this.#prefix?.key !== key) {
      // Worked out with the prefix alone: a factor that moves with each report must not move the ledger.
      const ledgerBudget = Math.floor(this.budget() * share);
      const prefix = assemblePrefix({ state: this.state, systemPrompt, memory, counter, ledgerBudget });
      this.#prefix = { key, prefix };
    }
    return this.#prefix.prefix;
  }
}

const counted = (context: Context): CountedRequest => ({
  tokens: context.total,
  cjk: context.cjk,
  messages: context.messages.length + context.system.length,
});
