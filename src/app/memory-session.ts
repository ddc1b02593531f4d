import type { Context } from '../core/context/assemble.ts';
import type { SourceMessage } from '../core/compress/source.ts';
import type { CompressionRecord, SessionEvent, TriggerName } from '../core/journal/schema.ts';
import { detectEvents } from '../core/events/detect.ts';
import { eventIdAt } from '../core/events/ledger.ts';
import { sessionId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { messageText, type Message } from '../core/model/message.ts';
import { ALONE, type Breather } from '../core/pace/breather.ts';
import type { Policy } from '../core/policy/policy.ts';
import type { PresetName } from '../core/prompts/render.ts';
import { SessionState } from '../core/state/session-state.ts';
import type { MessageTokens, TokenCounter } from '../core/tokens/token-counter.ts';
import { compressSession } from './compress-session.ts';
import type { CompressionAim, CompressionOutcome } from './compression-job.ts';
import { CompressionTriggers } from './compression-triggers.ts';
import { Compressor } from './compressor.ts';
import { ContextMeter } from './context-meter.ts';
import type { JobModel, PriceOf } from './paid-model.ts';
import { modelWith, type Clock, type Log, type SessionJournal } from './ports.ts';
import type { ConversationSettings } from './settings.ts';

export interface MemorySessionOptions {
  readonly policy: Policy;
  /** Tokens a request may take. */
  readonly budget: number;
  readonly counter: TokenCounter;
  readonly preset: PresetName;
  /** Undefined: summaries are extracted. */
  readonly model: JobModel | undefined;
  readonly price: PriceOf;
  /** Whether extraction stands in for a model whose provider fails. */
  readonly extractiveOnFault?: boolean;
  readonly breather?: Breather;
}

type Calls = CompressionRecord['calls'];

export const NO_CALLS: Calls = { count: 0, inputTokens: 0, outputTokens: 0, costUsd: 0 };

export const addCalls = (a: Calls, b: Calls): Calls => ({
  count: a.count + b.count,
  inputTokens: a.inputTokens + b.inputTokens,
  outputTokens: a.outputTokens + b.outputTokens,
  costUsd: a.costUsd + b.costUsd,
});

/** Between two messages: a provider that has failed is tried again some messages later, as in the editor. */
const MESSAGE_MS = 60_000;

/** One attempt to compress; `at` is how many messages the session had then. */
export interface CompressionAttempt {
  readonly at: number;
  readonly trigger: TriggerName;
  readonly outcome: 'committed' | 'skipped' | 'failed';
  readonly messagesBefore: number;
  readonly messagesAfter: number;
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly calls: number;
  /** Set where extraction stood in for a model that failed. */
  readonly fallback?: 'extractive';
}

/** A session in memory: the editor's pipeline for the command line, the library and the benchmarks. */
export class MemorySession {
  readonly state = new SessionState();
  readonly meter: ContextMeter;
  readonly attempts: CompressionAttempt[] = [];
  readonly #options: MemorySessionOptions;
  readonly #compressor: Compressor;
  readonly #triggers: CompressionTriggers;
  #at = 0;
  #fault: Error | undefined;

  constructor(options: MemorySessionOptions) {
    const { counter, policy, budget, preset, model, price, breather = ALONE } = options;
    this.#options = options;
    let made = 0;
    const clock: Clock = { now: () => this.#at, id: () => `n${++made}`, breather };
    const settings: ConversationSettings = {
      systemPrompt: '',
      memory: '',
      // A file is read in a moment: no summary in it is ever old.
      policy: { ...policy, triggers: { ...policy.triggers, ageMs: null } },
      contextWindow: budget,
      reservedTokens: 0,
      temperature: undefined,
      extractiveOnFault: options.extractiveOnFault ?? false,
      resetFinishedTask: false,
      recallShare: 0,
      countWithProvider: false,
    };
    const journal = this.#journal();
    const countStore = { load: () => Promise.resolve(undefined), save: () => Promise.resolve() };
    this.meter = new ContextMeter({
      journal,
      clock,
      counter,
      countStore,
      settings: () => settings,
      calibration: () => undefined,
    });
    const log: Log = { event: (name, fields) => this.#note(name, fields), warn: () => undefined };
    this.#compressor = new Compressor({
      journal,
      clock,
      log,
      counter,
      work: compressSession({ clock, preset: () => preset, price }),
      summaryModel: () => Promise.resolve(model && { ...model, model: this.#watched(model) }),
      price,
    });
    this.#triggers = new CompressionTriggers({
      journal,
      clock,
      log,
      compressor: this.#compressor,
      meter: this.meter,
      settings: () => settings,
      isReplying: () => false,
      isEnding: () => false,
    });
  }

  /** What the summarizer's provider threw last; undefined while it answers. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** The next message, as a session grows: before a user's, the turn before it has ended and the triggers are checked. */
  async take(message: SourceMessage): Promise<void> {
    if (message.role === 'user' && this.state.path.length > 0) await this.#betweenTurns();
    this.add(message);
    if (message.role === 'user') await this.#triggers.beforeSend();
  }

  /** The last turn has ended: what is due is done, and what still does not fit is compressed as before a request. */
  async end(): Promise<void> {
    await this.#betweenTurns();
    const { counts } = this.meter;
    const said = this.systemMessages().reduce((sum, message) => sum + counts.total(message), 0);
    if (this.context().total + said > this.#options.budget)
      await this.#triggers.compress({ trigger: 'before_send', threshold: 1 }, 'now');
  }

  /** A message, with its tokens where they are known, and nothing is looked at. */
  add({ id, role, content, attachments }: SourceMessage, tokens?: MessageTokens): void {
    const message = {
      id,
      parent: this.state.head,
      role,
      content,
      at: (this.#at += MESSAGE_MS),
      ...(attachments && { attachments }),
    };
    if (tokens) this.meter.counts.keep(id, tokens);
    this.#append({ type: 'message_added', message });
  }

  /** Compresses now; to `aim` in place of what the policy says. */
  async compress(aim?: CompressionAim): Promise<CompressionOutcome> {
    // Counted with pauses; what is looked at next would count at one go.
    await this.meter.countNew();
    return this.#triggers.compress({ trigger: 'command', threshold: 0 }, 'now', { aim });
  }

  /** What would be sent now. */
  context(): Context {
    return this.meter.context();
  }

  /** What was said under the system's role and no summary stands for: it is sent first, as it was, beside the context. */
  systemMessages(): readonly Message[] {
    return Array.from(this.state.uncovered(), ({ message }) => message).filter(({ role }) => role === 'system');
  }

  /** Key events of the ledger, and of the messages that are still sent verbatim. */
  keyEvents(): readonly KeyEvent[] {
    const { state } = this;
    const leftOut = new Set(this.context().leftOut.map(({ id }) => id));
    const events = Array.from(state.events.values(), (event): KeyEvent =>
      leftOut.has(event.id) ? { ...event, status: 'dropped' } : event,
    );
    for (const { message, position } of state.uncovered()) {
      if (message.role === 'system') continue;
      const previous = position > 0 ? state.messages.get(state.path[position - 1]!) : undefined;
      const before = previous && { role: previous.role, text: messageText(previous) };
      const found = detectEvents({ role: message.role, text: messageText(message) }, before && { before });
      for (const event of found) {
        const id = eventIdAt(message.id, event);
        if (state.events.has(id)) continue;
        const { about, ...detected } = event;
        events.push({
          ...detected,
          id,
          message: message.id,
          status: 'active',
          pinned: false,
          ...(about && previous && { about: { ...about, message: previous.id } }),
        });
      }
    }
    return events;
  }

  /** Model calls of all that was committed; `costUsd` in US dollars. */
  get calls(): Calls {
    return this.state.compressions.reduce((sum, { calls }) => addCalls(sum, calls), NO_CALLS);
  }

  async #betweenTurns(): Promise<void> {
    await this.#triggers.betweenTurns();
    await this.#triggers.settled();
  }

  /** The log tells what was attempted and what came of it. */
  #note(name: string, fields: Parameters<Log['event']>[1]): void {
    const outcome = OUTCOMES[name];
    if (!outcome) return;
    const isExtracted = 'fallback' in fields;
    // The fault was noted as a failure, and then extraction has stood in.
    if (isExtracted) this.attempts.pop();
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

  #watched({ model }: JobModel): JobModel['model'] {
    const keep = (error: unknown): void => {
      this.#fault = error instanceof Error ? error : undefined;
    };
    return modelWith(model, async function* (request, signal) {
      try {
        yield* model.stream(request, signal);
        keep(undefined);
      } catch (error) {
        keep(error);
        throw error;
      }
    });
  }

  #append(...events: readonly SessionEvent[]): void {
    for (const event of events) this.state.apply(event, this.#at);
  }

  #journal(): SessionJournal {
    return {
      id: sessionId('transcript'),
      state: this.state,
      readOnly: undefined,
      unsaved: undefined,
      notice: undefined,
      append: (...events) => Promise.resolve(this.#append(...events)),
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
