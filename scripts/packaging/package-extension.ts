import { spawnSync } from 'node:child_process';
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { inNodeModules, outFolder, root } from '../support/paths.ts';
import { ExpectedError } from '../support/expected-error.ts';
import { runNode } from '../support/processes.ts';

const vsce = inNodeModules('@vscode', 'vsce', 'vsce');

/** Placeholder in package.json for the repository, which the README's links and images need once it's published. */
const PLACEHOLDER = 'OWNER/threadkeeper';

/** For packages that aren't published; their links don't work. */
const TEST_REPOSITORY = 'example/threadkeeper';

/**
 * The repository for a published package, such as `acme/threadkeeper`: the one in `THREADKEEPER_REPOSITORY`, or else
 * the clone's origin.
 *
 * @throws ExpectedError if there is neither
 */
export function publishedRepository(): string {
  const { stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { cwd: root, encoding: 'utf8' });
  const origin = /github\.com[/:]([\w.-]+\/[\w.-]+?)(?:\.git)?\s*$/.exec(stdout)?.[1];
  const repository = process.env.THREADKEEPER_REPOSITORY ?? origin ?? '';
  if (/^[\w.-]+\/[\w.-]+$/.test(repository)) return repository;
  throw new ExpectedError(
    `Set the repository for the README's links: THREADKEEPER_REPOSITORY=owner/name npm run package. For a package that you won't publish, use ${TEST_REPOSITORY}.`,
  );
}

/**
 * Packages the project and `dist/` as a `.vsix`, without dependencies, because they are bundled.
 *
 * @throws ExpectedError if packaging fails
 */
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
  if (code !== 0) throw new ExpectedError(`Packaging failed:\n${output}`);
}

/**
 * The files that would be packaged, as sorted relative paths.
 *
 * @throws ExpectedError if they can't be listed
 */
export async function listPackagedFiles(): Promise<readonly string[]> {
  const { code, output } = await runNode([vsce, 'ls', '--no-dependencies'], { cwd: root });
  if (code !== 0) throw new ExpectedError(`Listing the package failed:\n${output}`);
  return output
    .split('\n')
    .filter((line) => line !== '')
    .sort();
}
