/** How models handle requests, where vendors and models differ. Each entry of `TRAITS` has its source's address. */
export interface Traits {
  readonly window: number;
  readonly maxOutput: number;
  /** Supported efforts. If undefined, requests with an effort are rejected. */
  readonly efforts?: readonly string[];
  /** Thinking tokens by default. Default efforts: OpenAI's reasoning guide; Anthropic's overviews. */
  readonly thinks: number;
  /** Thinking can't be disabled (gpt-6.1 and 6.2 reject `none`; Claude Sonnet, Opus 5.5, and Fable always think). */
  readonly alwaysThinks?: boolean;
  readonly temperature: 'taken' | 'refused' | 'without thinking';
  readonly images: boolean;
  /** How its prompt cache matches. */
  readonly cache: 'none' | 'prefix' | 'breakpoints' | 'marks';
  /** Tokens of its tokenizer per o200k token. */
  readonly factor?: number;
  /** How a local server returns thinking: in a field, as text between tags, or with the closing tag only. */
  readonly thinkingAs?: 'field' | 'tags' | 'unopened';
}

const OPENAI_EFFORTS = ['none', 'low', 'medium', 'high', 'xhigh', 'max'];
const CLAUDE_EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];
const BIG = { window: 1_050_000, maxOutput: 128_000, images: true } as const;
const CLAUDE = {
  window: 1_000_000,
  maxOutput: 128_000,
  images: true,
  temperature: 'refused',
  cache: 'marks',
  factor: 1.56,
} as const;
const LOCAL = { images: false, temperature: 'taken', cache: 'none' } as const;

export const TRAITS: Readonly<Record<string, Traits>> = {
  // No reasoning; cached by prefix: developers.openai.com/api/docs/guides/prompt-caching
  'gpt-4o': { window: 128_000, maxOutput: 16_384, thinks: 0, temperature: 'taken', images: true, cache: 'prefix' },
  'gpt-4o-mini': { window: 128_000, maxOutput: 16_384, thinks: 0, temperature: 'taken', images: true, cache: 'prefix' },
  // Effort `medium` by default, no `none`: learn.microsoft.com/en-us/javascript/api/@azure/ai-projects/reasoningeffort
  'gpt-5-nano': {
    window: 400_000,
    maxOutput: 128_000,
    efforts: ['minimal', 'low', 'medium', 'high'],
    thinks: 2_048,
    alwaysThinks: true,
    temperature: 'refused',
    images: true,
    cache: 'prefix',
  },
  // `none` to `max`, `medium` by default; temperature only with `none`; writes 1.25 ×:
  // docs.litellm.ai/blog/gpt_6_sol_luna
  'gpt-6-luna': { ...BIG, efforts: OPENAI_EFFORTS, thinks: 800, temperature: 'without thinking', cache: 'breakpoints' },
  'gpt-6.1-terra': {
    ...BIG,
    efforts: OPENAI_EFFORTS,
    thinks: 5_000,
    temperature: 'without thinking',
    cache: 'breakpoints',
  },
  // Rejects `none` and every temperature: developers.openai.com/api/docs/models/gpt-6.2-sol
  'gpt-6.2-sol': {
    ...BIG,
    efforts: OPENAI_EFFORTS.slice(1),
    thinks: 5_000,
    alwaysThinks: true,
    temperature: 'refused',
    cache: 'breakpoints',
  },
  // No adaptive thinking and no effort: platform.claude.com/docs/en/build-with-claude/effort
  'claude-haiku-4-5': { ...CLAUDE, window: 200_000, maxOutput: 64_000, thinks: 0, factor: 1.2 },
  // Thinks at `medium` by default, can be disabled: docs.apiyi.com/en/live/2026-11/claude-thinking-guide-refresh
  'claude-haiku-5-5': { ...CLAUDE, efforts: CLAUDE_EFFORTS, thinks: 800 },
  'claude-sonnet-5': { ...CLAUDE, efforts: CLAUDE_EFFORTS, thinks: 5_000 },
  // Always thinks: platform.claude.com/docs/en/models/sonnet-5-5/overview
  'claude-sonnet-5-5': { ...CLAUDE, efforts: CLAUDE_EFFORTS, thinks: 5_000, alwaysThinks: true },
  'llama3.1:8b': { ...LOCAL, window: 131_072, maxOutput: 131_072, thinks: 0 },
  'qwen3:4b': { ...LOCAL, window: 40_960, maxOutput: 40_960, thinks: 600, thinkingAs: 'field' },
  // The template opens the tag: vllm-project/vllm#31045, deepseek-ai/DeepSeek-R1#352
  'deepseek-r1:8b': {
    ...LOCAL,
    window: 16_384,
    maxOutput: 16_384,
    thinks: 600,
    alwaysThinks: true,
    thinkingAs: 'unopened',
  },
  'phi-mini:1b': { ...LOCAL, window: 8_192, maxOutput: 8_192, thinks: 0 },
};

/** Thinking at an effort, as a share of the default. There is none with `none` or if it's disabled. */
export function thinkingAt(traits: Traits, effort: string | undefined, forced: number | undefined): number {
  if (forced !== undefined) return forced;
  if (effort === undefined) return traits.thinks;
  if (effort === 'none') return traits.alwaysThinks === true ? Math.round(traits.thinks * 0.2) : 0;
  const share: Readonly<Record<string, number>> = { minimal: 0.1, low: 0.3, medium: 1, high: 2, xhigh: 4, max: 8 };
  return Math.round(traits.thinks * (share[effort] ?? 1));
}

/** The vendor's name of a model, without the prefix that gateways add. */
export const bareId = (model: string): string => model.replace(/^.*\//, '').replace(/(?<=claude.*\d)\.(?=\d)/g, '-');
