/** A request's tokens as they were counted, and those that the provider reported for it, cached ones included. */
export interface Observation {
  readonly tokens: number;
  readonly reported: number;
}

export interface StoredCalibration {
  readonly observations: readonly Observation[];
  /** The most that the server was seen to read of a longer prompt, in its own tokens. */
  readonly serverWindow?: number | undefined;
}

/** What a report came to. `truncated`: the server read a part of the prompt alone, and says nothing of its tokenizer. */
export type Verdict = 'learned' | 'held' | 'truncated' | 'ignored';

/** As many observations as tell what is usual for a model, and what its server reads of a long prompt. */
const KEPT = 24;

/** The newest reports say what is usual now: a change at the provider is followed within three turns. */
const USUAL_OF = 5;
/** A single report that is off by more than this factor is taken to be off by no more. */
const MAX_JUMP = 1.15;

/** So many times as large as those that were reported of, a request is still taken to be like them. */
const REACH = 3;

/** The gauge stops showing "~" from here: with three, one outlier is outvoted. */
const OBSERVATIONS_TO_TRUST = 3;

/** A correction beyond these says that something else was counted (a hidden prompt, an image), not text. */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 4;

/** No tokenizer in use is off by more than these; such a report is a fault and left out. */
const MIN_PLAUSIBLE = 0.2;
const MAX_PLAUSIBLE = 10;

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
const MIN_WINDOW = 1_500;

/** Below this many tokens a request says more about rounding and framing than about the tokenizer. */
const MIN_TOKENS = 8;

/**
 * Corrects the counts of one model by what its provider reports, with one factor: what the newest report makes of a
 * counted token, held near the median of the last few. A request repeats most of the one before, so the newest report
 * tells its mixture of languages and of framing better than any fit over older ones.
 */
export class Calibration {
  private readonly prior: number;
  private observations: readonly Observation[];
  private held: Observation | undefined;
  private window: number | undefined;
  private readonly readsAll: boolean;

  /**
   * @param prior what the model's tokenizer makes of one counted token, before any report (1: the same)
   * @param readsAll the server is known to refuse what it cannot read: no report of it is taken for that of a part
   */
  constructor(prior: number, stored?: StoredCalibration, readsAll = false) {
    this.readsAll = readsAll;
    this.prior = prior;
    this.observations = (stored?.observations ?? []).filter(isPlausible).slice(-KEPT);
    this.window = readsAll ? undefined : stored?.serverWindow;
  }

  /** What the provider makes of one counted token, in requests like those that it reported of. */
  private get factor(): number {
    const ratios = this.observations.slice(-USUAL_OF).map(({ tokens, reported }) => reported / tokens);
    const newest = ratios.at(-1);
    if (newest === undefined) return this.prior;
    const usual = ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)]!;
    return clamp(clamp(newest, usual / MAX_JUMP, usual * MAX_JUMP), MIN_FACTOR, MAX_FACTOR);
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
    if (!Number.isFinite(reported) || reported <= 0 || !(tokens >= MIN_TOKENS)) return 'ignored';
    const { held } = this;
    this.held = undefined;
    const known = held ? [...this.observations, held] : this.observations;
    // The least that speaks for a whole prompt: a report that bears the factor out beyond its reach is no suspicious one.
    const expected = Math.min(this.estimate(tokens), tokens * this.factor);
    if (!this.readsAll && reported >= MIN_WINDOW) {
      const shorter = known.find((one) => tokens > one.tokens * LONGER && reported <= one.reported * NO_MORE);
      const nothing = known.length === 0 && reported < expected * IMPOSSIBLE;
      const again = this.window !== undefined && tokens > this.window;
      if (((shorter || again) && reported < expected * SUSPICIOUS) || nothing) {
        const window = Math.max(reported, shorter?.reported ?? 0, this.window ?? 0);
        this.window = window;
        // Those that came near it may have been cut as well.
        this.observations = this.observations.filter((one) => one.reported < window * CERTAIN_SHARE);
        return 'truncated';
      }
    }
    if (this.window !== undefined && reported > this.window * NO_MORE) this.window = undefined;
    if (!isPlausible(observation)) return 'ignored';
    if (reported >= MIN_WINDOW && reported < expected * SUSPICIOUS && !held) {
      this.held = observation;
      return 'held';
    }
    this.observations = [...known, observation].slice(-KEPT);
    return 'learned';
  }

  /** Input tokens the provider will report for a request of so many counted ones. */
  estimate(tokens: number): number {
    const near = Math.min(tokens, this.reach);
    return Math.round(near * this.factor + (tokens - near) * this.prior);
  }

  /** The opposite: how many counted tokens make a request of so many of the provider's. */
  counted(tokens: number): number {
    const near = Math.min(tokens / this.factor, this.reach);
    return Math.floor(near + (tokens - near * this.factor) / this.prior);
  }

  /**
   * As far as reports tell, in counted tokens: what a short request took too much may be a prompt of the server's own,
   * which a long one holds no more often.
   */
  private get reach(): number {
    return REACH * Math.max(0, ...this.observations.slice(-USUAL_OF).map(({ tokens }) => tokens));
  }

  export(): StoredCalibration {
    return { observations: this.observations, ...(this.window !== undefined && { serverWindow: this.window }) };
  }
}

const clamp = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value));

function isPlausible({ tokens, reported }: Observation): boolean {
  if (!Number.isFinite(tokens) || !Number.isFinite(reported) || tokens < MIN_TOKENS) return false;
  const ratio = reported / tokens;
  return ratio >= MIN_PLAUSIBLE && ratio <= MAX_PLAUSIBLE;
}
