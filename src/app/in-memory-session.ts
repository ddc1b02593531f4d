import type { Context } from '../core/context/assemble.ts';
import type { SourceMessage } from '../core/compress/source-message.ts';
import type { CompressionRecord, SessionEvent, TriggerName } from '../core/journal/schema.ts';
import { detectEvents } from '../core/events/detect.ts';
import { entryOf } from '../core/events/ledger.ts';
import { sessionId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { isLocalReply, messageText, type Message } from '../core/model/message.ts';
import { NEVER_YIELDS, type Yielder } from '../core/pace/yielder.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { PresetName } from '../core/prompts/render-prompts.ts';
import { SessionState } from '../core/state/session-state.ts';
import type { MessageTokens, TokenCounter } from '../core/tokens/token-counter.ts';
import { compressSession } from './compress-session.ts';
import type { CompressionTarget, CompressionOutcome } from './compression-job.ts';
import { CompressionTriggers } from './compression-triggers.ts';
import { Compressor } from './compressor.ts';
import { ContextMeter } from './context-meter.ts';
import { FAULT_REASONS, type FaultReason } from './fault.ts';
import { OPEN_GATE, type PriceOf } from './spend-limited-model.ts';
import type { SummarizerConfig } from './summarizer.ts';
import { wrapModel, type Clock, type Log, type SessionJournal } from './ports.ts';
import type { ConversationSettings } from './conversation-settings.ts';

export interface InMemorySessionOptions {
  readonly policy: Policy;
  /** Maximum tokens of a request. */
  readonly budget: number;
  readonly counter: TokenCounter;
  readonly preset: PresetName;
  /** Undefined: summaries are extracted. */
  readonly model: SummarizerConfig | undefined;
  /** Absent: costs are unknown. */
  readonly price?: PriceOf | undefined;
  readonly yielder?: Yielder;
}

type Calls = CompressionRecord['calls'];

export const NO_CALLS: Calls = { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

export const addCalls = (a: Calls, b: Calls): Calls => ({
  count: a.count + b.count,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  costUsd: a.costUsd + b.costUsd,
});

/** Maximum share of the budget for the system prompt, that is, the system messages before the first other message. */
const MAX_SYSTEM_PROMPT_SHARE = 0.25;

/** Simulated time between messages in ms. As in VS Code, a provider that failed is retried a few messages later. */
const MESSAGE_MS = 60_000;

export interface CompressionAttempt {
  /** Number of messages at the time of the attempt. */
  readonly at: number;
  readonly trigger: TriggerName;
  readonly outcome: 'committed' | 'skipped' | 'failed';
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly calls: number;
  /** Set if the model failed and the summaries were extracted. */
  readonly fallback?: 'extractive';
}

/** A session in memory that is compressed as in VS Code, for the command line, the library, and the benchmarks. */
export class InMemorySession {
  readonly state = new SessionState();
  readonly meter: ContextMeter;
  readonly attempts: CompressionAttempt[] = [];
  /** The error of the summarizer's last call; undefined if it succeeded. */
  lastCallError: Error | undefined;
  /** The names of the errors for which summaries were extracted. */
  readonly fallbackErrors = new Set<unknown>();
  /** Why the model failed in the last compression; undefined if a compression was committed since. */
  failureReason: FaultReason | undefined;
  readonly #options: InMemorySessionOptions;
  readonly #triggers: CompressionTriggers;
  /** The calls of each attempt without a result. */
  readonly #unused: Calls[] = [];
  /** The calls since the last attempt. */
  #usage = NO_CALLS;
  #at = 0;
  /** Whether there are only system messages so far. */
  #isSystemPrompt = true;
  #systemPromptTokens = 0;

  constructor(options: InMemorySessionOptions) {
    const { counter, policy, budget, preset, model, price = () => null, yielder = NEVER_YIELDS } = options;
    this.#options = options;
    let made = 0;
    const clock: Clock = { now: () => this.#at, id: () => `n${++made}`, yielder };
    const settings = (): ConversationSettings => ({
      systemPrompt: '',
      keepsSystemPrompt: this.keptSystemTokens > 0,
      memory: '',
      // The clock is simulated, so the time since a compression has no meaning.
      policy: { ...policy, triggers: { ...policy.triggers, ageMs: null } },
      contextWindow: budget,
      reservedTokens: this.keptSystemTokens,
      temperature: undefined,
      extractiveOnFault: false,
      resetFinishedTask: false,
      recallShare: 0,
      countWithProvider: false,
    });
    const parts = {
      journal: this.#journal(),
      clock,
      log: { event: (name, fields) => this.#recordAttempt(name, fields), warn: () => undefined } satisfies Log,
      counter,
      price,
      countStore: { load: () => Promise.resolve(undefined), save: () => Promise.resolve() },
      settings,
      calibration: () => undefined,
    };
    this.meter = new ContextMeter(parts);
    const compressor = new Compressor({
      ...parts,
      work: compressSession({ clock, preset: () => preset, price, languageRetries: new Map() }),
      spendGate: OPEN_GATE,
      summaryModel: () => Promise.resolve(model && { ...model, model: this.#recordingErrors(model) }),
    });
    const { meter } = this;
    this.#triggers = new CompressionTriggers({
      ...parts,
      callSettings: parts.settings,
      compressor,
      meter,
      isReplying: () => false,
    });
  }

  /** Adds a message as in a chat: checks the triggers between turns and before a request. */
  async receive(message: SourceMessage): Promise<void> {
    if (message.role === 'user' && this.state.path.length > 0) await this.#betweenTurns();
    this.add(message);
    if (message.role === 'user') await this.#triggers.beforeSend();
  }

  /** Ends the last turn: checks the triggers, and compresses if a request wouldn't fit. */
  async endTurn(): Promise<void> {
    await this.#betweenTurns();
    const { counts } = this.meter;
    const systemTokens = this.systemMessages().reduce((sum, message) => sum + counts.total(message), 0);
    if (this.context().total + systemTokens > this.#options.budget)
      await this.#triggers.compress({ trigger: 'before_send', threshold: 1 }, 'now');
  }

  /** Adds a message without checking the triggers. `tokens`: its counted tokens, if they are known. */
  add({ id, role, content, attachments, model }: SourceMessage, tokens?: MessageTokens): void {
    const optional = { ...(attachments && { attachments }), ...(model !== undefined && { model }) };
    const message = { id, parent: this.state.head, role, content, at: (this.#at += MESSAGE_MS), ...optional };
    if (tokens) this.meter.counts.keep(id, tokens);
    this.#isSystemPrompt &&= role === 'system';
    if (this.#isSystemPrompt) this.#systemPromptTokens += this.meter.counts.total(message);
    this.#append({ type: 'message_added', message });
  }

  /** Compresses now; `target` overrides the policy's target. */
  async compress(target?: CompressionTarget): Promise<CompressionOutcome> {
    // Count the messages first: this yields to the event loop, unlike counting during the compression.
    await this.meter.countNew();
    return this.#triggers.compress({ trigger: 'command', threshold: 0 }, 'now', { target });
  }

  context(): Context {
    return this.meter.context();
  }

  /** Tokens of the system prompt, unless it takes so much of the budget that it's summarized. */
  get keptSystemTokens(): number {
    const tokens = this.#systemPromptTokens;
    return tokens <= MAX_SYSTEM_PROMPT_SHARE * this.#options.budget ? tokens : 0;
  }

  /** System messages that aren't summarized. They are sent unchanged before the context. */
  systemMessages(): readonly Message[] {
    return Array.from(this.state.uncompressed(), ({ message }) => message).filter(({ role }) => role === 'system');
  }

  /** Key events of the ledger, and of the messages that are sent verbatim. */
  keyEvents(): readonly KeyEvent[] {
    const { state } = this;
    const leftOut = new Set(this.context().leftOut.map(({ id }) => id));
    const events = Array.from(state.events.values(), (event): KeyEvent =>
      leftOut.has(event.id) ? { ...event, status: 'dropped' } : event,
    );
    for (const { message, position } of state.uncompressed()) {
      if (message.role === 'system' || isLocalReply(message)) continue;
      const previous = position > 0 ? state.messages.get(state.path[position - 1]!) : undefined;
      const before = previous && { role: previous.role, text: messageText(previous) };
      const found = detectEvents({ role: message.role, text: messageText(message) }, before && { before });
      const entries = found.map((event) => entryOf(event, message.id, previous?.id));
      events.push(...entries.filter(({ id }) => !state.events.has(id)));
    }
    return events;
  }

  /** Model calls of all compressions, including those without a result. */
  get calls(): Calls {
    const committed = this.state.compressions.map(({ calls }) => calls);
    return [...committed, ...this.#unused].reduce(addCalls, NO_CALLS);
  }

  async #betweenTurns(): Promise<void> {
    await this.#triggers.betweenTurns();
    await this.#triggers.settled();
  }

  /** Records an attempt from a log event. */
  #recordAttempt(name: string, fields: Parameters<Log['event']>[1]): void {
    const outcome = OUTCOMES[name];
    if (!outcome) return;
    const isExtracted = 'fallback' in fields;
    // The model's fault was recorded as a failed attempt, whose calls are included in the committed compression.
    if (isExtracted) {
      this.fallbackErrors.add(fields['error']);
      this.attempts.pop();
      this.#unused.pop();
    }
    if (outcome === 'committed') this.failureReason = undefined;
    if (outcome === 'failed') this.failureReason = FAULT_REASONS.find((reason) => reason === fields['error']);
    if (outcome !== 'committed') this.#unused.push(this.#usage);
    this.#usage = NO_CALLS;
    const number = (field: string, otherwise = 0): number => Number(fields[field] ?? otherwise);
    const messagesBefore = number('message_count_before');
    const tokensBefore = number('tokens_before');
    this.attempts.push({
      at: this.state.path.length,
      trigger: String(fields['trigger']) as TriggerName,
      outcome,
      messagesBefore,
      messagesAfter: number('message_count_after', messagesBefore),
      tokensBefore,
      tokensAfter: number('tokens_after', tokensBefore),
      calls: number('calls'),
      ...(isExtracted && { fallback: 'extractive' }),
    });
  }

  #recordingErrors({ model }: SummarizerConfig): SummarizerConfig['model'] {
    const record = (error: unknown): void => {
      this.lastCallError = error instanceof Error ? error : undefined;
    };
    return wrapModel(model, async function* (request, signal) {
      try {
        yield* model.stream(request, signal);
        record(undefined);
      } catch (error) {
        record(error);
        throw error;
      }
    });
  }

  #append(...events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.state.apply(event, this.#at);
      if (event.type !== 'usage_recorded') continue;
      const { usage, costUsd } = event;
      const call = { count: 1, inputTokens: usage.input, outputTokens: usage.output, costUsd: costUsd ?? 0 };
      this.#usage = addCalls(this.#usage, call);
    }
  }

  #journal(): SessionJournal {
    return {
      id: sessionId('transcript'),
      state: this.state,
      readOnly: undefined,
      unsaved: undefined,
      notice: undefined,
      append: (...events) => Promise.resolve(this.#append(...events)),
      prepareToWrite: () => Promise.resolve(),
      takeOver: () => Promise.resolve(),
      onDidChange: () => ({ dispose: () => undefined }),
      close: () => Promise.resolve(),
    };
  }
}

const OUTCOMES: Readonly<Record<string, CompressionAttempt['outcome']>> = {
  history_compression_complete: 'committed',
  history_compression_skipped: 'skipped',
  history_compression_failed: 'failed',
};
