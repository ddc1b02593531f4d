import path from 'node:path';
import { root } from './paths.ts';
import { ExpectedError } from './expected-error.ts';
import { runNode } from './processes.ts';

/** Writes `dist/`. */
export async function build(): Promise<void> {
  const { code, output } = await runNode([path.join(root, 'esbuild.mjs')], { cwd: root });
  if (code !== 0) throw new ExpectedError(`The build failed:\n${output}`);
}
