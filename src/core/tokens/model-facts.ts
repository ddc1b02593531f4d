/** Reasoning efforts, from none. Each model supports some of them; vendors use the same names. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The day on which a vendor shuts a model down, and its replacement. */
export interface Retirement {
  readonly on: string;
  readonly successor?: string;
}

/** US dollars per million tokens. A missing price is that of plain input. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input that is read from the provider's prompt cache. */
  readonly cachedInput?: number;
  /** Input that is written to it (Anthropic: for five minutes). */
  readonly cacheWrite?: number;
  /** For models that charge more for the whole request if its input exceeds `over` tokens: the factors. */
  readonly long?: { readonly over: number; readonly inputFactor: number; readonly outputFactor: number };
}

/** What a source says about a model: the data file, a provider's model list, or the user's settings. */
export interface ModelFacts {
  readonly vendor?: string;
  /** Input and output tokens together. */
  readonly contextWindow?: number;
  /** Input tokens, if they are limited further. */
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
