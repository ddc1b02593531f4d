import { KEY_EVENT_KINDS } from '../model/key-event.ts';

/** What the model tells of a sentence: whether it is worth keeping, whether for long, and how well each kind fits. */
export const OUTPUTS = ['event', 'lasting', ...KEY_EVENT_KINDS] as const;

/**
 * Weights by feature, one an output: for what users say, then for what others say. A word weighs the same on both sides.
 * A feature that is not named weighs nothing.
 */
export type Model = Readonly<Record<string, readonly number[]>>;

/** The sums of the first outputs, in the order of `OUTPUTS`; logistic for the first two. */
export function weigh(
  features: readonly string[],
  model: Model,
  isUser: boolean,
  outputs: number = OUTPUTS.length,
): number[] {
  const sums = new Array<number>(outputs).fill(0);
  for (const feature of features) {
    const weights = model[feature];
    if (weights === undefined) continue;
    const from = isUser || weights.length === OUTPUTS.length ? 0 : OUTPUTS.length;
    for (let at = 0; at < sums.length; at++) sums[at]! += weights[from + at]!;
  }
  return sums;
}

export const logistic = (sum: number): number => 1 / (1 + Math.exp(-sum));
