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

/** What a suite's reporter left: the counts of the whole, and those of each file by its path. */
interface Report extends Counts {
  readonly byFile: Readonly<Record<string, Counts>>;
}

async function readReport(name: string): Promise<Report | undefined> {
  try {
    return JSON.parse(await readFile(resultFile(name), 'utf8')) as Report;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Judges a suite that has run: by the counts that it left, and by its exit code only if these do not explain it. */
export async function readResult(name: string, code: number, seconds: number): Promise<SuiteResult> {
  const report = await readReport(name);
  if (report === undefined) {
    return { name, passed: 0, failed: 1, skipped: 0, seconds, remark: 'ended without a result' };
  }
  const { byFile: _, ...counts } = report;
  if (counts.passed + counts.failed === 0) return { name, ...counts, failed: 1, seconds, remark: 'ran no test' };
  if (code !== 0 && counts.failed === 0) return { name, ...counts, failed: 1, seconds, remark: `exit code ${code}` };
  return { name, ...counts, seconds };
}

/** The files of a suite that has run in which something failed, with what they came to. */
export async function readFailedFiles(name: string): Promise<ReadonlyMap<string, Counts>> {
  const report = await readReport(name);
  return new Map(Object.entries(report?.byFile ?? {}).filter(([, counts]) => counts.failed > 0));
}

/** What a suite came to whose failed files ran again: these count by their second run alone. */
export function withSecondRun(
  first: SuiteResult,
  failedFiles: ReadonlyMap<string, Counts>,
  second: SuiteResult,
): SuiteResult {
  const without = (key: keyof Counts): number =>
    first[key] - [...failedFiles.values()].reduce((sum, counts) => sum + counts[key], 0);
  return {
    name: first.name,
    passed: without('passed') + second.passed,
    failed: without('failed') + second.failed,
    skipped: without('skipped') + second.skipped,
    seconds: first.seconds + second.seconds,
    remark: second.remark ?? `${failedFiles.size} ${failedFiles.size === 1 ? 'file' : 'files'} run twice`,
  };
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
