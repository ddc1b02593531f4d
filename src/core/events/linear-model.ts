import { KEY_EVENT_KINDS } from '../model/key-event.ts';

/** The model's outputs for a sentence: whether it's a key event, whether it's lasting, and a score for each kind. */
export const OUTPUTS = ['event', 'lasting', ...KEY_EVENT_KINDS] as const;

/**
 * Weights by feature, one per output: for users' sentences, then for other speakers'. Hashed words have only one list,
 * for both. Missing features have weight 0.
 */
export type LinearModel = Readonly<Record<string, readonly number[]>>;

/**
 * For each output, the sum of the features' weights. The first two are log-odds, which `logistic` turns into
 * probabilities.
 */
export function scoreFeatures(features: readonly string[], model: LinearModel, isUser: boolean): number[] {
  const sums = new Array<number>(OUTPUTS.length).fill(0);
  for (const feature of features) {
    const weights = model[feature];
    if (weights === undefined) continue;
    const from = isUser || weights.length === OUTPUTS.length ? 0 : OUTPUTS.length;
    for (let at = 0; at < sums.length; at++) sums[at]! += weights[from + at]!;
  }
  return sums;
}

export const logistic = (sum: number): number => 1 / (1 + Math.exp(-sum));
