import type { KeyEventKind } from '../model/key-event.ts';

/** A weight for each name in `FEATURES`, for what users say and for what others say. */
export interface Weights {
  readonly user: readonly number[];
  readonly other: readonly number[];
}

/** Two steps: is this sentence a key event, and if so, of which kind. */
export interface Model {
  readonly event: Weights;
  readonly kinds: Readonly<Record<KeyEventKind, Weights>>;
}

/** Logistic score of the features that hold, by their places in `FEATURES`, 0…1. */
export function probability(features: readonly number[], weights: readonly number[]): number {
  let sum = 0;
  for (const place of features) sum += weights[place]!;
  return 1 / (1 + Math.exp(-sum));
}
