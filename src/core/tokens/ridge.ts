/** Rounds of reweighting; the weights of outliers settle within a few. */
const ROUNDS = 8;

/** Residuals up to this are noise, however well the rest fits (shares of the target's unit). */
const LEAST_SCALE = 0.01;

/**
 * Robust ridge regression: minimizes Σ wᵢ (targetᵢ − rowᵢ·x)² + Σ penaltyⱼ (xⱼ − priorⱼ)², where the weights w begin
 * as given and are divided by 1 + (residual / scale)² in each round (iteratively reweighted least squares with Cauchy
 * weights; Holland & Welsch 1977), the scale being the median absolute residual. The first round starts from the
 * residuals to the weighted median target, so that a single wild target cannot pull the fit to itself.
 */
export function ridgeFit(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  weights: readonly number[],
  prior: readonly number[],
  penalties: readonly number[],
): readonly number[] {
  const middle = weightedMedian(targets, weights);
  let residuals = targets.map((target) => target - middle);
  let solution: readonly number[] = prior;
  for (let round = 0; round < ROUNDS; round++) {
    const scale = Math.max(LEAST_SCALE, 3 * weightedMedian(residuals.map(Math.abs), weights));
    const robust = weights.map((weight, i) => weight / (1 + (residuals[i]! / scale) ** 2));
    solution = solve(rows, targets, robust, prior, penalties);
    residuals = targets.map((target, i) => target - dot(rows[i]!, solution));
  }
  return solution;
}

function solve(
  rows: readonly (readonly number[])[],
  targets: readonly number[],
  weights: readonly number[],
  prior: readonly number[],
  penalties: readonly number[],
): readonly number[] {
  // Normal equations in x − prior: few unknowns, and the penalties keep them well away from singular.
  const size = prior.length;
  const matrix = prior.map((_, i) => prior.map((__, j) => (i === j ? penalties[i]! : 0)));
  const right = prior.map(() => 0);
  rows.forEach((row, n) => {
    const off = targets[n]! - dot(row, prior);
    for (let i = 0; i < size; i++) {
      right[i]! += weights[n]! * row[i]! * off;
      for (let j = 0; j < size; j++) matrix[i]![j]! += weights[n]! * row[i]! * row[j]!;
    }
  });
  for (let pivot = 0; pivot < size; pivot++) {
    for (let i = 0; i < size; i++) {
      if (i === pivot) continue;
      const factor = matrix[i]![pivot]! / matrix[pivot]![pivot]!;
      for (let j = pivot; j < size; j++) matrix[i]![j]! -= factor * matrix[pivot]![j]!;
      right[i]! -= factor * right[pivot]!;
    }
  }
  return prior.map((value, i) => value + right[i]! / matrix[i]![i]!);
}

function dot(left: readonly number[], right: readonly number[]): number {
  return left.reduce((sum, value, i) => sum + value * right[i]!, 0);
}

function weightedMedian(values: readonly number[], weights: readonly number[]): number {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const half = weights.reduce((sum, weight) => sum + weight, 0) / 2;
  let passed = 0;
  for (const i of order) {
    passed += weights[i]!;
    if (passed >= half) return values[i]!;
  }
  return 0;
}
