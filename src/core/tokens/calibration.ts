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
  /** The most that the server was seen to read of a longer prompt, in its own tokens. */
  readonly serverWindow?: number | undefined;
}

/** What a report came to. `truncated`: the server read a part of the prompt alone, and says nothing of its tokenizer. */
export type Verdict = 'learned' | 'held' | 'truncated' | 'ignored';

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

/** A report this much below what is expected is not believed before the next one agrees: it may be a part of the prompt. */
const SUSPICIOUS = 0.97;
/** Nor is one believed at all that is this far below, where nothing is known yet but the model's own factor. */
const IMPOSSIBLE = 0.5;
/** A prompt that is longer by this factor than another of which the server read no less: it reads no more than that. */
const LONGER = 1.01;
const NO_MORE = 1.005;
/** Reports below this share of what a server reads were surely of whole prompts. */
const CERTAIN_SHARE = 0.9;
/** No server reads so little of a prompt; shorter ones are not suspected. */
const LEAST_WINDOW = 1_500;

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
  private held: Observation | undefined;
  private window: number | undefined;
  private readonly readsAll: boolean;

  /**
   * @param factor what the model's tokenizer makes of one counted token, before any report (1: the same)
   * @param readsAll the server is known to refuse what it cannot read: no report of it is taken for that of a part
   */
  constructor(factor: number, stored?: StoredCalibration, readsAll = false) {
    this.readsAll = readsAll;
    this.prior = [factor, 0, 0, 0];
    this.observations = (stored?.observations ?? []).filter(isPlausible).slice(-KEPT);
    this.weights = this.fit();
    this.window = readsAll ? undefined : stored?.serverWindow;
  }

  /** The most that the server was seen to read of a longer prompt, in its own tokens; undefined while it reads all. */
  get serverWindow(): number | undefined {
    return this.window;
  }

  /** What the server itself says that it reads: of a prompt whose longest messages were dropped, it was seen to read less. */
  told(window: number): void {
    if (this.window !== undefined && window > this.window) this.window = window;
  }

  /** False until enough reports have come: figures are then shown as approximate. */
  get calibrated(): boolean {
    return this.observations.length >= OBSERVATIONS_TO_TRUST;
  }

  /**
   * Learns from a reply's usage. Ollama and its kin drop the beginning of a long prompt without a word and report what
   * is left: taken for the tokenizer's doing, that would make the gauge say less the more is lost.
   */
  observe(observation: Observation): Verdict {
    const { tokens, reported } = observation;
    if (!Number.isFinite(reported) || reported <= 0 || !(tokens >= LEAST_TOKENS)) return 'ignored';
    const { held } = this;
    this.held = undefined;
    const known = held ? [...this.observations, held] : this.observations;
    const expected = this.estimate(observation);
    if (!this.readsAll && reported >= LEAST_WINDOW) {
      const shorter = known.find((one) => tokens > one.tokens * LONGER && reported <= one.reported * NO_MORE);
      const nothing = known.length === 0 && reported < expected * IMPOSSIBLE;
      const again = this.window !== undefined && tokens > this.window;
      if (((shorter || again) && reported < expected * SUSPICIOUS) || nothing) {
        const window = Math.max(reported, shorter?.reported ?? 0, this.window ?? 0);
        this.window = window;
        // Those that came near it may have been cut as well.
        this.observations = this.observations.filter((one) => one.reported < window * CERTAIN_SHARE);
        this.weights = this.fit();
        return 'truncated';
      }
    }
    if (this.window !== undefined && reported > this.window * NO_MORE) this.window = undefined;
    if (!isPlausible(observation)) return 'ignored';
    if (reported >= LEAST_WINDOW && reported < expected * SUSPICIOUS && !held) {
      this.held = observation;
      return 'held';
    }
    this.observations = [...known, observation].slice(-KEPT);
    this.weights = this.fit();
    return 'learned';
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
    return { observations: this.observations, ...(this.window !== undefined && { serverWindow: this.window }) };
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
