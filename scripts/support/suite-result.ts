import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { outFolder } from './paths.ts';

/** What a suite of tests came to. */
export interface SuiteResult {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** Why the suite as a whole is red although no test may be, or what else its counts do not tell. */
  readonly remark?: string;
}

/** Where a suite's reporter leaves its counts. */
export const resultFile = (name: string): string => path.join(outFolder, 'results', `${name}.json`);

/** The reporter that leaves them there. */
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

/** Judges a suite that has run: by the counts that it left, and by its exit code only if these do not explain it. */
export async function readResult(name: string, code: number, seconds: number): Promise<SuiteResult> {
  const counts = await readCounts(name);
  if (counts === undefined) {
    return { name, passed: 0, failed: 1, skipped: 0, seconds, remark: 'ended without a result' };
  }
  if (counts.passed + counts.failed === 0) return { name, ...counts, failed: 1, seconds, remark: 'ran no test' };
  if (code !== 0 && counts.failed === 0) return { name, ...counts, failed: 1, seconds, remark: `exit code ${code}` };
  return { name, ...counts, seconds };
}

/** The table at the end of `npm test`, and the line that sums it up. */
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
