import { ModelFault } from './fault.ts';
import type { Clock } from './ports.ts';

/**
 * How long background triggers rest after a failure, and after a compression that found nothing to save. Each further
 * failure in a row doubles it, so that a provider that is down for a day is not sent the session over and over.
 */
export const COOL_DOWN_MS = 120_000;
const LONGEST_COOL_DOWN_MS = 3_600_000;

/** What a session keeps in mind of the provider's faults: how long it is left alone, and which fault it was. */
export class CoolDown {
  readonly #clock: Clock;
  #until = 0;
  #failures = 0;
  #lastFault: unknown;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Background triggers wait. */
  get isCooling(): boolean {
    return this.#clock.now() < this.#until;
  }

  /** The provider failed last time. */
  get hasFailed(): boolean {
    return this.#failures > 0;
  }

  /** The fault that the provider is left alone for; undefined when it may be asked. */
  get leftAlone(): unknown {
    return this.hasFailed && this.isCooling ? this.#lastFault : undefined;
  }

  /** Nothing was found to save: background triggers rest for a while. */
  rest(): void {
    this.#until = this.#clock.now() + COOL_DOWN_MS;
  }

  /** The provider has answered: the next fault is the first again. */
  answered(): void {
    this.#failures = 0;
  }

  /** A fault was met: each further one in a row doubles the rest. */
  failed(fault: unknown): void {
    const retryAfter = ModelFault.is(fault) ? (fault.retryAfterMs ?? 0) : 0;
    const rest = Math.min(LONGEST_COOL_DOWN_MS, COOL_DOWN_MS * 2 ** this.#failures);
    this.#failures++;
    this.#lastFault = fault;
    this.#until = this.#clock.now() + Math.max(rest, retryAfter);
  }

  /** Whether this fault was met before, and code stood in for the provider since: it counts once. */
  isKnown(fault: unknown): boolean {
    return fault === this.#lastFault;
  }
}
