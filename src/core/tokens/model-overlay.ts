import type { ModelFacts, Retirement } from './model-facts.ts';

const MYTHOS: ModelFacts = {
  vendor: 'anthropic',
  contextWindow: 1_000_000,
  maxOutput: 128_000,
  takesImages: true,
  efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
};

/** Corrections and additions to the data file, by model ID. Remove an entry once a newer file includes it. */
export const OVERLAY: Readonly<Record<string, ModelFacts>> = {
  // This model has no limit; a common context window makes gauge and triggers useful.
  local: { vendor: 'local', contextWindow: 128_000, maxOutput: 4_096, price: { input: 0, output: 0 } },
  // Read on 2026-11-23 from @anthropic-ai/sdk 1.12, npmjs.com/package/@anthropic-ai/sdk; their prices aren't public.
  'claude-mythos-5': MYTHOS,
  'claude-mythos-5-1': MYTHOS,
  'claude-mythos-5-2': MYTHOS,
};

/** Aliases for a vendor's newest model. Source: OpenAI's reasoning guide. */
export const ALIASES: Readonly<Record<string, string>> = { 'gpt-5.6': 'gpt-5.6-sol', 'gpt-6': 'gpt-6-sol' };

const retirements = (on: string, successor: string | undefined, ids: string): [string, Retirement][] =>
  ids.split(' ').map((id) => [id, { on, ...(successor !== undefined && { successor }) }]);

/**
 * By model ID. Read on 2026-11-29 from developers.openai.com/api/docs/deprecations, as quoted in openai 7.59, and
 * @anthropic-ai/sdk 1.14's list; no package includes all of them.
 */
export const RETIREMENTS: ReadonlyMap<string, Retirement> = new Map([
  ...retirements('2026-06-15', 'claude-sonnet-4-6', 'claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-20250514'),
  ...retirements('2026-06-15', 'claude-opus-4-8', 'claude-opus-4 claude-opus-4-0 claude-opus-4-20250514'),
  ...retirements('2026-08-05', 'claude-opus-4-8', 'claude-opus-4-1 claude-opus-4-1-20250805'),
  ...retirements('2026-08-10', 'gpt-6.1-sol', 'gpt-5.2-chat-latest gpt-5.3-chat-latest'),
  ...retirements('2026-10-23', 'gpt-6.1-terra', 'gpt-3.5-turbo gpt-3.5-turbo-0125 o4-mini o3-mini'),
  ...retirements('2026-10-23', 'gpt-6.1-sol', 'gpt-4 gpt-4-turbo gpt-4-0613 gpt-4o-2024-05-13 o1 o1-pro'),
  ...retirements('2026-10-23', 'gpt-6-luna', 'gpt-4.1-nano'),
  ...retirements('2026-11-30', 'claude-sonnet-5-5', 'claude-sonnet-4-5 claude-sonnet-4-5-20250929'),
  ...retirements('2026-12-11', 'gpt-6.1-sol', 'gpt-5 gpt-5-pro o3 o3-pro'),
  ...retirements('2026-12-11', 'gpt-6.1-terra', 'gpt-5-mini'),
  ...retirements('2026-12-11', 'gpt-6-luna', 'gpt-5-nano'),
  ...retirements('2027-01-14', 'gpt-6-luna', 'gpt-4o gpt-4o-mini gpt-4.1 gpt-4.1-mini'),
  ...retirements('2027-01-22', 'claude-opus-5-5', 'claude-opus-4-5 claude-opus-4-5-20251101'),
  ...retirements('2027-04-01', 'gpt-6.1-sol', 'gpt-5.1'),
  ...retirements('2027-04-01', undefined, 'gpt-5.4-nano'),
]);
