import { ridgeFit } from './ridge.ts';

/** What was counted of a request: `tokens` by the vocabulary, `cjk` UTF-16 units of CJK text, `messages` in number. */
export interface CountedRequest {
  readonly tokens: number;
  readonly cjk: number;
  readonly messages: number;
}

/** A request and the input tokens the provider reported for it, cached ones included. */
export interface Observation extends CountedRequest {
  readonly reported: number;
}

export interface StoredCalibration {
  readonly observations: readonly Observation[];
}

/** As many observations as tell a tokenizer's factor from the overhead of a message and of CJK text. */
const KEPT = 24;

/** The gauge stops showing "~" from here: with three, one outlier is outvoted. */
const OBSERVATIONS_TO_TRUST = 3;

/** Each turn back weighs this much less, so that a change at the provider is followed within some five turns. */
const AGEING = 0.85;

/** A correction beyond these says that something else was counted (a hidden prompt, an image), not text. */
const LEAST_FACTOR = 0.5;
const MOST_FACTOR = 4;

/** No tokenizer in use is off by more than these; such a report is a fault and left out. */
const LEAST_PLAUSIBLE = 0.2;
const MOST_PLAUSIBLE = 10;

/** Below this many tokens a request says more about rounding and framing than about the tokenizer. */
const LEAST_TOKENS = 8;

/** A fixed overhead is fitted in thousands of tokens, which gives all four weights the same order of size. */
const FIXED_UNIT = 1000;

/** How hard each weight is held to its prior; tried on the shared transcripts against five servers' ways to count. */
const PENALTIES = [0.01, 0.002, 0.002, 0.001] as const;

/** Weights by tokens, CJK units, messages (in tens) and thousands of fixed overhead. */
type Weights = readonly number[];

/**
 * Corrects the counts of one model by what its provider reports. The provider's tokenizer is taken as
 * `a × tokens + b × CJK units + c × messages + d`, fitted by ridge regression on the latest requests and relative to
 * their size; reports far off the rest (Cauchy weights on the residuals) count for little. Being linear, the
 * correction of a request's parts adds up to that of the request, less the fixed overhead.
 */
export class Calibration {
  private readonly prior: Weights;
  private observations: readonly Observation[];
  private weights: Weights;

  /** @param factor what the model's tokenizer makes of one counted token, before any report (1: the same) */
  constructor(factor: number, stored?: StoredCalibration) {
    this.prior = [factor, 0, 0, 0];
    this.observations = (stored?.observations ?? []).filter(isPlausible).slice(-KEPT);
    this.weights = this.fit();
  }

  /** False until enough reports have come: figures are then shown as approximate. */
  get calibrated(): boolean {
    return this.observations.length >= OBSERVATIONS_TO_TRUST;
  }

  /** Learns from a reply's usage. Implausible reports are left out. */
  observe(observation: Observation): void {
    if (!isPlausible(observation)) return;
    this.observations = [...this.observations, observation].slice(-KEPT);
    this.weights = this.fit();
  }

  /** Input tokens the provider will report for a request. */
  estimate(request: CountedRequest): number {
    return this.clamp(request, this.part(request) + this.weights[3]! * FIXED_UNIT);
  }

  /** The share of one part in that, without the fixed overhead of a request. */
  estimatePart(part: CountedRequest): number {
    return this.clamp(part, this.part(part));
  }

  /** A budget of the provider's tokens, in counted tokens like those of `like`: what may be sent of such text. */
  toCounted(providerTokens: number, like: CountedRequest): number {
    if (like.tokens <= 0) return Math.floor(providerTokens / this.prior[0]!);
    return Math.floor(providerTokens / (this.estimate(like) / like.tokens));
  }

  export(): StoredCalibration {
    return { observations: this.observations };
  }

  private part({ tokens, cjk, messages }: CountedRequest): number {
    return this.weights[0]! * tokens + this.weights[1]! * cjk + this.weights[2]! * messages * 10;
  }

  private clamp({ tokens }: CountedRequest, estimate: number): number {
    return Math.round(Math.min(tokens * MOST_FACTOR, Math.max(tokens * LEAST_FACTOR, estimate)));
  }

  private fit(): Weights {
    if (this.observations.length === 0) return this.prior;
    const rows = this.observations.map(({ tokens, cjk, messages }) => [
      1,
      cjk / tokens,
      (messages * 10) / tokens,
      FIXED_UNIT / tokens,
    ]);
    const targets = this.observations.map(({ tokens, reported }) => reported / tokens);
    const ages = this.observations.map((_, index) => AGEING ** (this.observations.length - 1 - index));
    return ridgeFit(rows, targets, ages, this.prior, PENALTIES);
  }
}

function isPlausible({ tokens, cjk, messages, reported }: Observation): boolean {
  if (![tokens, cjk, messages, reported].every(Number.isFinite) || tokens < LEAST_TOKENS) return false;
  const ratio = reported / tokens;
  return ratio >= LEAST_PLAUSIBLE && ratio <= MOST_PLAUSIBLE;
}
