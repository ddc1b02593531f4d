// One compression at a time for each session:
//
//   idle ──run──▶ running ──▶ ready ──commit──▶ idle        committed: one journal event, or
//                    │          └──── stale ──▶ idle        the history has changed since it was planned
//                    ├── skipped ─────────────▶ idle        no messages, or too little saved
//                    ├── cancelled ───────────▶ idle
//                    └── failed ──▶ backoff ──▶ idle        for background triggers only
//
// Running never changes the session. Commits happen only between turns.
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { LevelChoice } from '../core/compress/choose-levels.ts';
import { isSameSummary } from '../core/model/summary.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type {
  CompressionOutcome,
  CompressionProgress,
  CompressionRequest,
  CompressionWork,
  SkipReason,
  Urgency,
  WorkResult,
} from './compression-job.ts';
import { Emitter, type Disposable } from './emitter.ts';
import { isUnusableAnswer, ModelFault } from './fault.ts';
import {
  spendLimitedModel,
  type SpendLimitedModel,
  type UsageEvent,
  type SpendGate,
  SpendLimitReached,
} from './spend-limited-model.ts';
import type { NeededReasoning, SummarizerConfig } from './summarizer.ts';
import type { Clock } from './ports.ts';
import type { SessionDeps } from './session-deps.ts';

export interface CompressorDeps extends Pick<SessionDeps, 'journal' | 'clock' | 'log' | 'counter' | 'price'> {
  readonly work: CompressionWork;
  /**
   * Undefined: summaries are extracted. Rejects with `ModelFault` if the selected model isn't available, and with the
   * host's error if a setting is invalid.
   */
  readonly summaryModel: (request: CompressionRequest) => Promise<SummarizerConfig | undefined>;
  readonly spendGate: SpendGate;
}

type Done = Extract<WorkResult, { kind: 'done' }>;
type Progress = CompressionProgress & { readonly urgency: Urgency };

type Phase =
  | { readonly kind: 'idle' }
  | {
      readonly kind: 'running';
      readonly abort: AbortController;
      readonly urgency: Urgency;
      readonly outcome: Promise<CompressionOutcome>;
    }
  | {
      readonly kind: 'ready';
      readonly result: Done;
      readonly planned: PlanBasis;
      readonly triggered: LogFields;
    };

const IDLE: Phase = { kind: 'idle' };

type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** The active branch and the summaries when a compression was planned. */
type PlanBasis = Pick<SessionState, 'path' | 'nodes' | 'levels'>;

/** Runs and commits all compressions of a session, one at a time. */
export class Compressor {
  readonly #deps: CompressorDeps;
  readonly #guard: CompressionGuard;
  readonly #changed: Emitter<undefined>;
  #phase: Phase = IDLE;
  #progress: Progress | undefined;
  #committing: Promise<CompressionOutcome> | undefined;
  /** Usage that couldn't be recorded. It's recorded with the next one. */
  #unrecorded: readonly UsageEvent[] = [];
  readonly #neededReasoning: NeededReasoning = new Map();

  constructor(deps: CompressorDeps) {
    this.#deps = deps;
    this.#guard = new CompressionGuard(deps.clock, deps.spendGate);
    this.#changed = new Emitter((error) => deps.log.warn(`Compression listener failed: ${String(error)}`));
  }

  get progress(): Progress | null {
    return this.#progress ?? null;
  }

  get isRunning(): boolean {
    return this.#phase.kind === 'running';
  }

  /** False if a new request would join another compression. */
  get isIdle(): boolean {
    return this.#phase.kind === 'idle' && !this.#committing;
  }

  /** The reason why background compression is paused; undefined if it isn't. */
  pauseReason(settings: CompressionRequest['settings']): 'off' | 'spent' | undefined {
    if (settings.policy.strategy === 'off') return 'off';
    return this.#guard.isSpent(settings) ? 'spent' : undefined;
  }

  /** The failure after which background compression waits; undefined if it doesn't wait. */
  get backoffFault(): Error | undefined {
    return this.#guard.backoffFault;
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changed.on(listener);
  }

  cancel(): void {
    if (this.#phase.kind === 'running') this.#phase.abort.abort();
  }

  async settled(): Promise<void> {
    if (this.#phase.kind === 'running') await this.#phase.outcome;
  }

  /** Compresses without changing the session. A second request joins the running one. Never rejects. */
  run(request: CompressionRequest): Promise<CompressionOutcome> {
    const { settings, urgency } = request;
    const error = this.#deps.journal.readOnly;
    // Don't pay for a compression that can't be committed.
    if (error) return Promise.resolve({ kind: 'failed', error });
    if (settings.policy.strategy === 'off') return Promise.resolve({ kind: 'off' });
    if (this.#phase.kind === 'running') return this.#join(this.#phase, request);
    if (this.#phase.kind === 'ready') return Promise.resolve({ kind: 'ready' });
    // Until the result is on disk, the session doesn't include it, so the same compression would run again.
    if (this.#committing) return this.#committing.catch((fault: unknown) => ({ kind: 'failed', error: fault }));
    const refusal = this.#guard.refusal(request);
    if (refusal) return Promise.resolve({ kind: refusal });
    const abort = new AbortController();
    const signal = request.signal ? AbortSignal.any([abort.signal, request.signal]) : abort.signal;
    const outcome = this.#work(request, signal).finally(() => this.#setProgress(undefined));
    this.#phase = { kind: 'running', abort, urgency, outcome };
    return outcome;
  }

  /** Records usage. If that fails, it's recorded with the next one. */
  async recordUsage(usage: readonly UsageEvent[]): Promise<void> {
    const events = [...this.#unrecorded, ...usage];
    if (events.length === 0) return;
    this.#unrecorded = [];
    try {
      await this.#deps.journal.append(...events);
    } catch (error) {
      this.#unrecorded = [...events, ...this.#unrecorded];
      throw error;
    }
  }

  /** Waits for the running compression. If it was a background one without a result, an urgent request runs another. */
  async #join(running: Extract<Phase, { kind: 'running' }>, request: CompressionRequest): Promise<CompressionOutcome> {
    const outcome = await Promise.race([running.outcome, ...(request.signal ? [cancelledBy(request.signal)] : [])]);
    const isFinal = outcome.kind === 'ready' || outcome.kind === 'cancelled';
    return isFinal || running.urgency === 'now' || request.urgency === 'background' ? outcome : this.run(request);
  }

  /** The compression that `run` would make without a model, or why there is none. Rejects on faults. */
  async preview(request: CompressionRequest): Promise<CompressionRecord | SkipReason | 'off'> {
    if (request.settings.policy.strategy === 'off') return 'off';
    const { signal } = new AbortController();
    const result = await this.#result(request, undefined, true, signal, () => undefined);
    return result.kind === 'done' ? result.record : result.reason;
  }

  /** Commits the result of `run` as one event, if the history is unchanged. Call it between turns. */
  commit(): Promise<CompressionOutcome> {
    const phase = this.#phase;
    // A second caller gets the outcome of the first one's commit.
    if (phase.kind !== 'ready') return this.#committing ?? Promise.resolve({ kind: 'nothing' });
    this.#phase = IDLE;
    this.#committing = this.#commitReady(phase).finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  /** Discards a result of `run` that can't be committed. */
  discard(): void {
    if (this.#phase.kind !== 'ready') return;
    const { result, triggered } = this.#phase;
    this.#phase = IDLE;
    const canceled = { reason: 'cancelled', ...callsOf(result.record) };
    this.#deps.log.event('history_compression_skipped', { ...triggered, ...canceled });
  }

  async #commitReady({ result, planned, triggered }: Extract<Phase, { kind: 'ready' }>): Promise<CompressionOutcome> {
    const { journal, log } = this.#deps;
    const { record, last, fault } = result;
    if (!isStillValid(planned, last.position, record, journal.state)) {
      log.event('history_compression_skipped', { ...triggered, reason: 'history_changed', ...callsOf(record) });
      return { kind: 'stale' };
    }
    // A level that the user has selected in the meantime is kept.
    const isUnchanged = ({ node }: LevelChoice): boolean => planned.levels.get(node) === journal.state.levels.get(node);
    const compression = { ...record, levels: record.levels.filter(isUnchanged) };
    await journal.append({ type: 'compressed', compression }).catch((error: unknown) => {
      const failure = { error: faultName(error), calls: record.calls.count };
      log.event('history_compression_failed', { ...triggered, ...failure }, 'error');
      throw error;
    });
    log.event('history_compression_complete', {
      ...triggered,
      message_count_after: record.messages.after,
      messages_reduced: record.messages.before - record.messages.after,
      tokens_after: record.tokens.after,
      tokens_reduced: record.tokens.before - record.tokens.after,
      nodes: record.nodes.length,
      ...(record.keyEvents && { key_events: record.keyEvents.total, key_events_kept: record.keyEvents.kept }),
      ...callsOf(record),
      duration_ms: record.durationMs,
      ...(fault !== undefined && { fallback: 'extractive', error: faultName(fault) }),
    });
    return { kind: 'committed', record: compression, fault };
  }

  async #work(request: CompressionRequest, signal: AbortSignal): Promise<CompressionOutcome> {
    const { journal, clock, log } = this.#deps;
    const { due, urgency, settings, before } = request;
    const triggered: LogFields = {
      session_id: journal.id,
      trigger: due.trigger,
      threshold: due.threshold,
      policy: settings.policy.name,
      message_count_before: journal.state.uncompressedCount,
      tokens_before: before.total,
    };
    const logTriggered = (): void => log.event('history_compression_triggered', triggered);
    // `extends` often has nothing to compress, which isn't logged.
    const logsOnlyResult = request.extends === true;
    if (!logsOnlyResult) logTriggered();
    const logFailed = (error: unknown, calls: number): void => {
      log.event('history_compression_failed', { ...triggered, error: faultName(error), calls }, 'error');
    };
    const logSkipped = (reason: string, calls: number): void => {
      log.event('history_compression_skipped', { ...triggered, reason, calls });
    };
    this.#setProgress({ stage: 'planning', done: 0, total: 1, urgency });
    // In the background, handle the current event first.
    if (urgency === 'background') await clock.yielder.yield();
    else await yieldIfDue(clock.yielder);
    const { path, nodes, levels } = journal.state;
    const planned: PlanBasis = { path: path.slice(), nodes: new Map(nodes), levels: new Map(levels) };
    const allowsFallback = settings.extractiveOnFault && urgency === 'now';
    let paid: SpendLimitedModel | undefined;
    try {
      const chosen = await this.#modelFor(request, allowsFallback, signal);
      ({ paid } = chosen);
      const result = await this.#result(request, paid, allowsFallback, signal, (progress) => {
        this.#setProgress({ ...progress, urgency });
      });
      const usage = paid?.takeUsage() ?? [];
      await this.recordUsage(usage);
      signal.throwIfAborted();
      if (result.kind === 'skipped') {
        this.#phase = IDLE;
        if (logsOnlyResult) return result;
        const cost_usd = usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
        const { reason } = result;
        log.event('history_compression_skipped', { ...triggered, reason, calls: usage.length, cost_usd });
        return result;
      }
      if (logsOnlyResult) logTriggered();
      const record = { ...result.record, calls: paidCalls(result.record, usage) };
      const fault = result.fault ?? chosen.fault;
      if (fault === undefined) {
        // Without a call, the provider may still be failing.
        if (record.calls.count > 0) this.#guard.succeeded();
      } else {
        this.#guard.failed(fault);
        // The user set the limit, so reaching it isn't a failure.
        if (!(fault instanceof SpendLimitReached)) logFailed(fault, record.calls.count);
      }
      this.#phase = { kind: 'ready', result: { ...result, record, fault }, planned, triggered };
      return { kind: 'ready' };
    } catch (error) {
      this.#phase = IDLE;
      if (logsOnlyResult) logTriggered();
      const usage = paid?.takeUsage() ?? [];
      const isCanceled = signal.aborted || ModelFault.is(error, 'cancelled');
      // Logged before the next `await`, after which another compression may have begun.
      if (isCanceled) logSkipped('cancelled', usage.length);
      else if (error instanceof SpendLimitReached) logSkipped('spend_limit', usage.length);
      else logFailed(error, usage.length);
      if (!isCanceled) this.#guard.failed(error);
      await this.recordUsage(usage).catch((unrecorded: unknown) => {
        log.warn(`Usage was not recorded: ${String(unrecorded)}`);
      });
      return isCanceled ? { kind: 'cancelled' } : { kind: 'failed', error };
    }
  }

  /** The summarizer with the spend limit applied. Without `paid`, summaries are extracted; `fault` says why, if known. */
  async #modelFor(
    request: CompressionRequest,
    allowsFallback: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly paid?: SpendLimitedModel; readonly fault?: unknown }> {
    const { summaryModel, spendGate, price } = this.#deps;
    const { strategy } = request.settings.policy;
    // While a request waits, `auto` uses extraction because it's faster.
    if (strategy === 'trim' || request.extends === true || (strategy === 'auto' && delaysRequest(request))) return {};
    try {
      const model = await summaryModel(request);
      if (!model) return {};
      const refusal = this.#guard.modelRefusal(request);
      if (refusal) throw refusal;
      return { paid: spendLimitedModel(model, spendGate, price, signal, this.#neededReasoning) };
    } catch (fault) {
      if (!allowsFallback && !isUnusableAnswer(fault)) throw fault;
      return { fault };
    }
  }

  #result(
    request: CompressionRequest,
    paid: SpendLimitedModel | undefined,
    extractiveOnFault: boolean,
    signal: AbortSignal,
    report: (progress: CompressionProgress) => void,
  ): Promise<WorkResult> {
    const { journal, counter, log, work } = this.#deps;
    const isProbing = this.#guard.hasFailed;
    const job = { ...request, state: journal.state, counter, model: paid?.model, extractiveOnFault, isProbing };
    const warn = (message: string): void => log.warn(`Session ${journal.id}: ${message}`);
    return work({ ...job, report, warn, signal });
  }

  #setProgress(progress: Progress | undefined): void {
    this.#progress = progress;
    this.#changed.emit(undefined);
  }
}

/** Whether a chat request waits for this compression. */
export const delaysRequest = ({ due }: Pick<CompressionRequest, 'due'>): boolean =>
  due.trigger === 'before_send' || due.trigger === 'provider_overflow';

const cancelledBy = (signal: AbortSignal): Promise<CompressionOutcome> =>
  new Promise((resolve) => {
    const cancel = (): void => resolve({ kind: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });

/** Whether the planned messages and the merged and replaced summaries are unchanged, and no replaced one was undone. */
function isStillValid(planned: PlanBasis, last: number, record: CompressionRecord, state: SessionState): boolean {
  for (let at = 0; at <= last; at++) if (planned.path[at] !== state.path[at]) return false;
  const replaced = record.nodes.flatMap((node) => node.replaces ?? []);
  const used = [...replaced, ...record.nodes.flatMap((node) => node.children)];
  return (
    used.every((id) => isSameSummary(planned.nodes.get(id), state.nodes.get(id))) &&
    !replaced.some((id) => state.isReverted(id))
  );
}

/** The paid calls, including failed ones, or the compression's own count if the provider reported fewer. */
function paidCalls({ calls }: CompressionRecord, paid: readonly UsageEvent[]): CompressionRecord['calls'] {
  if (paid.length < calls.count) return calls;
  const sum = (of: (one: UsageEvent) => number): number => paid.reduce((all, one) => all + of(one), 0);
  return {
    count: paid.length,
    inputTokens: sum(({ usage }) => usage.input),
    outputTokens: sum(({ usage }) => usage.output),
    costUsd: sum(({ costUsd }) => costUsd ?? 0),
  };
}

const callsOf = ({ calls }: CompressionRecord): LogFields => ({ calls: calls.count, cost_usd: calls.costUsd });

/** The kind of an error, for the log. Its message may contain the user's text. */
function faultName(error: unknown): string {
  if (ModelFault.is(error)) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}

/** Backoff of background triggers after a failure. Each consecutive failure doubles it. */
export const BACKOFF_MS = 120_000;
const MAX_BACKOFF_MS = 3_600_000;

/** Applies the spend limit and the backoff: decides whether a compression may start and whether it may call a model. */
class CompressionGuard {
  readonly #clock: Clock;
  readonly #gate: SpendGate;
  #failedAt = 0;
  #waitMs = 0;
  #failures = 0;
  #lastFault: Error | undefined;

  constructor(clock: Clock, gate: SpendGate) {
    this.#clock = clock;
    this.#gate = gate;
  }

  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  get backoffFault(): Error | undefined {
    // The difference is negative if the system clock was set back.
    return Math.abs(this.#clock.now() - this.#failedAt) < this.#waitMs ? this.#lastFault : undefined;
  }

  /** Why a compression must not start now; undefined if it may. Urgent ones always may. */
  refusal({ due, urgency, settings }: CompressionRequest): 'backing_off' | 'spent' | undefined {
    if (urgency === 'now') return undefined;
    // `every` fires at most once every few messages, so it needs no backoff.
    if (this.backoffFault && due.trigger !== 'every') return 'backing_off';
    return this.isSpent(settings) ? 'spent' : undefined;
  }

  /** Whether the spend limit is reached. It doesn't apply to `trim`, which doesn't call a model. */
  isSpent({ policy }: CompressionRequest['settings']): boolean {
    return this.#gate.state() === 'spent' && policy.strategy !== 'trim';
  }

  /** Why the model must not be called; undefined if it may. */
  modelRefusal({ due, urgency }: CompressionRequest): Error | undefined {
    if (this.#gate.state() === 'spent') return new SpendLimitReached();
    // During the backoff, urgent compressions use extraction, unless the user requested them.
    const respectsBackoff = urgency === 'now' && due.trigger !== 'command';
    return respectsBackoff ? this.backoffFault : undefined;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#waitMs = 0;
  }

  /** Starts or extends the backoff. A fault that is reported a second time after a fallback counts once. */
  failed(fault: unknown): void {
    if (fault instanceof SpendLimitReached || fault === this.#lastFault) return;
    const retryAfter = ModelFault.is(fault) ? (fault.retryAfterMs ?? 0) : 0;
    const wait = Math.min(MAX_BACKOFF_MS, BACKOFF_MS * 2 ** this.#failures);
    this.#failures++;
    this.#lastFault = fault instanceof Error ? fault : new Error(String(fault));
    this.#failedAt = this.#clock.now();
    this.#waitMs = Math.max(wait, retryAfter);
  }
}
