import path from 'node:path';
import * as v from 'valibot';
import { build } from '../../../scripts/support/build.ts';
import { root } from '../../../scripts/support/paths.ts';
import { ExpectedError } from '../../../scripts/support/expected-error.ts';
import { runCommand } from '../../../scripts/support/processes.ts';
import type { BenchContext } from '../context.ts';
import { quantile } from '../report/cpu.ts';
import { figure, type Measured } from '../report/figure.ts';

const RUNS = 5;
/** Maximum CPU time of activation, in ms. All extensions share the extension host's thread. */
const ACTIVATION_LIMIT_MS = 30;

/**
 * Activates the extension with a stub of `vscode`, and then loads `dist/product.cjs`, as the extension does on first
 * use. Prints the CPU time of both in ms.
 */
const ACTIVATION_SCRIPT = `
const Module = require('node:module');
const load = Module._load;
const nothing = new Proxy(function () {}, { getPrototypeOf: () => nothing, get: (_, name) => (name === Symbol.toPrimitive ? () => '' : nothing), apply: () => nothing, construct: () => nothing });
nothing.lm = nothing.chat = nothing;
Module._load = (name, ...rest) => (name === 'vscode' ? nothing : load(name, ...rest));
const took = (work) => {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
};
const [, extension, product, manifest] = process.argv;
const context = { subscriptions: [], extension: { packageJSON: require(manifest) }, extensionUri: nothing, extensionMode: 1, workspaceState: nothing };
const waking = took(() => require(extension).activate(context));
console.log(JSON.stringify({ waking, reading: took(() => require(product)) }));
process.exit(0);
`;

const tookSchema = v.object({ waking: v.number(), reading: v.number() });

/** Measures the CPU time of activation and of loading the product. Throws `ExpectedError` if a process fails. */
export async function measureActivation({ print }: BenchContext): Promise<Measured> {
  print('building, and waking the extension in processes of its own');
  await build();
  const files = ['dist/extension.cjs', 'dist/product.cjs', 'package.json'].map((name) => path.join(root, name));
  const times: v.InferOutput<typeof tookSchema>[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { code, output } = await runCommand(process.execPath, ['-e', ACTIVATION_SCRIPT, ...files]);
    if (code !== 0) throw new ExpectedError(`The extension did not wake.\n${output}`);
    times.push(v.parse(tookSchema, JSON.parse(output)));
  }
  const median = (name: keyof (typeof times)[number]): number =>
    quantile(
      times.map((time) => time[name]),
      0.5,
    );
  return {
    figures: [
      figure(
        'speed.activation.waking',
        'CPU time to wake the extension, median of 5 processes',
        median('waking'),
        'ms',
        {
          target: { atMost: ACTIVATION_LIMIT_MS },
          mustMeet: true,
        },
      ),
      figure(
        'speed.activation.reading',
        'CPU time to read the product at its first use, median of 5 processes',
        median('reading'),
        'ms',
      ),
    ],
  };
}
