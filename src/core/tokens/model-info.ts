import type { Usage } from '../model/message.ts';
import DATA from './model-data.json' with { type: 'json' };
import { EFFORTS, type Effort, type ModelFacts, type Price, type Retirement } from './model-facts.ts';
import { ALIASES, OVERLAY, RETIREMENTS } from './model-overlay.ts';
import type { EncodingName } from './token-counter.ts';

export interface ReasoningPlan {
  /** Undefined for the vendor's default. */
  readonly effort?: Effort;
  /** Token budget for thinking. */
  readonly tokens: number;
}

export interface ModelInfo extends ModelFacts {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  /** Undefined if `maxOutput` is a guess. */
  readonly statedMaxOutput?: number;
  readonly encoding: EncodingName;
  /** The model's own tokens per token of `encoding`, before any usage is reported. */
  readonly countFactor: number;
  readonly takesImages: boolean;
  /** False if the context window is a guess, in which case the user is asked. */
  readonly known: boolean;
}

/** Model facts in the user's settings, by ID. They take precedence over all other sources. */
export type ModelOverrides = Readonly<Record<string, ModelFacts>>;

/**
 * The context window of an unknown model. Hosted models have at least 128,000 tokens. Local servers usually have 32,768
 * if they are configured for more than a few questions. A server with a smaller one rejects or truncates the prompt,
 * which is noticed.
 */
export const UNKNOWN_CONTEXT_WINDOW = 32_768;
const UNKNOWN_MAX_OUTPUT = 8_192;

/** A provider's default models: mid-range for chat, the cheapest for summaries. */
export const DEFAULT_MODELS = {
  openai: { chat: 'gpt-6.1-terra', summary: 'gpt-6-luna' },
  anthropic: { chat: 'claude-sonnet-5-5', summary: 'claude-haiku-5-5' },
} as const;

/**
 * Token budget for thinking, by effort. An unused budget costs nothing, but one that is used up is paid for and leaves
 * no text. Anthropic's guides use 16,000 at the default effort; 800 to 2,048 were observed for summaries. `none` has
 * some for models that reason anyway.
 */
const REASONING_TOKENS: Readonly<Record<Effort, number>> = {
  none: 1_024,
  minimal: 2_048,
  low: 4_096,
  medium: 16_384,
  high: 32_768,
  xhigh: 65_536,
  max: 65_536,
};
/** Budget for summaries and checks if the effort can't be chosen. They need less thinking than a chat. */
const SUMMARY_REASONING_TOKENS = 4_096;
/** Maximum share of the context window for thinking. */
const MAX_REASONING_SHARE = 1 / 8;

/** Chats use the user's effort or the vendor's default; summaries and checks use the lowest. */
export function reasoningPlan(
  { efforts, contextWindow, maxOutput }: Pick<ModelInfo, 'efforts' | 'contextWindow' | 'maxOutput'>,
  purpose: 'chat' | 'summary',
  wanted?: Effort,
): ReasoningPlan {
  if (efforts === undefined) return { tokens: 0 };
  const effort = purpose === 'summary' ? efforts[0] : nearestEffort(efforts, wanted);
  const defaultTokens = purpose === 'summary' ? SUMMARY_REASONING_TOKENS : REASONING_TOKENS.medium;
  const maxTokens = Math.min(Math.floor(maxOutput / 2), Math.floor(contextWindow * MAX_REASONING_SHARE));
  const tokens = Math.min(effort === undefined ? defaultTokens : REASONING_TOKENS[effort], maxTokens);
  return { ...(effort !== undefined && { effort }), tokens };
}

/** The highest supported effort that doesn't exceed the wanted one, or else the lowest. */
function nearestEffort(efforts: readonly Effort[], wanted: Effort | undefined): Effort | undefined {
  if (wanted === undefined) return undefined;
  const maxIndex = EFFORTS.indexOf(wanted);
  return efforts.findLast((effort) => EFFORTS.indexOf(effort) <= maxIndex) ?? efforts[0];
}

/**
 * Anthropic doesn't publish its tokenizers. 1.2 is a cautious guess up to Claude 4.6; the newer tokenizer makes about
 * 30% more tokens of the same text (page of Claude Haiku 5.5). Usage corrects both within a few turns.
 */
const CLAUDE_FACTOR = 1.2;
const NEW_CLAUDE_FACTOR = 1.56;
const OLD_CLAUDE = /claude-(?:3|\w+-4(?:-[0-6])?$)/;

let table: ReadonlyMap<string, ModelFacts> | undefined;

/** All models of the data file and the overlay, by lower-case ID. */
export function knownModels(): ReadonlyMap<string, ModelFacts> {
  table ??= new Map([
    ...DATA.models.map((row): [string, ModelFacts] => [row.slice(0, row.indexOf('|')), factsOf(row)]),
    ...Object.entries(OVERLAY),
  ]);
  return table;
}

/** Parses a row of the data file, which `scripts/models.ts` writes. */
function factsOf(row: string): ModelFacts {
  const [, vendor = '', window, maxOutput, maxInput, rates, long, efforts = '', flags = ''] = row.split('|');
  const price = rates ? priceFrom(rates, long ?? '') : undefined;
  return {
    vendor,
    contextWindow: Number(window),
    maxOutput: Number(maxOutput),
    ...(maxInput !== '' && { maxInput: Number(maxInput) }),
    ...(price && { price }),
    ...(efforts !== '-' && { efforts: EFFORTS.filter((effort) => efforts.split(' ').includes(effort)) }),
    takesImages: flags.includes('image'),
    ...(flags.includes('breakpoints') && { breakpoints: true }),
  };
}

function priceFrom(rates: string, long: string): Price {
  const [input = 0, output = 0, cachedInput = 0, cacheWrite = 0] = rates.split('/').map(Number);
  const [over = '', longRates = ''] = long.split(':');
  const [longInput = 0, longOutput = 0] = longRates.split('/').map(Number);
  return {
    input,
    output,
    ...(cachedInput > 0 && { cachedInput }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(long !== '' && {
      long: { over: Number(over), inputFactor: longInput / input, outputFactor: longOutput / output },
    }),
  };
}

/**
 * The facts about a model. Also finds IDs with a vendor's prefix, a region, a date, or `-latest`.
 *
 * @param listed facts from the provider's own model list, which take precedence over the data file
 */
export function modelInfo(id: string, overrides: ModelOverrides = {}, listed: ModelFacts = {}): ModelInfo {
  const names = namesOf(id);
  const row = names.map((name) => knownModels().get(name)).find((facts) => facts !== undefined);
  const overridden = [id, ...names].find((name) => Object.hasOwn(overrides, name)) ?? id;
  // OpenRouter's name for a model's free variant.
  const free = id.endsWith(':free') && { price: { input: 0, output: 0 } };
  const facts: ModelFacts = { ...row, ...free, ...listed, ...overrides[overridden] };
  // False if unknown, because an image that the server rejects would be part of every later request, too.
  const { takesImages = false } = facts;
  const contextWindow = facts.contextWindow ?? UNKNOWN_CONTEXT_WINDOW;
  const retires = listed.retires ?? retirementOf(id);
  return {
    ...facts,
    id,
    contextWindow,
    maxOutput: facts.maxOutput ?? Math.min(UNKNOWN_MAX_OUTPUT, contextWindow),
    ...(facts.maxOutput !== undefined && { statedMaxOutput: facts.maxOutput }),
    takesImages,
    // An unknown model may reason, but no effort can be requested.
    ...(row === undefined && facts.efforts === undefined && { efforts: [] }),
    ...(retires && { retires }),
    encoding: encodingFor(id),
    countFactor: /claude/i.test(id) ? (OLD_CLAUDE.test(undated(bareId(id))) ? CLAUDE_FACTOR : NEW_CLAUDE_FACTOR) : 1,
    known: facts.contextWindow !== undefined,
  };
}

/** A model's announced retirement by its vendor. Other platforms' IDs have none, because their schedules differ. */
export function retirementOf(id: string): Retirement | undefined {
  const bare = id.toLowerCase();
  return RETIREMENTS.get(bare) ?? RETIREMENTS.get(undated(bare));
}

/** `us.anthropic.claude-opus-5-5-v1:0` and `anthropic/claude-opus-5.5` are both `claude-opus-5-5`. */
const bareId = (id: string): string =>
  id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^(?:[a-z]{2,6}\.)?anthropic\./, '')
    .replace(/(?<=^claude.*)-v\d+(?::\d+)?$/, '')
    .replace(/(?<=^claude.*\d)\.(?=\d)/g, '-');
const undated = (id: string): string => id.replace(/(?:[-@]\d{4}-?\d{2}-?\d{2}.*|-latest|:[a-z]+)$/, '');

/** A model's ID and its shorter forms. */
function namesOf(id: string): readonly string[] {
  const full = id.toLowerCase();
  const bare = bareId(id);
  const names = [full, undated(full), bare, undated(bare)];
  return [...names, ...names.flatMap((name) => ALIASES[name] ?? [])];
}

/** The vocabulary for counting: cl100k_base for OpenAI's older chat models, and the newer one for all others. */
export function encodingFor(id: string): EncodingName {
  return /(?:^|\/)(?:gpt-4(?!o|\.\d)|gpt-3\.5|text-embedding)/i.test(id) ? 'cl100k_base' : 'o200k_base';
}

/** The price in US dollars per million tokens as counted here, instead of by the provider; undefined if unknown. */
export function countedPrice({ price, countFactor }: Pick<ModelInfo, 'price' | 'countFactor'>) {
  return price && { input: price.input * countFactor, output: price.output * countFactor };
}

/** The price of caching for an hour, relative to uncached input. Source: Anthropic's guide to prompt caching. */
const HOUR_WRITE_FACTOR = 2;

/**
 * The cost of a response in US dollars, as reported or else by the model's price; undefined if the price is unknown.
 * `usage.input` includes tokens that were read from or written to a prompt cache.
 */
export function priceOf(usage: Usage, model: Pick<ModelInfo, 'price'>): number | undefined {
  const { price } = model;
  if (usage.costUsd !== undefined || price === undefined) return usage.costUsd;
  const cached = Math.min(usage.cachedInput ?? 0, usage.input);
  const written = Math.min(usage.cacheWrite ?? 0, usage.input - cached);
  const hour = Math.min(usage.cacheWriteHour ?? 0, written);
  const long = price.long !== undefined && usage.input > price.long.over ? price.long : undefined;
  const input =
    (usage.input - cached - written) * price.input +
    cached * (price.cachedInput ?? price.input) +
    (written - hour) * (price.cacheWrite ?? price.input) +
    hour * price.input * HOUR_WRITE_FACTOR;
  const output = usage.output * price.output;
  return (input * (long?.inputFactor ?? 1) + output * (long?.outputFactor ?? 1)) / 1_000_000;
}
