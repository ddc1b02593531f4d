/** How hard a model thinks, from not at all. Each model takes some of these, and vendors name them alike. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** The day from which a vendor's own address answers no more, and what it names in its place. */
export interface Retirement {
  readonly on: string;
  readonly successor?: string;
}

/** US dollars for a million tokens. A figure left out costs what plain input costs. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** Input read from the provider's prompt cache. */
  readonly cachedInput?: number;
  /** Input written to it (Anthropic: for five minutes). */
  readonly cacheWrite?: number;
  /** Where a request with more input than `over` tokens costs more, all of it: factors on the prices above. */
  readonly long?: { readonly over: number; readonly inputFactor: number; readonly outputFactor: number };
}

/** What a source tells of a model: the data file, a provider's own list of models, or the user's settings. */
export interface ModelFacts {
  readonly vendor?: string;
  /** Tokens of input and output together. */
  readonly contextWindow?: number;
  /** Tokens of input alone, where they are limited further. */
  readonly maxInput?: number;
  readonly maxOutput?: number;
  readonly price?: Price;
  readonly takesImages?: boolean;
  /** The efforts that can be asked of a model that thinks, least first; empty where none can. Left out: it never thinks. */
  readonly efforts?: readonly Effort[];
  /** Whether its prompt cache is matched at marked breakpoints alone (GPT-5.6 and later). */
  readonly breakpoints?: boolean;
  readonly retires?: Retirement;
}
