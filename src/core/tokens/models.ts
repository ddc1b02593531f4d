import type { Usage } from '../model/message.ts';
import DATA from './model-data.json' with { type: 'json' };
import { EFFORTS, type Effort, type ModelFacts, type Price, type Retirement } from './model-facts.ts';
import { ALIASES, OVERLAY, RETIREMENTS } from './model-overlay.ts';
import type { EncodingName } from './token-counter.ts';

/** Tokens that a reply's thinking may take and the effort that is asked for; left out: the vendor's default. */
export interface ReasoningPlan {
  readonly effort?: Effort;
  readonly tokens: number;
}

export interface ModelInfo extends ModelFacts {
  readonly id: string;
  readonly contextWindow: number;
  readonly maxOutput: number;
  /** Left out: `maxOutput` is a guess. */
  readonly statedMaxOutput?: number;
  readonly encoding: EncodingName;
  /** What the model's own tokenizer makes of one token of `encoding`, before any usage has told. */
  readonly countFactor: number;
  readonly takesImages: boolean;
  /** False: its window is a guess, which the user is told and asked about. */
  readonly known: boolean;
}

/** What the user's settings say of models, by id; it goes before everything else. */
export type ModelOverrides = Readonly<Record<string, ModelFacts>>;

/**
 * The window of a model nobody knows. Hosted models in service have at least 128,000 tokens, and local servers that are
 * set up for more than a few questions 32,768; a server with less says so, or shows it by what it reads.
 */
export const UNKNOWN_CONTEXT_WINDOW = 32_768;
const UNKNOWN_MAX_OUTPUT = 8_192;

/** The model of a provider when the user names none: a middling one for chat, the cheapest for summaries. */
export const DEFAULT_MODELS = {
  openai: { chat: 'gpt-6.1-terra', summary: 'gpt-6-luna' },
  anthropic: { chat: 'claude-sonnet-5-5', summary: 'claude-haiku-5-5' },
} as const;

/**
 * Room for thinking, by effort. A limit costs nothing that is not used, but a full one is paid and gives no text:
 * Anthropic's guides use 16,000 at the default effort, and 800 to 2,048 were seen where a summary was all there was to
 * think about. At `none` some is left for models that think nevertheless.
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
/** A summary or a check at an effort that cannot be chosen: there is less to think about than in a chat. */
const SUMMARY_REASONING_TOKENS = 4_096;
/** Of a small window thinking gets at most this share, or nothing would be left to think about. */
const MAX_REASONING_SHARE = 1 / 8;

/**
 * How a request lets a model think: a chat as the user wants it (else as the vendor has it by default), a summary or a
 * check as little as the model can.
 */
export function reasoningPlan(
  { efforts, contextWindow, maxOutput }: Pick<ModelInfo, 'efforts' | 'contextWindow' | 'maxOutput'>,
  purpose: 'chat' | 'summary',
  wanted?: Effort,
): ReasoningPlan {
  if (efforts === undefined) return { tokens: 0 };
  const effort = purpose === 'summary' ? efforts[0] : nearestEffort(efforts, wanted);
  const byDefault = purpose === 'summary' ? SUMMARY_REASONING_TOKENS : REASONING_TOKENS.medium;
  const most = Math.min(Math.floor(maxOutput / 2), Math.floor(contextWindow * MAX_REASONING_SHARE));
  const tokens = Math.min(effort === undefined ? byDefault : REASONING_TOKENS[effort], most);
  return { ...(effort !== undefined && { effort }), tokens };
}

/** The strongest effort that the model takes and that is not above what is wanted, else its least. */
function nearestEffort(efforts: readonly Effort[], wanted: Effort | undefined): Effort | undefined {
  if (wanted === undefined) return undefined;
  const most = EFFORTS.indexOf(wanted);
  return efforts.findLast((effort) => EFFORTS.indexOf(effort) <= most) ?? efforts[0];
}

/**
 * Anthropic does not publish its tokenizers. 1.2 is a guess on the safe side for those up to Claude 4.6; the newer one
 * makes some 30 % more of the same text (page of Claude Haiku 5.5). Usage corrects both within a few turns.
 */
const CLAUDE_FACTOR = 1.2;
const NEW_CLAUDE_FACTOR = 1.56;
const OLD_CLAUDE = /claude-(?:3|\w+-4(?:-[0-6])?$)/;

let table: ReadonlyMap<string, ModelFacts> | undefined;

/** All models of the data file and the overlay, by lower-case id. */
export function knownModels(): ReadonlyMap<string, ModelFacts> {
  table ??= new Map([
    ...DATA.models.map((row): [string, ModelFacts] => [row.slice(0, row.indexOf('|')), factsOf(row)]),
    ...Object.entries(OVERLAY).map(([id, { facts }]): [string, ModelFacts] => [id, facts]),
  ]);
  return table;
}

/** A row of the data file, as `scripts/models.ts` writes it. */
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
  const [over = '', dearer = ''] = long.split(':');
  const [longInput = 0, longOutput = 0] = dearer.split('/').map(Number);
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
 * What is known of a model, also under an id with a vendor's prefix, a region, a date or `-latest`.
 *
 * @param told what the provider's own list says of it: goes before the data file
 */
export function modelInfo(id: string, overrides: ModelOverrides = {}, told: ModelFacts = {}): ModelInfo {
  const name = knownName(id);
  const row = name === undefined ? undefined : knownModels().get(name);
  const override = overrideFor(id, overrides);
  const facts: ModelFacts = { ...row, ...told, ...override };
  // An image that a server refuses would be in each request after it.
  const { takesImages = false } = facts;
  const contextWindow = facts.contextWindow ?? UNKNOWN_CONTEXT_WINDOW;
  const retires = told.retires ?? retirementOf(id);
  return {
    ...facts,
    id,
    contextWindow,
    maxOutput: facts.maxOutput ?? Math.min(UNKNOWN_MAX_OUTPUT, contextWindow),
    ...(facts.maxOutput !== undefined && { statedMaxOutput: facts.maxOutput }),
    takesImages,
    // A model that nobody described may think, and be asked for nothing.
    ...(row === undefined && facts.efforts === undefined && { efforts: [] }),
    ...(retires && { retires }),
    encoding: encodingFor(id),
    countFactor: /claude/i.test(id) ? (OLD_CLAUDE.test(undated(bareId(id))) ? CLAUDE_FACTOR : NEW_CLAUDE_FACTOR) : 1,
    known: facts.contextWindow !== undefined,
  };
}

function overrideFor(id: string, overrides: ModelOverrides): ModelFacts | undefined {
  const name = [id, ...namesOf(id)].find((each) => Object.hasOwn(overrides, each));
  return name === undefined ? undefined : overrides[name];
}

/** When the vendor retires a model, where it has said so; ids of other vendors' platforms follow calendars of their own. */
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

/** A model's id and its shorter forms. */
function namesOf(id: string): readonly string[] {
  const full = id.toLowerCase();
  const bare = bareId(id);
  const names = [full, undated(full), bare, undated(bare)];
  return [...names, ...names.flatMap((name) => ALIASES[name] ?? [])];
}

/** The name under which a model stands in the data. */
const knownName = (id: string): string | undefined => namesOf(id).find((name) => knownModels().has(name));

/** The vocabulary that counts for a model: OpenAI's older chat models have cl100k_base, everything else the newer. */
export function encodingFor(id: string): EncodingName {
  return /(?:^|\/)(?:gpt-4(?!o|\.\d)|gpt-3\.5|text-embedding)/i.test(id) ? 'cl100k_base' : 'o200k_base';
}

/** Anthropic's guide to prompt caching: an hour costs twice the plain input. */
const HOUR_WRITE_FACTOR = 2;

/**
 * What a reply cost, in US dollars, or undefined when the model has no price. `usage.input` is all of the input:
 * what was read from or written to a prompt cache is part of it.
 */
export function priceOf(usage: Usage, model: Pick<ModelInfo, 'price'>): number | undefined {
  const { price } = model;
  if (price === undefined) return undefined;
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
