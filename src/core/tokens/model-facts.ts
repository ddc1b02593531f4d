import * as v from 'valibot';
import { amountSchema, type ReadonlyOutput } from '../model/field-schemas.ts';

/** Reasoning efforts, lowest first, by the names that all vendors use. Each model supports some of them. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

const retirementSchema = v.object({
  /** The day on which the vendor shuts the model down, as YYYY-MM-DD. */
  on: v.string(),
  successor: v.optional(v.string()),
});
export type Retirement = ReadonlyOutput<typeof retirementSchema>;

/** US dollars per million tokens. Without prices for caching, `input` applies. */
export const priceSchema = v.object({
  input: amountSchema,
  output: amountSchema,
  /** Input that is read from the provider's prompt cache. */
  cachedInput: v.optional(amountSchema),
  /** Input that is written to the provider's prompt cache (Anthropic: for five minutes). */
  cacheWrite: v.optional(amountSchema),
  /** Factors for the price of the whole request if its input exceeds `over` tokens. */
  long: v.optional(v.object({ over: amountSchema, inputFactor: amountSchema, outputFactor: amountSchema })),
});
export type Price = ReadonlyOutput<typeof priceSchema>;

/** Facts about a model from one source: the data file, a provider's model list, or the user's settings. */
export const modelFactsSchema = v.object({
  vendor: v.optional(v.string()),
  /** Input and output tokens together. */
  contextWindow: v.optional(amountSchema),
  /** Limit for input tokens alone, if there is one. */
  maxInput: v.optional(amountSchema),
  maxOutput: v.optional(amountSchema),
  price: v.optional(priceSchema),
  takesImages: v.optional(v.boolean()),
  /** The efforts that can be requested, lowest first, perhaps none. Undefined if the model doesn't reason. */
  efforts: v.optional(v.array(v.picklist(EFFORTS))),
  /** Whether its prompt cache is only matched at marked breakpoints (GPT-5.6 and later). */
  breakpoints: v.optional(v.boolean()),
  retires: v.optional(retirementSchema),
});
export type ModelFacts = ReadonlyOutput<typeof modelFactsSchema>;
