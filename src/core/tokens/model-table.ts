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

export interface ModelRow {
  readonly id: string;
  readonly provider: 'openai' | 'anthropic' | 'local';
  /** Tokens of input and output together. */
  readonly contextWindow: number;
  /** Tokens of input alone, where the provider limits them further. */
  readonly maxInput?: number;
  readonly maxOutput: number;
  readonly price: Price;
  readonly encoding: 'o200k_base' | 'cl100k_base';
  /** What the model's own tokenizer makes of one token of `encoding`, before any usage has told. */
  readonly countFactor: number;
  readonly takesImages: boolean;
  /** Where the figures were read: the provider's page, or one that cites it. */
  readonly source: string;
  /** The day they were read. */
  readonly date: string;
}

const READ = '2026-11-21';
const OPENAI = 'https://developers.openai.com/api/docs/models/';
const VERCEL = 'https://vercel.com/ai-gateway/models/';
const ADK = 'https://docs.rs/crate/adk-model/latest/source/src/openai/pricing.rs';
const AUMIQX = 'https://aumiqx.com/ai-tools/openai-api-pricing-gpt4-costs-guide-2026';
const COMMITBRIEF = 'https://github.com/CommitBrief/commitbrief/wiki/Provider-OpenAI';
const SOAP = 'https://github.com/josephrmartinez/soapnotescribe';
const CALC = 'https://aimodelcalc.pages.dev/guides/openai-api-pricing.html';
const ANTHROPIC = 'https://platform.claude.com/docs/en/models/';

/** GPT-5.4 and later: above 272,000 tokens of input a request costs twice its input and 1.5 times its output. */
const OPENAI_LONG = { over: 272_000, inputFactor: 2, outputFactor: 1.5 };

/**
 * Anthropic does not publish its tokenizers. 1.2 is a guess on the safe side for those up to Claude 4.6; the newer one
 * makes some 30 % more of the same text (page of Claude Haiku 5.5). Usage corrects both within a few turns.
 */
const CLAUDE_FACTOR = 1.2;
const NEW_CLAUDE_FACTOR = 1.56;

type Limits = readonly [contextWindow: number, maxOutput: number, maxInput?: number];
const GPT_1M: Limits = [1_050_000, 128_000, 922_000];
const GPT_400K: Limits = [400_000, 128_000, 272_000];
const GPT_41: Limits = [1_047_576, 32_768];
const GPT_4O: Limits = [128_000, 16_384];
const O_SERIES: Limits = [200_000, 100_000];
const CLAUDE_1M: Limits = [1_000_000, 128_000];
const CLAUDE_200K: Limits = [200_000, 64_000];

function openai(
  id: string,
  [contextWindow, maxOutput, maxInput]: Limits,
  price: Price,
  source = OPENAI + id,
  encoding: ModelRow['encoding'] = 'o200k_base',
): ModelRow {
  const limits = { contextWindow, maxOutput, ...(maxInput === undefined ? {} : { maxInput }) };
  const takesImages = !BLIND.has(id);
  return { id, provider: 'openai', ...limits, price, encoding, countFactor: 1, takesImages, source, date: READ };
}

function anthropic(id: string, [contextWindow, maxOutput]: Limits, price: Price, countFactor: number): ModelRow {
  const source = `${ANTHROPIC}${id.replace('claude-', '')}/overview`;
  return {
    id,
    provider: 'anthropic',
    contextWindow,
    maxOutput,
    price,
    encoding: 'o200k_base',
    countFactor,
    takesImages: true,
    source,
    date: READ,
  };
}

/** OpenAI's models that read text alone; all others of the table see. */
const BLIND: ReadonlySet<string> = new Set(['gpt-4', 'gpt-3.5-turbo']);

/** The one table of windows and prices; every figure of cost comes from here. Standard tier, no batch, no fast mode. */
export const MODEL_TABLE: readonly ModelRow[] = [
  openai('gpt-6.2-astra', GPT_1M, { input: 8, output: 40, long: OPENAI_LONG }, VERCEL + 'gpt-6.2-astra'),
  openai('gpt-6-astra', GPT_1M, { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50, long: OPENAI_LONG }),
  openai(
    'gpt-6.1-sol',
    GPT_1M,
    { input: 2, cachedInput: 0.1, cacheWrite: 2.5, output: 10, long: OPENAI_LONG },
    'https://dev.to/roobia/gpt-61-terra-vs-gpt-61-sol-51ec',
  ),
  openai(
    'gpt-6.1-terra',
    GPT_1M,
    { input: 1, cachedInput: 0.05, cacheWrite: 1.25, output: 5, long: OPENAI_LONG },
    'https://docs.litellm.ai/blog/gpt-6-1-terra',
  ),
  openai('gpt-6-luna', GPT_1M, { input: 0.1, cachedInput: 0.01, cacheWrite: 0.125, output: 0.5, long: OPENAI_LONG }),
  openai('gpt-5.6-sol', GPT_1M, { input: 4, cachedInput: 0.4, cacheWrite: 5, output: 20, long: OPENAI_LONG }),
  openai(
    'gpt-5.6-terra',
    GPT_1M,
    { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 12, long: OPENAI_LONG },
    VERCEL + 'gpt-5.6-terra',
  ),
  openai('gpt-5.6-luna', GPT_1M, { input: 0.2, cachedInput: 0.02, cacheWrite: 0.25, output: 1.2, long: OPENAI_LONG }),
  openai('gpt-5.4', GPT_1M, { input: 2.5, cachedInput: 0.25, output: 15, long: OPENAI_LONG }, ADK),
  openai('gpt-5.4-mini', GPT_400K, { input: 0.75, cachedInput: 0.075, output: 4.5 }, ADK),
  openai('gpt-5', GPT_400K, { input: 1.25, cachedInput: 0.125, output: 10 }, OPENAI + 'gpt-5-codex'),
  openai(
    'gpt-5-mini',
    GPT_400K,
    { input: 0.25, cachedInput: 0.025, output: 2 },
    'https://github.com/srinathmkce/imagetoken',
  ),
  openai('gpt-5-nano', GPT_400K, { input: 0.05, cachedInput: 0.005, output: 0.4 }),
  openai('gpt-4.1', GPT_41, { input: 2, cachedInput: 0.5, output: 8 }, 'https://www.helicone.ai/model/gpt-4.1'),
  openai('gpt-4.1-mini', GPT_41, { input: 0.4, cachedInput: 0.1, output: 1.6 }, AUMIQX),
  openai('gpt-4.1-nano', GPT_41, { input: 0.1, cachedInput: 0.025, output: 0.4 }, AUMIQX),
  openai('gpt-4o', GPT_4O, { input: 2.5, cachedInput: 1.25, output: 10 }, COMMITBRIEF),
  openai('gpt-4o-mini', GPT_4O, { input: 0.15, cachedInput: 0.075, output: 0.6 }, COMMITBRIEF),
  openai(
    'o3',
    O_SERIES,
    { input: 2, cachedInput: 0.5, output: 8 },
    'https://deploybase.ai/articles/openai-api-pricing-2026',
  ),
  openai(
    'o4-mini',
    O_SERIES,
    { input: 1.1, cachedInput: 0.275, output: 4.4 },
    'https://github.com/RooCodeInc/Roo-Code/pull/2691',
  ),
  openai('gpt-4-turbo', [128_000, 4_096], { input: 10, output: 30 }, SOAP, 'cl100k_base'),
  openai('gpt-4', [8_192, 8_192], { input: 30, output: 60 }, SOAP, 'cl100k_base'),
  openai('gpt-3.5-turbo', [16_385, 4_096], { input: 0.5, output: 1.5 }, CALC, 'cl100k_base'),

  anthropic(
    'claude-fable-5-2',
    CLAUDE_1M,
    { input: 8, cachedInput: 0.2, cacheWrite: 10, output: 40 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-fable-5-1',
    CLAUDE_1M,
    { input: 10, cachedInput: 0.25, cacheWrite: 12.5, output: 50 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-fable-5',
    CLAUDE_1M,
    { input: 10, cachedInput: 1, cacheWrite: 12.5, output: 50 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic('claude-opus-5-5', CLAUDE_1M, { input: 4, cachedInput: 0.2, cacheWrite: 5, output: 20 }, NEW_CLAUDE_FACTOR),
  anthropic(
    'claude-opus-5',
    CLAUDE_1M,
    { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-opus-4-8',
    CLAUDE_1M,
    { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic('claude-opus-4-6', CLAUDE_1M, { input: 5, cachedInput: 0.5, cacheWrite: 6.25, output: 25 }, CLAUDE_FACTOR),
  anthropic(
    'claude-sonnet-5-5',
    CLAUDE_1M,
    { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-sonnet-5',
    CLAUDE_1M,
    { input: 2, cachedInput: 0.2, cacheWrite: 2.5, output: 10 },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-sonnet-4-6',
    CLAUDE_1M,
    { input: 3, cachedInput: 0.3, cacheWrite: 3.75, output: 15 },
    CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-haiku-5-5',
    CLAUDE_1M,
    {
      input: 0.1,
      cachedInput: 0.01,
      cacheWrite: 0.125,
      output: 0.5,
      long: { over: 100_000, inputFactor: 5, outputFactor: 5 },
    },
    NEW_CLAUDE_FACTOR,
  ),
  anthropic(
    'claude-haiku-4-5',
    CLAUDE_200K,
    { input: 1, cachedInput: 0.1, cacheWrite: 1.25, output: 5 },
    CLAUDE_FACTOR,
  ),

  {
    id: 'local',
    provider: 'local',
    // It has no limit of its own; a common window keeps gauge and triggers meaningful.
    contextWindow: 128_000,
    maxOutput: 4_096,
    price: { input: 0, output: 0 },
    encoding: 'o200k_base',
    countFactor: 1,
    takesImages: false,
    source: 'docs/architecture.md',
    date: READ,
  },
];
