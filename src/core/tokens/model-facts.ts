/** Reasoning efforts, lowest first. Each model supports some of them; vendors use the same names. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

export interface Retirement {
  /** The day on which the vendor shuts the model down, as YYYY-MM-DD. */
  readonly on: string;
  /** The model that replaces it. */
  readonly successor?: string;
}

/** US dollars per million tokens. Without prices for caching, `input` applies. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that is read from the provider's prompt cache. */
  readonly cachedInput?: number;
  /** Input that is written to the provider's prompt cache (Anthropic: for five minutes). */
  readonly cacheWrite?: number;
  /** For models that charge more for the whole request if its input exceeds `over` tokens: the factors. */
  readonly long?: { readonly over: number; readonly inputFactor: number; readonly outputFactor: number };
}

/** What a source says about a model: the data file, a provider's model list, or the user's settings. */
export interface ModelFacts {
  readonly vendor?: string;
  /** Input and output tokens together. */
  readonly contextWindow?: number;
  /** Limit for input tokens alone, if there is one. */
  readonly maxInput?: number;
  readonly maxOutput?: number;
  readonly price?: Price;
  readonly takesImages?: boolean;
  /**
   * The supported efforts of a reasoning model, lowest first; empty if none can be requested. Undefined: it doesn't
   * reason.
   */
  readonly efforts?: readonly Effort[];
  /** Whether its prompt cache is only matched at marked breakpoints (GPT-5.6 and later). */
  readonly breakpoints?: boolean;
  readonly retires?: Retirement;
}
