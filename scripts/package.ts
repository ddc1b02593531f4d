// Builds and packages threadkeeper-<version>.vsix in the project's folder, and lists its files.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describeSizes, checkPackagedFiles, checkSizes } from './packaging/check-package.ts';
import { publishedRepository, listPackagedFiles, packageExtension } from './packaging/package-extension.ts';
import { build } from './support/build.ts';
import { root } from './support/paths.ts';
import { ExpectedError, runMain } from './support/expected-error.ts';

await runMain(async () => {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { version: string };
  const vsix = path.join(root, `threadkeeper-${version}.vsix`);
  const repository = publishedRepository();
  await build();
  await packageExtension(vsix, repository);
  const files = await listPackagedFiles();
  console.log(files.join('\n'));
  console.log(await describeSizes(vsix));
  const faults = [...checkPackagedFiles(files), ...(await checkSizes(vsix))];
  if (faults.length > 0) throw new ExpectedError(faults.join('\n'));
});
