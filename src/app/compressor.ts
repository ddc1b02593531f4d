// One compression at a time for each session:
//
//   idle ──run──▶ working ──▶ ready ──commit──▶ idle        committed: one journal event, or
//                    │          └──── stale ──▶ idle        the history it was planned on has changed
//                    ├── nothing to do ───────▶ idle
//                    ├── cancelled ───────────▶ idle
//                    └── failed ──▶ cooling ──▶ idle        background triggers wait; a command does not
//
// While the limit for spending is used up, background triggers wait too, and no model is used for what cannot wait.
//
// Working never touches the session. Committing happens between turns alone.
import type { Context } from '../core/context/assemble.ts';
import type { CompressionRecord, TriggerName } from '../core/journal/event.ts';
import type { MessageId, NodeId } from '../core/model/ids.ts';
import type { Usage } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import type { DueTrigger } from '../core/policy/triggers.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import { Emitter, type Disposable } from './emitter.ts';
import { ModelFault } from './fault.ts';
import type { Clock, Log, SessionJournal } from './ports.ts';
import type { ConversationSettings } from './settings.ts';
import { SpendLimitReached, OPEN_GATE, type SpendGate } from './spend.ts';

export type Urgency = 'now' | 'background';

export interface CompressionProgress {
  readonly stage: string;
  readonly done: number;
  readonly total: number;
}

/** What a compression works on. Nothing in it changes the session. */
export interface CompressionJob {
  readonly due: DueTrigger;
  readonly urgency: Urgency;
  readonly state: SessionState;
  readonly settings: ConversationSettings;
  /** Tokens a request may take. */
  readonly budget: number;
  readonly before: Context;
  readonly counter: TokenCounter;
  readonly counts: MessageCounts;
  /** Whether code may stand in for a model whose provider fails. */
  readonly extractiveOnFault: boolean;
  /** The provider failed last time: one segment at a time is tried, until it answers. */
  readonly probing: boolean;
  /** Set while the provider is left alone after a fault: code stands in for it at once. */
  readonly leftAlone: unknown;
  readonly report: (progress: CompressionProgress) => void;
  /** False while the limit for spending is used up: then no model may be called. */
  readonly mayUseModel: () => boolean;
  /** Called for each model call, whether its result is used or not. */
  readonly spent: (usage: SpentUsage) => void;
  /** Called when code stands in for a model that could not be had: the fault, for the user to be told. */
  readonly standIn: (fault: unknown) => void;
  readonly signal: AbortSignal;
}

/** What came of it: a record to commit, or undefined when there is nothing worth compressing. */
export type CompressionWork = (job: CompressionJob) => Promise<WorkResult | undefined>;

export interface WorkResult {
  readonly record: CompressionRecord;
  /** The newest message that was looked at: while it stands where it stood, the plan still holds. */
  readonly last: { readonly message: MessageId; readonly position: number };
  /** Set when code stood in for a model: the fault, for the user to be told. */
  readonly fault: unknown;
}

export interface SpentUsage {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
}

export type CompressionOutcome =
  | { readonly kind: 'committed'; readonly record: CompressionRecord; readonly fault: unknown }
  | { readonly kind: 'ready' }
  | { readonly kind: 'started' }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'off' }
  | { readonly kind: 'cooling' }
  /** The limit for spending is used up, and nothing waits for this compression. */
  | { readonly kind: 'spent' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'stale' }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * How long background triggers rest after a failure, and after a compression that found nothing to save. Each further
 * failure in a row doubles it, so that a provider that is down for a day is not sent the session over and over.
 */
export const COOL_DOWN_MS = 120_000;
const LONGEST_COOL_DOWN_MS = 3_600_000;

export interface CompressorDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly counter: TokenCounter;
  readonly work: CompressionWork;
  /** No limit where it is left out. */
  readonly spendGate?: SpendGate;
}

export interface CompressionRequest {
  readonly due: DueTrigger;
  readonly urgency: Urgency;
  readonly settings: ConversationSettings;
  readonly budget: number;
  readonly before: Context;
  readonly counts: MessageCounts;
}

interface Running {
  readonly abort: AbortController;
  readonly urgency: Urgency;
  readonly outcome: Promise<CompressionOutcome>;
}

/** What a compression was planned on: the branch as it was, and the summaries that were there. */
interface PlannedOn {
  readonly path: readonly MessageId[];
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
}

interface Ready {
  readonly result: WorkResult;
  readonly planned: PlannedOn;
}

/** The one gate that every compression of a session goes through. */
export class Compressor {
  readonly #deps: CompressorDeps;
  readonly #gate: SpendGate;
  readonly #changed: Emitter<undefined>;
  #running: Running | undefined;
  #progress: (CompressionProgress & { readonly urgency: Urgency }) | undefined;
  #ready: Ready | undefined;
  #committing: Promise<CompressionOutcome> | undefined;
  #coolUntil = 0;
  #failures = 0;
  #lastFault: unknown;

  constructor(deps: CompressorDeps) {
    this.#deps = deps;
    this.#gate = deps.spendGate ?? OPEN_GATE;
    this.#changed = new Emitter((error) => deps.log.warn(`A listener of the compression failed: ${String(error)}`));
  }

  /** What is going on; null while nothing is. */
  get progress(): (CompressionProgress & { readonly urgency: Urgency }) | null {
    return this.#progress ?? null;
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changed.on(listener);
  }

  cancel(): void {
    this.#running?.abort.abort();
  }

  /** Resolves when nothing is being worked on. */
  async settled(): Promise<void> {
    await this.#running?.outcome;
  }

  /**
   * Works until a result is ready for `commit`, or there is none. A second request joins the one that runs.
   * Never rejects; a fault is an outcome.
   */
  run(request: CompressionRequest): Promise<CompressionOutcome> {
    const { settings, urgency } = request;
    if (settings.policy.strategy === 'off') return Promise.resolve({ kind: 'off' });
    if (this.#running) return this.#join(this.#running, request);
    if (this.#ready) return Promise.resolve({ kind: 'ready' });
    if (urgency === 'background' && this.#deps.clock.now() < this.#coolUntil)
      return Promise.resolve({ kind: 'cooling' });
    // Cutting takes no model, so it costs nothing and goes on.
    if (urgency === 'background' && settings.policy.strategy !== 'trim' && this.#gate.state() === 'spent')
      return Promise.resolve({ kind: 'spent' });
    const abort = new AbortController();
    const outcome = this.#work(request, abort.signal).finally(() => {
      this.#running = undefined;
      this.#show(undefined);
    });
    this.#running = { abort, urgency, outcome };
    return outcome;
  }

  /** What was begun in the background may stop at a provider's fault; what cannot wait is then tried by itself. */
  async #join(running: Running, request: CompressionRequest): Promise<CompressionOutcome> {
    const outcome = await running.outcome;
    const settled = outcome.kind === 'ready' || outcome.kind === 'cancelled';
    return settled || running.urgency === 'now' || request.urgency === 'background' ? outcome : this.run(request);
  }

  /** What `run` would commit; nothing is kept of it. Rejects with what went wrong. */
  async preview(request: CompressionRequest): Promise<CompressionRecord | undefined> {
    if (request.settings.policy.strategy === 'off') return undefined;
    const { journal, counter, work } = this.#deps;
    const { due, urgency, settings, budget, before, counts } = request;
    const spent: SpentUsage[] = [];
    const result = await work({
      due,
      urgency,
      settings,
      budget,
      before,
      counts,
      counter,
      state: journal.state,
      extractiveOnFault: true,
      ...this.#caution(due),
      report: () => undefined,
      ...this.#spending(spent),
      standIn: () => undefined,
      signal: new AbortController().signal,
    });
    await this.#record(spent);
    return result?.record;
  }

  /** Commits what is ready, between turns: one event, and only if the history it was made from still stands. */
  commit(): Promise<CompressionOutcome> {
    const ready = this.#ready;
    // Two may wait for the same result: the one that comes second hears what the first one's commit came to.
    if (!ready) return this.#committing ?? Promise.resolve({ kind: 'nothing' });
    this.#ready = undefined;
    this.#committing = this.#commitReady(ready).finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  async #commitReady(ready: Ready): Promise<CompressionOutcome> {
    const { journal, log } = this.#deps;
    const { record, last, fault } = ready.result;
    if (!stillStands(ready.planned, last.position, record, journal.state)) {
      log.warn(`A compression of session ${journal.id} was dropped: the history it was made from has changed.`);
      return { kind: 'stale' };
    }
    await journal.append({ type: 'compressed', compression: record });
    log.event('history_compression_complete', {
      session: journal.id,
      trigger: record.trigger,
      threshold: record.threshold,
      messagesBefore: record.messages.before,
      messagesAfter: record.messages.after,
      tokensBefore: record.tokens.before,
      tokensAfter: record.tokens.after,
      tokensSaved: record.tokens.before - record.tokens.after,
      nodes: record.nodes.length,
      keyEvents: record.events.length,
      calls: record.calls.count,
      costUsd: record.calls.costUsd,
      ms: record.durationMs,
    });
    return { kind: 'committed', record, fault };
  }

  async #work(request: CompressionRequest, signal: AbortSignal): Promise<CompressionOutcome> {
    const { journal, clock, log, counter, work } = this.#deps;
    const { due, urgency, settings, budget, before, counts } = request;
    const facts = {
      session: journal.id,
      trigger: due.trigger satisfies TriggerName,
      threshold: due.threshold,
      messagesBefore: journal.state.uncoveredCount,
      tokensBefore: before.total,
    };
    log.event('history_compression_triggered', facts);
    this.#show({ stage: 'planning', done: 0, total: 1, urgency });
    // The turn that gave the reason ends first: nobody waits for what runs in the background.
    if (urgency === 'background') await clock.breather.rest();
    const planned = { path: journal.state.path.slice(), nodes: new Map(journal.state.nodes) };
    const spent: SpentUsage[] = [];
    let fault: unknown;
    try {
      const result = await work({
        due,
        urgency,
        state: journal.state,
        settings,
        budget,
        before,
        counter,
        counts,
        extractiveOnFault: settings.extractiveOnFault && urgency === 'now',
        ...this.#caution(due),
        report: (progress) => this.#show({ ...progress, urgency }),
        ...this.#spending(spent),
        standIn: (error) => {
          fault = error;
        },
        signal,
      });
      await this.#record(spent.splice(0));
      const met = result?.fault ?? fault;
      if (met === undefined) this.#failures = 0;
      else if (met !== this.#lastFault && !(met instanceof SpendLimitReached)) this.#failed(met);
      if (!result) {
        if (urgency === 'background') this.#coolUntil = clock.now() + COOL_DOWN_MS;
        return { kind: 'nothing' };
      }
      signal.throwIfAborted();
      this.#ready = { result: { ...result, fault: result.fault ?? fault }, planned };
      return { kind: 'ready' };
    } catch (error) {
      await this.#record(spent).catch((failure: unknown) => log.warn(`Usage was not recorded: ${String(failure)}`));
      if (signal.aborted || ModelFault.is(error, 'cancelled')) return { kind: 'cancelled' };
      this.#failed(error);
      log.event('history_compression_failed', { ...facts, error: describe(error) });
      return { kind: 'failed', error };
    }
  }

  /** The user's command tries the provider at once; all else keeps away from it while it cools down. */
  #caution(due: DueTrigger): Pick<CompressionJob, 'probing' | 'leftAlone'> {
    const cooling = this.#failures > 0 && due.trigger !== 'command' && this.#deps.clock.now() < this.#coolUntil;
    return { probing: this.#failures > 0, leftAlone: cooling ? this.#lastFault : undefined };
  }

  #failed(fault: unknown): void {
    const retryAfter = ModelFault.is(fault) ? (fault.retryAfterMs ?? 0) : 0;
    const rest = Math.min(LONGEST_COOL_DOWN_MS, COOL_DOWN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#lastFault = fault;
    this.#coolUntil = this.#deps.clock.now() + Math.max(rest, retryAfter);
  }

  /** The gate counts each call as it ends, so that a long compression stops at the limit and not after it. */
  #spending(spent: SpentUsage[]): Pick<CompressionJob, 'mayUseModel' | 'spent'> {
    return {
      mayUseModel: () => this.#gate.state() === 'open',
      spent: (usage) => {
        spent.push(usage);
        this.#gate.spent(usage.costUsd);
      },
    };
  }

  /** Money that was spent is on record, whatever became of the compression. */
  async #record(spent: readonly SpentUsage[]): Promise<void> {
    const { journal } = this.#deps;
    await journal.append(...spent.map((one) => ({ type: 'usage_recorded', purpose: 'compression', ...one }) as const));
  }

  #show(progress: (CompressionProgress & { readonly urgency: Urgency }) | undefined): void {
    this.#progress = progress;
    this.#changed.emit(undefined);
  }
}

/** Whether all messages looked at stand where they stood, and no summary that was joined has been edited meanwhile. */
function stillStands(planned: PlannedOn, last: number, record: CompressionRecord, state: SessionState): boolean {
  for (let at = 0; at <= last; at++) if (planned.path[at] !== state.path[at]) return false;
  const joined = record.nodes.flatMap((node) => node.children);
  return joined.every((id) => planned.nodes.get(id) === state.nodes.get(id));
}

/** For the log: what kind of fault, never message text. */
function describe(error: unknown): string {
  if (ModelFault.is(error)) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}
