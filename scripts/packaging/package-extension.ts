import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { inPackages, root } from '../support/paths.ts';
import { PlainError } from '../support/plain-error.ts';
import { runNode } from '../support/processes.ts';

const vsce = inPackages('@vscode', 'vsce', 'vsce');

/** Packs what stands in the project and in `dist/` into a `.vsix`. Everything that it needs is bundled already. */
export async function packageExtension(vsix: string): Promise<void> {
  await mkdir(path.dirname(vsix), { recursive: true });
  const { code, output } = await runNode(
    [vsce, 'package', '--no-dependencies', '--no-rewrite-relative-links', '--allow-missing-repository', '--out', vsix],
    { cwd: root },
  );
  if (code !== 0) throw new PlainError(`Packaging failed:\n${output}`);
}

/** The files that would be packed, as paths below the project's folder, sorted. */
export async function listPackagedFiles(): Promise<readonly string[]> {
  const { code, output } = await runNode([vsce, 'ls', '--no-dependencies'], { cwd: root });
  if (code !== 0) throw new PlainError(`Listing the package failed:\n${output}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}
