// One compression at a time for each session:
//
//   idle ──run──▶ running ──▶ ready ──commit──▶ idle        committed: one journal event, or
//                    │          └──── stale ──▶ idle        the history it was planned on has changed
//                    ├── skipped ─────────────▶ idle        nothing to save; no model was asked
//                    ├── cancelled ───────────▶ idle
//                    └── failed ──▶ cooling ──▶ idle        backoff, for background triggers only
//
// Running never changes the session. Commits happen only between turns.
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { MessageId, NodeId } from '../core/model/ids.ts';
import { isSameSummary, type SummaryNode } from '../core/model/summary.ts';
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
import { ModelFault } from './fault.ts';
import {
  paidModel,
  type SummarizerConfig,
  type PaidModel,
  type UsageEvent,
  OPEN_GATE,
  type SpendGate,
  SpendLimitReached,
} from './spend-limited-model.ts';
import type { Clock } from './ports.ts';
import type { SessionParts } from './session-parts.ts';

export interface CompressorDeps extends Pick<SessionParts, 'journal' | 'clock' | 'log' | 'counter' | 'price'> {
  readonly work: CompressionWork;
  /** Undefined: summaries are extracted. Rejects with `ModelFault` if the selected model isn't available. */
  readonly summaryModel: (request: CompressionRequest) => Promise<SummarizerConfig | undefined>;
  /** Absent: no limit. */
  readonly spendGate?: SpendGate;
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
      readonly planned: PlannedOn;
      readonly triggered: LogFields;
    };

const IDLE: Phase = { kind: 'idle' };

type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** The branch and the summaries when the compression was planned. */
interface PlannedOn {
  readonly path: readonly MessageId[];
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
}

/** Runs and commits all compressions of a session, one at a time. */
export class Compressor {
  readonly #deps: CompressorDeps;
  readonly #gate: SpendGate;
  readonly #guard: CompressionGuard;
  readonly #changed: Emitter<undefined>;
  #phase: Phase = IDLE;
  #progress: Progress | undefined;
  #committing: Promise<CompressionOutcome> | undefined;

  constructor(deps: CompressorDeps) {
    this.#deps = deps;
    this.#gate = deps.spendGate ?? OPEN_GATE;
    this.#guard = new CompressionGuard(deps.clock, this.#gate);
    this.#changed = new Emitter((error) => deps.log.warn(`Compression listener failed: ${String(error)}`));
  }

  /** Null if nothing is running. */
  get progress(): Progress | null {
    return this.#progress ?? null;
  }

  get isRunning(): boolean {
    return this.#phase.kind === 'running';
  }

  /** False if a request would join another compression. */
  get isIdle(): boolean {
    return this.#phase.kind === 'idle' && !this.#committing;
  }

  /** Why background compression is paused, if it is. */
  pause(settings: CompressionRequest['settings']): 'off' | 'spent' | undefined {
    if (settings.policy.strategy === 'off') return 'off';
    return this.#guard.isSpent(settings) ? 'spent' : undefined;
  }

  onDidChange(listener: () => void): Disposable {
    return this.#changed.on(listener);
  }

  cancel(): void {
    if (this.#phase.kind === 'running') this.#phase.abort.abort();
  }

  /** Resolves when nothing is running. */
  async settled(): Promise<void> {
    if (this.#phase.kind === 'running') await this.#phase.outcome;
  }

  /**
   * Runs until a result is ready for `commit`, or there is none. A second request joins the running one.
   * Never rejects; faults are outcomes.
   */
  run(request: CompressionRequest): Promise<CompressionOutcome> {
    const { settings, urgency } = request;
    const error = this.#deps.journal.readOnly;
    // Don't pay for a compression that can't be committed.
    if (error) return Promise.resolve({ kind: 'failed', error });
    if (settings.policy.strategy === 'off') return Promise.resolve({ kind: 'off' });
    if (this.#phase.kind === 'running') return this.#join(this.#phase, request);
    if (this.#phase.kind === 'ready') return Promise.resolve({ kind: 'ready' });
    // The session doesn't include the result until it's on disk, so the same compression would run again.
    if (this.#committing) return this.#committing.catch((fault: unknown) => ({ kind: 'failed', error: fault }));
    const refusal = this.#guard.refusal(request);
    if (refusal) return Promise.resolve({ kind: refusal });
    const abort = new AbortController();
    const signal = request.signal ? AbortSignal.any([abort.signal, request.signal]) : abort.signal;
    const outcome = this.#work(request, signal).finally(() => this.#show(undefined));
    this.#phase = { kind: 'running', abort, urgency, outcome };
    return outcome;
  }

  /** If a background compression fails or finds nothing, an urgent request then runs separately. */
  async #join(running: Extract<Phase, { kind: 'running' }>, request: CompressionRequest): Promise<CompressionOutcome> {
    const outcome = await Promise.race([running.outcome, ...(request.signal ? [cancelledBy(request.signal)] : [])]);
    const settled = outcome.kind === 'ready' || outcome.kind === 'cancelled';
    return settled || running.urgency === 'now' || request.urgency === 'background' ? outcome : this.run(request);
  }

  /** What `run` would commit, or why nothing. Doesn't call a model, so it costs nothing. Rejects on faults. */
  async preview(request: CompressionRequest): Promise<CompressionRecord | SkipReason | 'off'> {
    if (request.settings.policy.strategy === 'off') return 'off';
    const { signal } = new AbortController();
    const result = await this.#result(request, undefined, true, signal, () => undefined);
    return result.kind === 'done' ? result.record : result.reason;
  }

  /** Commits a finished compression as one event, if the history is unchanged. Call it between turns. */
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

  async #commitReady({ result, planned, triggered }: Extract<Phase, { kind: 'ready' }>): Promise<CompressionOutcome> {
    const { journal, log } = this.#deps;
    const { record, last, fault } = result;
    if (!stillStands(planned, last.position, record, journal.state)) {
      log.event('history_compression_skipped', { ...triggered, reason: 'history_changed', ...callsOf(record) });
      return { kind: 'stale' };
    }
    await journal.append({ type: 'compressed', compression: record });
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
      ...(fault !== undefined && { fallback: 'extractive', error: describe(fault) }),
    });
    return { kind: 'committed', record, fault };
  }

  async #work(request: CompressionRequest, signal: AbortSignal): Promise<CompressionOutcome> {
    const { journal, clock, log } = this.#deps;
    const { due, urgency, settings, before } = request;
    const triggered: LogFields = {
      session_id: journal.id,
      trigger: due.trigger,
      threshold: due.threshold,
      policy: settings.policy.name,
      message_count_before: journal.state.uncoveredCount,
      tokens_before: before.total,
    };
    const begin = (): void => log.event('history_compression_triggered', triggered);
    // An extension often has nothing to compress, for example when a tool call stays with its result. Don't log that.
    const isUnsaid = request.extends === true;
    if (!isUnsaid) begin();
    const failed = (error: unknown, calls: number): void => {
      log.event('history_compression_failed', { ...triggered, error: describe(error), calls }, 'error');
    };
    this.#show({ stage: 'planning', done: 0, total: 1, urgency });
    // Let the current turn finish before background work starts.
    if (urgency === 'background') await clock.yielder.yield();
    else await yieldIfDue(clock.yielder);
    const planned: PlannedOn = { path: journal.state.path.slice(), nodes: new Map(journal.state.nodes) };
    const allowsFallback = settings.extractiveOnFault && urgency === 'now';
    let paid: PaidModel | undefined;
    try {
      const chosen = await this.#modelFor(request, allowsFallback, signal);
      ({ paid } = chosen);
      const result = await this.#result(request, paid, allowsFallback, signal, (progress) => {
        this.#show({ ...progress, urgency });
      });
      const usage = await this.#record(paid);
      signal.throwIfAborted();
      if (result.kind === 'skipped') {
        this.#phase = IDLE;
        if (isUnsaid) return result;
        const cost_usd = usage.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
        log.event('history_compression_skipped', {
          ...triggered,
          reason: result.reason,
          calls: usage.length,
          cost_usd,
        });
        return result;
      }
      if (isUnsaid) begin();
      const record = { ...result.record, calls: paidCalls(result.record, usage) };
      const fault = result.fault ?? chosen.fault;
      if (fault === undefined) {
        // Without a call, nothing is known about the provider.
        if (record.calls.count > 0) this.#guard.answered();
      } else {
        this.#guard.failed(fault);
        failed(fault, record.calls.count);
      }
      this.#phase = { kind: 'ready', result: { ...result, record, fault }, planned, triggered };
      return { kind: 'ready' };
    } catch (error) {
      this.#phase = IDLE;
      if (isUnsaid) begin();
      const calls = await this.#record(paid).then(
        ({ length }) => length,
        (unrecorded: unknown) => {
          log.warn(`Usage was not recorded: ${String(unrecorded)}`);
          return 0;
        },
      );
      if (signal.aborted || ModelFault.is(error, 'cancelled')) {
        log.event('history_compression_skipped', { ...triggered, reason: 'cancelled', calls });
        return { kind: 'cancelled' };
      }
      this.#guard.failed(error);
      failed(error, calls);
      return { kind: 'failed', error };
    }
  }

  /** The summarizer with the spend limit applied, or the fault because of which summaries are extracted. */
  async #modelFor(
    request: CompressionRequest,
    allowsFallback: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly paid?: PaidModel; readonly fault?: unknown }> {
    const { summaryModel, price } = this.#deps;
    const { strategy } = request.settings.policy;
    // While a request waits, `auto` uses extraction, which is faster than a model.
    if (strategy === 'trim' || request.extends === true || (strategy === 'auto' && holdsUpRequest(request))) return {};
    try {
      const model = await summaryModel(request);
      if (!model) return {};
      const refusal = this.#guard.modelRefusal(request);
      if (refusal) throw refusal;
      return { paid: paidModel(model, this.#gate, price, signal) };
    } catch (fault) {
      if (!allowsFallback) throw fault;
      return { fault };
    }
  }

  #result(
    request: CompressionRequest,
    paid: PaidModel | undefined,
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

  /** Records the usage of each call, even if the compression failed. Resolves to the recorded events. */
  async #record(paid: PaidModel | undefined): Promise<readonly UsageEvent[]> {
    const usage = paid?.takeUsage() ?? [];
    if (usage.length > 0) await this.#deps.journal.append(...usage);
    return usage;
  }

  #show(progress: Progress | undefined): void {
    this.#progress = progress;
    this.#changed.emit(undefined);
  }
}

/** Whether a chat request waits for this compression. */
export const holdsUpRequest = ({ due }: Pick<CompressionRequest, 'due'>): boolean =>
  due.trigger === 'before_send' || due.trigger === 'provider_overflow';

/** Resolves when the request is canceled. */
const cancelledBy = (signal: AbortSignal): Promise<CompressionOutcome> =>
  new Promise((resolve) => {
    const cancel = (): void => resolve({ kind: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });

/** Whether the planned messages are unchanged and no merged summary was edited meanwhile. */
function stillStands(planned: PlannedOn, last: number, record: CompressionRecord, state: SessionState): boolean {
  for (let at = 0; at <= last; at++) if (planned.path[at] !== state.path[at]) return false;
  const joined = record.nodes.flatMap((node) => node.children);
  return joined.every((id) => isSameSummary(planned.nodes.get(id), state.nodes.get(id)));
}

/** All paid calls, including failed ones. If the provider doesn't report usage, the calls as counted here. */
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

/** The kind of fault for the log, which must not contain message text. */
function describe(error: unknown): string {
  if (ModelFault.is(error)) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}

/** Backoff of background triggers after a failure. Each further failure in a row doubles it. */
export const COOL_DOWN_MS = 120_000;
const MAX_COOL_DOWN_MS = 3_600_000;

/** Decides whether a compression may start and call a model: applies the spend limit and the backoff. */
class CompressionGuard {
  readonly #clock: Clock;
  readonly #gate: SpendGate;
  #until = 0;
  #failures = 0;
  #lastFault: Error | undefined;

  constructor(clock: Clock, gate: SpendGate) {
    this.#clock = clock;
    this.#gate = gate;
  }

  /** Whether the provider failed last time. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Why a compression must not start now, if so. Urgent ones always may. */
  refusal({ due, urgency, settings }: CompressionRequest): 'cooling' | 'spent' | undefined {
    if (urgency === 'now') return undefined;
    // `every` fires only once per multiple, so it needs no backoff.
    if (this.#isCooling && due.trigger !== 'every') return 'cooling';
    return this.isSpent(settings) ? 'spent' : undefined;
  }

  /** `trim` doesn't use a model, so the spend limit doesn't apply. */
  isSpent({ policy }: CompressionRequest['settings']): boolean {
    return this.#gate.state() === 'spent' && policy.strategy !== 'trim';
  }

  /** Why the model must not be called, if so. */
  modelRefusal({ due, urgency }: CompressionRequest): Error | undefined {
    if (this.#gate.state() === 'spent') return new SpendLimitReached();
    // Only the user's command ignores the backoff. Other urgent requests use extraction meanwhile.
    const leavesAlone = urgency === 'now' && due.trigger !== 'command';
    return leavesAlone && this.hasFailed && this.#isCooling ? this.#lastFault : undefined;
  }

  /** Resets the backoff after a successful call. */
  answered(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** Starts or extends the backoff. The same fault, reported again after a fallback, counts only once. */
  failed(fault: unknown): void {
    if (fault instanceof SpendLimitReached || fault === this.#lastFault) return;
    const retryAfter = ModelFault.is(fault) ? (fault.retryAfterMs ?? 0) : 0;
    const wait = Math.min(MAX_COOL_DOWN_MS, COOL_DOWN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#lastFault = fault instanceof Error ? fault : new Error(String(fault));
    this.#until = this.#clock.now() + Math.max(wait, retryAfter);
  }

  get #isCooling(): boolean {
    return this.#clock.now() < this.#until;
  }
}
