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
import type { CompressionRecord, TriggerName } from '../core/journal/schema.ts';
import type { DueTrigger } from '../core/policy/triggers.ts';
import { breathe } from '../core/pace/breather.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type {
  CompressionJob,
  CompressionOutcome,
  CompressionProgress,
  CompressionRequest,
  CompressionWork,
  SpentUsage,
  Urgency,
  WorkResult,
} from './compression-job.ts';
import { CoolDown } from './cool-down.ts';
import { Emitter, type Disposable } from './emitter.ts';
import { ModelFault } from './fault.ts';
import { plannedOn, stillStands, type PlannedOn } from './planned-on.ts';
import type { Clock, Log, SessionJournal } from './ports.ts';
import { SpendLimitReached, OPEN_GATE, type SpendGate } from './spend.ts';

export interface CompressorDeps {
  readonly journal: SessionJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly counter: TokenCounter;
  readonly work: CompressionWork;
  /** No limit where it is left out. */
  readonly spendGate?: SpendGate;
}

interface Running {
  readonly abort: AbortController;
  readonly urgency: Urgency;
  readonly outcome: Promise<CompressionOutcome>;
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
  readonly #coolDown: CoolDown;
  #running: Running | undefined;
  #progress: (CompressionProgress & { readonly urgency: Urgency }) | undefined;
  #ready: Ready | undefined;
  #committing: Promise<CompressionOutcome> | undefined;

  constructor(deps: CompressorDeps) {
    this.#deps = deps;
    this.#gate = deps.spendGate ?? OPEN_GATE;
    this.#coolDown = new CoolDown(deps.clock);
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
    if (urgency === 'background' && this.#coolDown.isCooling) return Promise.resolve({ kind: 'cooling' });
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

  /** What `run` would commit, worked out without a model, so that it costs nothing. Rejects with what went wrong. */
  async preview(request: CompressionRequest): Promise<CompressionRecord | undefined> {
    if (request.settings.policy.strategy === 'off') return undefined;
    const { journal, counter, work } = this.#deps;
    const { due, urgency, settings, budget, before, counts } = request;
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
      mayUseModel: () => false,
      spent: () => undefined,
      standIn: () => undefined,
      signal: new AbortController().signal,
    });
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
    else await breathe(clock.breather);
    const planned = plannedOn(journal.state);
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
      if (met === undefined) this.#coolDown.answered();
      else if (!this.#coolDown.isKnown(met) && !(met instanceof SpendLimitReached)) this.#coolDown.failed(met);
      if (!result) {
        if (urgency === 'background') this.#coolDown.rest();
        return { kind: 'nothing' };
      }
      signal.throwIfAborted();
      this.#ready = { result: { ...result, fault: result.fault ?? fault }, planned };
      return { kind: 'ready' };
    } catch (error) {
      await this.#record(spent).catch((failure: unknown) => log.warn(`Usage was not recorded: ${String(failure)}`));
      if (signal.aborted || ModelFault.is(error, 'cancelled')) return { kind: 'cancelled' };
      this.#coolDown.failed(error);
      log.event('history_compression_failed', { ...facts, error: describe(error) });
      return { kind: 'failed', error };
    }
  }

  /** The user's command tries the provider at once; all else keeps away from it while it cools down. */
  #caution(due: DueTrigger): Pick<CompressionJob, 'probing' | 'leftAlone'> {
    const { hasFailed, leftAlone } = this.#coolDown;
    return { probing: hasFailed, leftAlone: due.trigger === 'command' ? undefined : leftAlone };
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

/** For the log: what kind of fault, never message text. */
function describe(error: unknown): string {
  if (ModelFault.is(error)) return error.reason;
  return error instanceof Error ? error.name : typeof error;
}
