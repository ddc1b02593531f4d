// One compression at a time for each session:
//
//   idle ──run──▶ running ──▶ ready ──commit──▶ idle        committed: one journal event, or
//                    │          └──── stale ──▶ idle        the history it was planned on has changed
//                    ├── skipped ─────────────▶ idle        nothing to save; no model was asked
//                    ├── cancelled ───────────▶ idle
//                    └── failed ──▶ cooling ──▶ idle        background triggers wait; what cannot wait does not
//
// Running never touches the session. Committing happens between turns alone.
import type { CompressionRecord } from '../core/journal/schema.ts';
import type { MessageId, NodeId } from '../core/model/ids.ts';
import { isSameSummary, type SummaryNode } from '../core/model/summary.ts';
import { breathe } from '../core/pace/breather.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type {
  CompressionJob,
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
  type JobModel,
  type PaidModel,
  type UsageEvent,
  OPEN_GATE,
  type SpendGate,
  SpendLimitReached,
} from './paid-model.ts';
import type { Clock } from './ports.ts';
import type { SessionParts } from './session-parts.ts';

export interface CompressorDeps extends Pick<SessionParts, 'journal' | 'clock' | 'log' | 'counter' | 'price'> {
  readonly work: CompressionWork;
  /** Undefined: summaries are extracted. Rejects with `ModelFault` when the chosen model cannot be had. */
  readonly summaryModel: (request: CompressionRequest) => Promise<JobModel | undefined>;
  /** No limit where it is left out. */
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
      readonly wasTrial: boolean;
    };

const IDLE: Phase = { kind: 'idle' };

type LogFields = Readonly<Record<string, string | number | boolean | null>>;

/** What a compression was planned on: the branch as it was, and the summaries that were there. */
interface PlannedOn {
  readonly path: readonly MessageId[];
  readonly nodes: ReadonlyMap<NodeId, SummaryNode>;
}

/** The one gate that every compression of a session goes through. */
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

  /** What is going on; null while nothing is. */
  get progress(): Progress | null {
    return this.#progress ?? null;
  }

  get isRunning(): boolean {
    return this.#phase.kind === 'running';
  }

  /** Nothing is going on that a request would join. */
  get isIdle(): boolean {
    return this.#phase.kind === 'idle' && !this.#committing;
  }

  /** Why nothing is compressed in the background; undefined when it is. */
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
   * Works until a result is ready for `commit`, or there is none. A second request joins the one that runs.
   * Never rejects; a fault is an outcome.
   */
  run(request: CompressionRequest): Promise<CompressionOutcome> {
    const { settings, urgency } = request;
    const error = this.#deps.journal.readOnly;
    // What could not be committed is not paid for.
    if (error) return Promise.resolve({ kind: 'failed', error });
    if (settings.policy.strategy === 'off') return Promise.resolve({ kind: 'off' });
    if (this.#phase.kind === 'running') return this.#join(this.#phase, request);
    if (this.#phase.kind === 'ready') return Promise.resolve({ kind: 'ready' });
    // Until it is on disk the session is without it: it would be made once more.
    if (this.#committing) return this.#committing.catch((fault: unknown) => ({ kind: 'failed', error: fault }));
    const refusal = this.#guard.refusal(request);
    if (refusal) return Promise.resolve({ kind: refusal });
    const abort = new AbortController();
    const signal = request.signal ? AbortSignal.any([abort.signal, request.signal]) : abort.signal;
    const outcome = this.#work(request, signal).finally(() => this.#show(undefined));
    this.#phase = { kind: 'running', abort, urgency, outcome };
    return outcome;
  }

  /** If what runs in the background fails or finds nothing, an urgent request is tried by itself. */
  async #join(running: Extract<Phase, { kind: 'running' }>, request: CompressionRequest): Promise<CompressionOutcome> {
    const outcome = await Promise.race([running.outcome, ...(request.signal ? [cancelledBy(request.signal)] : [])]);
    const settled = outcome.kind === 'ready' || outcome.kind === 'cancelled';
    return settled || running.urgency === 'now' || request.urgency === 'background' ? outcome : this.run(request);
  }

  /** What `run` would commit, or why nothing; worked out without a model, so that it costs nothing. Rejects with what went wrong. */
  async preview(request: CompressionRequest): Promise<CompressionRecord | SkipReason | 'off'> {
    if (request.settings.policy.strategy === 'off') return 'off';
    const { signal } = new AbortController();
    const result = await this.#result(request, undefined, true, signal, () => undefined);
    return result.kind === 'done' ? result.record : result.reason;
  }

  /** Commits what is ready, between turns: one event, and only if the history it was made from still stands. */
  commit(): Promise<CompressionOutcome> {
    const phase = this.#phase;
    // Two may wait for the same result: the one that comes second hears what the first one's commit came to.
    if (phase.kind !== 'ready') return this.#committing ?? Promise.resolve({ kind: 'nothing' });
    this.#phase = IDLE;
    this.#committing = this.#commitReady(phase).finally(() => {
      this.#committing = undefined;
    });
    return this.#committing;
  }

  async #commitReady({
    result,
    planned,
    triggered,
    wasTrial,
  }: Extract<Phase, { kind: 'ready' }>): Promise<CompressionOutcome> {
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
    return { kind: 'committed', record, fault, wasTrial };
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
    // One that finds nothing to go on with is none: most often a tool call keeps one message more beside its result.
    const isUnsaid = request.extends === true;
    if (!isUnsaid) begin();
    const failed = (error: unknown, calls: number): void => {
      log.event('history_compression_failed', { ...triggered, error: describe(error), calls }, 'error');
    };
    this.#show({ stage: 'planning', done: 0, total: 1, urgency });
    // The turn that gave the reason ends first: nobody waits for what runs in the background.
    if (urgency === 'background') await clock.breather.rest();
    else await breathe(clock.breather);
    const planned: PlannedOn = { path: journal.state.path.slice(), nodes: new Map(journal.state.nodes) };
    const allowsFallback = settings.extractiveOnFault && urgency === 'now';
    let paid: PaidModel | undefined;
    try {
      const chosen = await this.#modelFor(request, allowsFallback, signal);
      ({ paid } = chosen);
      const wasTrial = isTrial({ isProbing: this.#guard.hasFailed, model: paid?.model, urgency });
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
        // Extraction says nothing of the provider.
        if (record.calls.count > 0) this.#guard.answered();
      } else {
        this.#guard.failed(fault);
        failed(fault, record.calls.count);
      }
      this.#phase = { kind: 'ready', result: { ...result, record, fault }, planned, triggered, wasTrial };
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

  /** The summarizer, held to the limit; or why extraction stands in for it from the start. */
  async #modelFor(
    request: CompressionRequest,
    allowsFallback: boolean,
    signal: AbortSignal,
  ): Promise<{ readonly paid?: PaidModel; readonly fault?: unknown }> {
    const { summaryModel, price } = this.#deps;
    const { strategy } = request.settings.policy;
    // `auto` takes no model while a request waits, since extraction is there at once.
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

  /** Money that was spent is on record, whatever became of the compression. Resolves to what each call took. */
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

/** A request waits for it. */
export const holdsUpRequest = ({ due }: Pick<CompressionRequest, 'due'>): boolean =>
  due.trigger === 'before_send' || due.trigger === 'provider_overflow';

/** A provider that has failed is tried with little, where nothing waits for it. */
export const isTrial = ({
  isProbing,
  model,
  urgency,
}: Pick<CompressionJob, 'isProbing' | 'model' | 'urgency'>): boolean =>
  isProbing && model !== undefined && urgency === 'background';

/** What a request comes to that no longer waits. */
const cancelledBy = (signal: AbortSignal): Promise<CompressionOutcome> =>
  new Promise((resolve) => {
    const cancel = (): void => resolve({ kind: 'cancelled' });
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel, { once: true });
  });

/** Whether all messages looked at stand where they stood, and no summary that was joined has been edited meanwhile. */
function stillStands(planned: PlannedOn, last: number, record: CompressionRecord, state: SessionState): boolean {
  for (let at = 0; at <= last; at++) if (planned.path[at] !== state.path[at]) return false;
  const joined = record.nodes.flatMap((node) => node.children);
  return joined.every((id) => isSameSummary(planned.nodes.get(id), state.nodes.get(id)));
}

/** All calls that were paid for, those that gave nothing too; as they were asked where the provider reports no usage. */
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

/** For the log: what kind of fault, never message text. */
function describe(error: unknown): string {
  if (ModelFault.is(error)) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}

/** How long background triggers wait after a failure; each further failure in a row doubles it. */
export const COOL_DOWN_MS = 120_000;
const LONGEST_COOL_DOWN_MS = 3_600_000;

/** Whether a compression may start and whether it may use a model: the spend limit, and a provider that is down. */
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

  /** The provider failed last time. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** Why a compression does not start now; undefined when it may. What cannot wait always may. */
  refusal({ due, urgency, settings }: CompressionRequest): 'cooling' | 'spent' | undefined {
    if (urgency === 'now') return undefined;
    // A trigger that comes once for each multiple is its own limit.
    if (this.#isCooling && due.trigger !== 'every') return 'cooling';
    return this.isSpent(settings) ? 'spent' : undefined;
  }

  /** Trimming takes no model, so it costs nothing and goes on. */
  isSpent({ policy }: CompressionRequest['settings']): boolean {
    return this.#gate.state() === 'spent' && policy.strategy !== 'trim';
  }

  /** Why extraction stands in for the model from the start; undefined when the model may be asked. */
  modelRefusal({ due, urgency }: CompressionRequest): Error | undefined {
    if (this.#gate.state() === 'spent') return new SpendLimitReached();
    // The user's command tries the provider at once; all else that cannot wait keeps away from it while it cools down.
    const leavesAlone = urgency === 'now' && due.trigger !== 'command';
    return leavesAlone && this.hasFailed && this.#isCooling ? this.#lastFault : undefined;
  }

  /** The provider has answered: the next fault is the first again. */
  answered(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** A fault that was met before, and that extraction stood in for since, counts once; the spend limit is no fault. */
  failed(fault: unknown): void {
    if (fault instanceof SpendLimitReached || fault === this.#lastFault) return;
    const retryAfter = ModelFault.is(fault) ? (fault.retryAfterMs ?? 0) : 0;
    const wait = Math.min(LONGEST_COOL_DOWN_MS, COOL_DOWN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#lastFault = fault instanceof Error ? fault : new Error(String(fault));
    this.#until = this.#clock.now() + Math.max(wait, retryAfter);
  }

  get #isCooling(): boolean {
    return this.#clock.now() < this.#until;
  }
}
