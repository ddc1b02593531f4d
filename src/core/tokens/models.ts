import type { Usage } from '../model/message.ts';
import { MODEL_TABLE, type ModelRow, type Price } from './model-table.ts';
import type { EncodingName } from './token-counter.ts';

/** How hard a model thinks, from not at all. Each model takes some of these, and vendors name them alike. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;
export type Effort = (typeof EFFORTS)[number];

/** Tokens that a reply's thinking may take and the effort that is asked for; left out: the vendor's default. */
export interface ReasoningPlan {
  readonly effort?: Effort;
  readonly tokens: number;
}

export interface ModelInfo {
  readonly id: string;
  readonly provider: ModelRow['provider'] | 'unknown';
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  /** Tokens of input alone, where they are limited further. */
  readonly maxInput?: number;
  readonly maxOutput: number;
  /** Undefined: no figure of cost can be shown. */
  readonly price?: Price;
  readonly encoding: EncodingName;
  /** What the model's own tokenizer makes of one token of `encoding`, before any usage has told. */
  readonly countFactor: number;
  /** Whether it can be sent images. */
  readonly takesImages: boolean;
  /** The efforts that can be asked of a model that thinks, least first; empty where none can. Undefined: it never thinks. */
  readonly efforts?: readonly Effort[];
  /** False: window and prices are a guess, which a page should say. */
  readonly known: boolean;
  readonly source?: string;
  readonly date?: string;
}

/** What a user's setting or the provider's own answer says of a model; it goes before the table. */
export type ModelOverride = Partial<
  Pick<ModelInfo, 'contextWindow' | 'maxInput' | 'maxOutput' | 'price' | 'encoding' | 'countFactor' | 'takesImages'>
>;
export type ModelOverrides = Readonly<Record<string, ModelOverride>>;

/**
 * The window of a model nobody knows: the smallest that a hosted chat model still in service has (GPT-4's).
 * Too small a guess costs an early compression and a line in a setting; too large a one, refused requests.
 */
export const UNKNOWN_CONTEXT_WINDOW = 8_192;
export const UNKNOWN_MAX_OUTPUT = 2_048;

const rows = new Map(MODEL_TABLE.map((row) => [row.id, row]));

/** The table's row for a model id, also with a vendor's prefix, a date or `-latest` on it; then the overrides. */
export function modelInfo(id: string, overrides: ModelOverrides = {}): ModelInfo {
  const row = rowFor(id);
  const found: ModelInfo =
    row === undefined
      ? {
          id,
          provider: 'unknown',
          contextWindow: UNKNOWN_CONTEXT_WINDOW,
          maxOutput: UNKNOWN_MAX_OUTPUT,
          encoding: encodingFor(id),
          countFactor: 1,
          // An image that a server refuses would be in each request after it.
          takesImages: false,
          efforts: [],
          known: false,
        }
      : { ...row, id, known: true };
  const override = overrideFor(id, row, overrides);
  return override === undefined
    ? found
    : { ...found, ...override, known: found.known || override.contextWindow !== undefined };
}

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

function overrideFor(id: string, row: ModelRow | undefined, overrides: ModelOverrides): ModelOverride | undefined {
  if (Object.hasOwn(overrides, id)) return overrides[id];
  return row !== undefined && Object.hasOwn(overrides, row.id) ? overrides[row.id] : undefined;
}

function rowFor(id: string): ModelRow | undefined {
  const bare = id
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/^anthropic\./, '');
  return rows.get(bare) ?? rows.get(bare.replace(/(?:[-@]\d{4}-?\d{2}-?\d{2}.*|-latest)$/, ''));
}

/** The vocabulary that counts for a model: OpenAI's older chat models have cl100k_base, everything else the newer. */
export function encodingFor(id: string): EncodingName {
  const row = rowFor(id);
  if (row !== undefined) return row.encoding;
  return /(?:^|\/)(?:gpt-4(?!o|\.\d)|gpt-3\.5|text-embedding)/i.test(id) ? 'cl100k_base' : 'o200k_base';
}

/**
 * What a reply cost, in US dollars, or undefined when the model has no price. `usage.input` is all of the input:
 * what was read from or written to a prompt cache is part of it.
 */
export function priceOf(usage: Usage, model: Pick<ModelInfo, 'price'>): number | undefined {
  const { price } = model;
  if (price === undefined) return undefined;
  const cached = Math.min(usage.cachedInput ?? 0, usage.input);
  const written = Math.min(usage.cacheWrite ?? 0, usage.input - cached);
  const long = price.long !== undefined && usage.input > price.long.over ? price.long : undefined;
  const input =
    (usage.input - cached - written) * price.input +
    cached * (price.cachedInput ?? price.input) +
    written * (price.cacheWrite ?? price.input);
  const output = usage.output * price.output;
  return (input * (long?.inputFactor ?? 1) + output * (long?.outputFactor ?? 1)) / 1_000_000;
}
