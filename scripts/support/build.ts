import path from 'node:path';
import { root } from './paths.ts';
import { PlainError } from './plain-error.ts';
import { runNode } from './processes.ts';

/** Writes `dist/`. */
export async function build(): Promise<void> {
  const { code, output } = await runNode([path.join(root, 'esbuild.mjs')], { cwd: root });
  if (code !== 0) throw new PlainError(`The build failed:\n${output}`);
}
