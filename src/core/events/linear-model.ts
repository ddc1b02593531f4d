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

/** Logistic score of a feature vector, 0…1. */
export function probability(vector: Float64Array, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) if (vector[i] !== 0) sum += vector[i]! * weights[i]!;
  return 1 / (1 + Math.exp(-sum));
}
