import * as v from 'valibot';
import { amountSchema, type ReadonlyOutput } from '../model/field-schemas.ts';

/** A request's tokens as counted here (`tokens`) and as reported by the provider, including cached ones. */
const observationSchema = v.object({ tokens: amountSchema, reported: amountSchema });
export type Observation = ReadonlyOutput<typeof observationSchema>;

export const storedCalibrationSchema = v.object({
  observations: v.array(observationSchema),
  /** Maximum tokens that the server has read of a longer prompt, in its own tokens. */
  serverWindow: v.optional(amountSchema),
});
export type StoredCalibration = ReadonlyOutput<typeof storedCalibrationSchema>;

/**
 * The outcome of a report. `held`: suspiciously low, so it's only used if the next one agrees. `truncated`: the server
 * read only part of the prompt, so the report says nothing about its tokenizer.
 */
export type ObservationOutcome = 'learned' | 'held' | 'truncated' | 'ignored';

/** Number of stored reports, enough for the median factor and for detecting a server's limit. */
const MAX_OBSERVATIONS = 24;

/** Number of newest reports for the median. With five, a change at the provider takes effect within three turns. */
const MEDIAN_OF = 5;
/** Maximum deviation of the newest report from the median, as a factor; larger ones are clamped. */
const MAX_JUMP = 1.15;

/** The factor applies to requests of up to this many times the largest reported one. */
const MAX_EXTRAPOLATION = 3;

/** Number of reports from which the gauge doesn't show "~". With three, the median ignores one outlier. */
const OBSERVATIONS_TO_TRUST = 3;

/** A factor beyond these limits has another cause than the tokenizer, such as a hidden prompt or an image. */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 4;

/** No tokenizer is off by more than these factors; such a report is ignored as faulty. */
const MIN_PLAUSIBLE = 0.2;
const MAX_PLAUSIBLE = 10;

/** Below this share of the expectation, the prompt may have been truncated, so the next report must confirm it. */
const SUSPICIOUS_SHARE = 0.97;
/** Until a report has been accepted, reports below this share of the expectation are treated as truncated. */
const IMPOSSIBLE_SHARE = 0.5;
/** The server may truncate if a prompt is longer by more than the first factor, but its report by at most the second. */
const LONGER_FACTOR = 1.03;
const NO_MORE_FACTOR = 1.005;
/** Reports below this share of the server's limit are certainly not of truncated prompts. */
const CERTAIN_SHARE = 0.9;
/** The smallest context window of a server, in tokens. Smaller reports are never of truncated prompts. */
const MIN_WINDOW = 1_500;

/** With fewer tokens, rounding and framing outweigh the tokenizer. */
const MIN_TOKENS = 8;

/**
 * Corrects a model's counts by a factor from its provider's reports: the newest ratio, clamped to `MAX_JUMP` around the
 * median of the last few. A request repeats most of the previous one, so the newest report reflects the mix of
 * languages and framing better than a fit over older ones.
 */
export class Calibration {
  private readonly prior: number;
  private observations: readonly Observation[];
  private unconfirmed: Observation | undefined;
  /** Shared by all sessions of a model. */
  private server: { window: number | undefined };
  private readonly readsAll: boolean;
  /** The newest reports by the beginning of their requests. */
  private readonly byBeginning = new WeakMap<object, readonly Observation[]>();

  /**
   * @param prior the expected factor of the model's tokenizer before any report (1: the same)
   *
   * @param readsAll whether the server is known to reject prompts that are too long instead of truncating them
   */
  constructor(prior: number, stored?: StoredCalibration, readsAll = false) {
    this.readsAll = readsAll;
    this.prior = prior;
    this.observations = (stored?.observations ?? []).filter(isPlausible).slice(-MAX_OBSERVATIONS);
    this.server = { window: readsAll ? undefined : stored?.serverWindow };
  }

  /** The calibration of another session. It starts with these reports, and shares what is known about the server. */
  forSession(): Calibration {
    const copy = new Calibration(this.prior, { observations: this.observations }, this.readsAll);
    copy.server = this.server;
    return copy;
  }

  /** The server reads at most this much of a prompt, in its own tokens; undefined if it reads everything. */
  get serverWindow(): number | undefined {
    return this.server.window;
  }

  /** The provider's tokens per counted token, for requests like the reported ones. */
  private get factor(): number {
    const ratios = this.observations.slice(-MEDIAN_OF).map(({ tokens, reported }) => reported / tokens);
    const newest = ratios.at(-1);
    if (newest === undefined) return this.prior;
    const usual = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
    return clamp(clamp(newest, usual / MAX_JUMP, usual * MAX_JUMP), MIN_FACTOR, MAX_FACTOR);
  }

  /** Raises the observed limit to the stated context window, because some servers drop whole messages. */
  setStatedWindow(window: number): void {
    if (this.serverWindow !== undefined && window > this.serverWindow) this.server.window = window;
  }

  /** Whether there are enough reports; until then, figures are shown as approximate. */
  get calibrated(): boolean {
    return this.observations.length >= OBSERVATIONS_TO_TRUST;
  }

  /**
   * Learns from a response's usage. Ollama and similar servers silently drop the beginning of a long prompt and report
   * the tokens of the rest. If the tokenizer were blamed for that, the gauge would show less the more was dropped.
   *
   * @param beginning identifies requests that begin alike. Only then is a longer one certainly longer for the server as
   *   well: another session, or the same one after a compression, may be in a language that needs fewer tokens.
   */
  observe(observation: Observation, beginning: object = this): ObservationOutcome {
    const { tokens, reported } = observation;
    if (!Number.isFinite(reported) || reported <= 0 || !(tokens >= MIN_TOKENS)) return 'ignored';
    const { unconfirmed } = this;
    this.unconfirmed = undefined;
    const known = unconfirmed ? [...this.observations, unconfirmed] : this.observations;
    // For a request larger than the reported ones, either the factor or the prior may be right, so only a report below
    // both is suspicious.
    const expected = Math.min(this.estimate(tokens), tokens * this.factor);
    if (!this.readsAll && reported >= MIN_WINDOW) {
      const alike = this.byBeginning.get(beginning) ?? [];
      this.byBeginning.set(beginning, [...alike, observation].slice(-MAX_OBSERVATIONS));
      const shorter = alike.find(
        (one) => tokens > one.tokens * LONGER_FACTOR && reported <= one.reported * NO_MORE_FACTOR,
      );
      const isImpossible = known.length === 0 && reported < expected * IMPOSSIBLE_SHARE;
      const isConfirmed = unconfirmed !== undefined && alike.includes(unconfirmed);
      const exceedsLimit = this.serverWindow !== undefined && tokens > this.serverWindow;
      if ((((shorter && isConfirmed) || exceedsLimit) && reported < expected * SUSPICIOUS_SHARE) || isImpossible) {
        const window = Math.max(reported, shorter?.reported ?? 0, this.serverWindow ?? 0);
        this.server.window = window;
        // Reports close to the limit may be truncated as well.
        this.observations = this.observations.filter((one) => one.reported < window * CERTAIN_SHARE);
        return 'truncated';
      }
    }
    if (this.serverWindow !== undefined && reported > this.serverWindow * NO_MORE_FACTOR)
      this.server.window = undefined;
    if (!isPlausible(observation)) return 'ignored';
    if (reported >= MIN_WINDOW && reported < expected * SUSPICIOUS_SHARE && !unconfirmed) {
      this.unconfirmed = observation;
      return 'held';
    }
    this.observations = [...known, observation].slice(-MAX_OBSERVATIONS);
    return 'learned';
  }

  /** The input tokens that the provider is expected to report for a number of counted tokens. */
  estimate(tokens: number): number {
    const near = Math.min(tokens, this.maxTokensForFactor);
    return Math.round(near * this.factor + (tokens - near) * this.prior);
  }

  /** The inverse of `estimate`: counted tokens for a number of the provider's. */
  counted(tokens: number): number {
    const near = Math.min(tokens / this.factor, this.maxTokensForFactor);
    return Math.floor(near + (tokens - near * this.factor) / this.prior);
  }

  /**
   * The size up to which the factor applies, in counted tokens. A surplus in the reports of short requests may be the
   * server's own prompt, which isn't larger in a long request.
   */
  private get maxTokensForFactor(): number {
    return MAX_EXTRAPOLATION * Math.max(0, ...this.observations.slice(-MEDIAN_OF).map(({ tokens }) => tokens));
  }

  export(): StoredCalibration {
    return {
      observations: this.observations,
      ...(this.serverWindow !== undefined && { serverWindow: this.serverWindow }),
    };
  }
}

const clamp = (value: number, min: number, max: number): number => Math.min(max, Math.max(min, value));

function isPlausible({ tokens, reported }: Observation): boolean {
  if (!Number.isFinite(tokens) || !Number.isFinite(reported) || tokens < MIN_TOKENS) return false;
  const ratio = reported / tokens;
  return ratio >= MIN_PLAUSIBLE && ratio <= MAX_PLAUSIBLE;
}
