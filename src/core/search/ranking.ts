/** Saturation of repeated words and normalization by length: Lucene's defaults (Robertson & Zaragoza 2009). */
export const K1 = 1.2;
export const B = 0.75;

/** This share of the score depends on how much of the query matched at all, so that one frequent word cannot win alone. */
export const COVERAGE_SHARE = 0.8;

/**
 * A word that says how something was said ("choose") adds little by itself. Beside the thing itself it lifts the whole:
 * "we decided on X" before "X is fast".
 */
export const MANNER_SHARE = 0.2;
export const MANNER_WEIGHT = 1.6;

/** Inverse document frequency, never negative. */
export function rarityOf(holding: number, all: number): number {
  return Math.log(1 + (all - holding + 0.5) / (holding + 0.5));
}
