import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inPackages, outFolder, root } from '../support/paths.ts';
import { PlainError } from '../support/plain-error.ts';
import { runNode } from '../support/processes.ts';

const vsce = inPackages('@vscode', 'vsce', 'vsce');

/** Stands in package.json for the repository, which links and pictures of the README lead to once it is published. */
const PLACEHOLDER = 'OWNER/threadkeeper';

/** For packages that stay on this machine: their links lead nowhere. */
const TEST_REPOSITORY = 'example/threadkeeper';

/** The repository that a package to publish names, such as `acme/threadkeeper`: the one that is given, or the clone's. */
export function chosenRepository(): string {
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8' });
  const cloned = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\s*$/.exec(stdout)?.[1];
  const repository = process.env.THREADKEEPER_REPOSITORY ?? cloned ?? '';
  if (/^[\w.-]+\/[\w.-]+$/.test(repository)) return repository;
  throw new PlainError(
    `Name the repository that links lead to: THREADKEEPER_REPOSITORY=owner/name npm run package. For a package that stays on this machine, use ${TEST_REPOSITORY}.`,
  );
}

/** Packs what stands in the project and in `dist/` into a `.vsix`. Everything that it needs is bundled already. */
export async function packageExtension(vsix: string, repository = TEST_REPOSITORY): Promise<void> {
  const staging = path.join(outFolder, 'staging');
  await rm(staging, { recursive: true, force: true });
  for (const file of await listPackagedFiles()) {
    await mkdir(path.dirname(path.join(staging, file)), { recursive: true });
    await copyFile(path.join(root, file), path.join(staging, file));
  }
  const manifest = path.join(staging, 'package.json');
  await writeFile(manifest, (await readFile(manifest, 'utf8')).replaceAll(PLACEHOLDER, repository));
  await mkdir(path.dirname(vsix), { recursive: true });
  const { code, output } = await runNode([vsce, 'package', '--out', vsix], { cwd: staging });
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
