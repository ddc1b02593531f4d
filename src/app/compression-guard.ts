import type { CompressionRequest } from './compression-job.ts';
import { ModelFault } from './fault.ts';
import type { Clock } from './ports.ts';
import { SpendLimitReached, type SpendGate } from './spend.ts';

/** How long background triggers wait after a failure; each further failure in a row doubles it. */
export const COOL_DOWN_MS = 120_000;
const LONGEST_COOL_DOWN_MS = 3_600_000;

/** Whether a compression may start and whether it may use a model: the spend limit, and a provider that is down. */
export class CompressionGuard {
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
    // Trimming takes no model, so it costs nothing and goes on.
    return this.#gate.state() === 'spent' && settings.policy.strategy !== 'trim' ? 'spent' : undefined;
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
