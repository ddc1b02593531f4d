import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { outFolder } from '../../scripts/support/paths.ts';

/** Where the figures of tests of robustness lie, one file a test. */
export const robustnessFolder = path.join(outFolder, 'robustness');

/** Keeps what a test has counted for the benchmark's report. Called before what it counted is asserted. */
export function noteRobustness(test: string, figures: Readonly<Record<string, number>>): void {
  // A fault that is planted to be noticed says nothing of the product.
  if (process.env['PLANTED_FAULT'] !== undefined) return;
  mkdirSync(robustnessFolder, { recursive: true });
  writeFileSync(path.join(robustnessFolder, `${test}.json`), JSON.stringify(figures));
}
