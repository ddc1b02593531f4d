import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { inNodeModules, root } from '../../scripts/support/paths.ts';
import { runNode } from '../../scripts/support/processes.ts';
import type { DetectingTest, PlantedFault } from './planted-fault.ts';

export interface Trial {
  /** `green`: all tests passed; `red`: one failed; `broken`: none could run. */
  readonly outcome: 'green' | 'red' | 'broken';
  /** The first line of the failed test's reason, truncated, or of the output if no test failed. */
  readonly said: string;
  readonly seconds: number;
}

const url = (...parts: string[]): string => pathToFileURL(path.join(root, ...parts)).href;

interface MochaReport {
  readonly stats: { readonly passes: number };
  readonly failures: readonly { readonly err: { readonly message?: string } }[];
}

/**
 * Runs the tests of a spec whose titles contain `title`, with `fault` planted if given. The same `seed` makes fast-
 * check generate the same inputs.
 */
export async function tryFault({ spec, title }: DetectingTest, seed: number, fault?: PlantedFault): Promise<Trial> {
  const began = performance.now();
  const place = fault && { ...fault, file: path.join(root, fault.file) };
  const { output } = await runNode(
    [
      ...['--import', url('test/support/text-loader.mjs'), '--import', url('test/faults/plant.mjs')],
      ...[inNodeModules('mocha', 'bin', 'mocha.js'), '--no-config', '--bail', '--timeout', '240000'],
      ...['--reporter', 'json', '--fgrep', title, spec],
    ],
    { cwd: root, env: { ...process.env, NODE_OPTIONS: '', PLANTED_FAULT: JSON.stringify({ seed, fault: place }) } },
  );
  const seconds = (performance.now() - began) / 1000;
  const report = reportIn(output);
  const [failure] = report?.failures ?? [];
  if (failure) return { outcome: 'red', said: head(failure.err.message ?? ''), seconds };
  return { outcome: report && report.stats.passes > 0 ? 'green' : 'broken', said: head(output), seconds };
}

function reportIn(output: string): MochaReport | undefined {
  const [json] = /^\{\n {2}"stats"[\s\S]*^\}/m.exec(output) ?? [];
  return json === undefined ? undefined : (JSON.parse(json) as MochaReport);
}

/** The first line of the reason, truncated. fast-check prints it last, after the failing input. */
const head = (text: string): string => {
  const [, cause = text] = /Got \w*Error(?: \[\w+\])?: ([\s\S]*)/.exec(text) ?? [];
  return cause.trim().split('\n')[0]?.slice(0, 160) ?? '';
};
