import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import * as v from 'valibot';
import { MAIN_LIMIT, PACKAGE_LIMIT } from '../../../scripts/packaging/budget.ts';
import { packageExtension } from '../../../scripts/packaging/package-extension.ts';
import { build } from '../../../scripts/support/build.ts';
import { outFolder, root } from '../../../scripts/support/paths.ts';
import { PlainError } from '../../../scripts/support/plain-error.ts';
import { runCommand } from '../../../scripts/support/processes.ts';
import type { BenchContext } from '../context.ts';
import { quantile } from '../report/cpu.ts';
import type { Measured } from '../report/figure.ts';

const KILOBYTE = 1000;
const RUNS = 5;

/** Loads the bundle as an editor does, with nothing behind `vscode`, and prints the milliseconds of CPU time. */
const LOADER = `
const Module = require('node:module');
const load = Module._load;
const nothing = new Proxy(function () {}, { getPrototypeOf: () => nothing, get: (_, name) => (name === Symbol.toPrimitive ? () => '' : nothing), apply: () => nothing, construct: () => nothing });
Module._load = (name, ...rest) => (name === 'vscode' ? nothing : load(name, ...rest));
const before = process.cpuUsage();
require(process.argv[1]);
const { user, system } = process.cpuUsage(before);
console.log(JSON.stringify((user + system) / 1000));
process.exit(0);
`;

/** What is shipped: the package, the part that is read at a start, and the CPU time that reading it takes. */
export async function measureSizes({ quick, say }: BenchContext): Promise<Measured> {
  if (quick) return { figures: [], notes: ['Sizes are left out: a full run builds and packs the extension.'] };
  say('building and packing');
  await build();
  const folder = path.join(outFolder, 'bench');
  await mkdir(folder, { recursive: true });
  const vsix = path.join(folder, 'measured.vsix');
  await packageExtension(vsix);
  const main = path.join(root, 'dist', 'extension.cjs');
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { code, output } = await runCommand(process.execPath, ['-e', LOADER, main]);
    if (code !== 0) throw new PlainError(`The bundle could not be loaded.\n${output}`);
    times.push(v.parse(v.number(), JSON.parse(output)));
  }
  return {
    figures: [
      {
        id: 'speed.size.package',
        label: 'the package',
        value: (await stat(vsix)).size / KILOBYTE,
        unit: 'KB',
        target: { atMost: PACKAGE_LIMIT / KILOBYTE },
        guard: { worse: 'higher', margin: 0.05 },
      },
      {
        id: 'speed.size.main',
        label: 'what is read when the extension starts',
        value: (await stat(main)).size / KILOBYTE,
        unit: 'KB',
        target: { atMost: MAIN_LIMIT / KILOBYTE },
        guard: { worse: 'higher', margin: 0.1 },
      },
      {
        id: 'speed.size.load',
        label: 'CPU time to read it, median of 5 processes',
        value: quantile(times, 0.5),
        unit: 'ms',
      },
    ],
  };
}
