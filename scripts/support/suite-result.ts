import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { outFolder } from './paths.ts';

export interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Why the suite failed as a whole, even if no test failed, or which part of it ran. */
  readonly remark?: string;
}

/** The file to which a suite's reporter writes its counts. */
export const resultFile = (name: string): string => path.join(outFolder, 'results', `${name}.json`);

/** The path of the Mocha reporter that writes the counts to `SUITE_RESULT_FILE`. */
export const reporter = path.join(import.meta.dirname, 'result-reporter.cjs');

interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

async function readCounts(name: string): Promise<Counts | undefined> {
  try {
    return JSON.parse(await readFile(resultFile(name), 'utf8')) as Counts;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * The result of a suite that has ended, by the counts that it wrote. It also failed if it wrote none, ran no test, or its
 * exit code isn't 0 although no test failed.
 */
export async function readResult(name: string, code: number, seconds: number): Promise<SuiteResult> {
  const counts = await readCounts(name);
  if (counts === undefined) {
    return { name, passed: 0, failed: 1, skipped: 0, seconds, remark: 'ended without a result' };
  }
  if (counts.passed + counts.failed === 0) return { name, ...counts, failed: 1, seconds, remark: 'ran no test' };
  if (code !== 0 && counts.failed === 0) return { name, ...counts, failed: 1, seconds, remark: `exit code ${code}` };
  return { name, ...counts, seconds };
}

/** The table at the end of `npm test`, followed by a line with the totals. */
export function summarize(results: readonly SuiteResult[]): string {
  const header = ['suite', 'passed', 'failed', 'skipped', 'seconds', ''];
  const rows = results.map((r) =>
    [r.name, r.passed, r.failed, r.skipped, Math.round(r.seconds), r.remark ?? ''].map(String),
  );
  const widths = header.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column]!)].map((s) => s.length)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, i) => (i === 0 || i === 5 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!)))
      .join('  ')
      .trimEnd();
  const sum = (key: 'passed' | 'failed' | 'skipped'): number => results.reduce((total, r) => total + r[key], 0);
  const skipped = sum('skipped') > 0 ? `, ${sum('skipped')} skipped` : '';
  return [header, ...rows].map(line).join('\n') + `\n\n${sum('passed')} passed, ${sum('failed')} failed${skipped}`;
}
