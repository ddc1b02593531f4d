import type { Price } from '../../../src/core/tokens/model-facts.ts';
import { modelInfo } from '../../../src/core/tokens/model-info.ts';
import type { Reply } from './streams.ts';
import { bareId } from './traits.ts';

/**
 * Prices in US dollars per million tokens, from the product's data: `src/core/tokens/model-data.json` (with source and
 * date) with the corrections of `model-overlay.ts`. So a computed cost verifies counts, not prices. Self-hosted servers
 * are free.
 */
export const priceFor = (model: string): Price => modelInfo(bareId(model)).price ?? { input: 0, output: 0 };

/** The cost of a reply in US dollars, according to the vendors' rules for caches and long requests. */
export function costOf(model: string, { input, cache, reasoning, answered }: Reply): number {
  const { input: plainPrice, output, cachedInput = plainPrice, cacheWrite = plainPrice, long } = priceFor(model);
  const plain = input - cache.read - cache.write;
  // An hour in Anthropic's cache costs twice the input price:
  // platform.claude.com/docs/en/build-with-claude/prompt-caching
  const written = (cache.write - cache.hour) * cacheWrite + cache.hour * plainPrice * 2;
  const isLong = long !== undefined && input > long.over;
  const read = (plain * plainPrice + cache.read * cachedInput + written) * (isLong ? long.inputFactor : 1);
  return (read + (reasoning + answered) * output * (isLong ? long.outputFactor : 1)) / 1e6;
}
