import type { Price } from '../../../src/core/tokens/model-facts.ts';
import { modelInfo } from '../../../src/core/tokens/models.ts';
import type { Reply } from './streams.ts';
import { bareId } from './traits.ts';

/**
 * US dollars for a million tokens, of the product's own data: `src/core/tokens/model-data.json` (with its source and date)
 * and what `model-overlay.ts` corrects in it. So a bill here checks what is counted, not what a token costs. Nothing for a
 * server of one's own.
 */
export const priceFor = (model: string): Price => modelInfo(bareId(model)).price ?? { input: 0, output: 0 };

/** What a reply costs, in US dollars, by the vendors' rules for caches and long requests. */
export function billOf(model: string, { input, cache, reasoning, answered }: Reply): number {
  const { input: plainPrice, output, cachedInput = plainPrice, cacheWrite = plainPrice, long } = priceFor(model);
  const plain = input - cache.read - cache.write;
  // An hour in Anthropic's cache costs twice the input: platform.claude.com/docs/en/build-with-claude/prompt-caching
  const written = (cache.write - cache.hour) * cacheWrite + cache.hour * plainPrice * 2;
  const isLong = long !== undefined && input > long.over;
  const read = (plain * plainPrice + cache.read * cachedInput + written) * (isLong ? long.inputFactor : 1);
  return (read + (reasoning + answered) * output * (isLong ? long.outputFactor : 1)) / 1e6;
}
