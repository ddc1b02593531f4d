// Runs all static checks, or only the named ones (`npm run check -- models`), and prints a line for each. A failed check
// also prints its findings.
import path from 'node:path';
import { isSettingsReferenceCurrent, SETTINGS_REFERENCE } from './docs/settings-reference.ts';
import { auditPackages, checkNotices } from './licenses/check-licenses.ts';
import { checkModels } from './models/check-models.ts';
import { describeSizes, checkPackagedFiles, checkSizes } from './packaging/check-package.ts';
import { listPackagedFiles, packageExtension } from './packaging/package-extension.ts';
import { checkRegExps } from './regexps/check-regexps.ts';
import { build } from './support/build.ts';
import { inNodeModules, outFolder, root } from './support/paths.ts';
import { ExpectedError, runMain } from './support/expected-error.ts';
import { runNode } from './support/processes.ts';
import { checkAllTexts } from './texts/all-texts.ts';

interface Finding {
  /** Empty if the check passed. */
  readonly faults: readonly string[];
  /** Printed after the name of a check that passed. */
  readonly summary?: string;
}

/** A check by a program of an installed package. It fails if the exit code isn't 0. */
const program =
  (file: readonly string[], ...args: readonly string[]) =>
  async (): Promise<Finding> => {
    const { code, output } = await runNode([inNodeModules(...file), ...args], { cwd: root });
    return { faults: code === 0 ? [] : [output] };
  };
const typesOf = (project: string) => program(['typescript', 'bin', 'tsc'], '-p', project);
const deadCode = (...args: readonly string[]) => program(['knip', 'bin', 'knip.js'], '--no-progress', ...args);

async function checkPackage(): Promise<Finding> {
  await build();
  const vsix = path.join(outFolder, 'threadkeeper-check.vsix');
  await packageExtension(vsix);
  const faults = [...checkPackagedFiles(await listPackagedFiles()), ...(await checkSizes(vsix))];
  return { faults, summary: await describeSizes(vsix) };
}

async function checkTexts(): Promise<Finding> {
  const { faults, count } = await checkAllTexts();
  return { faults, summary: `${count} in each of 7 languages` };
}

async function checkRegularExpressions(): Promise<Finding> {
  const { faults, safe, bounded } = await checkRegExps();
  return { faults, summary: `${safe} linear, ${bounded} on bounded text` };
}

async function checkSettingsReference(): Promise<Finding> {
  const isCurrent = await isSettingsReferenceCurrent();
  return { faults: isCurrent ? [] : [`${SETTINGS_REFERENCE} is outdated: run "npm run docs"`] };
}

async function checkLicenses(): Promise<Finding> {
  const { faults, packages } = await checkNotices();
  return { faults, summary: `${packages} packages` };
}

async function checkAudit(): Promise<Finding> {
  const found = await auditPackages();
  if (found === undefined) return { faults: [], summary: 'skipped: the registry doesn’t support it' };
  return { faults: found.faults, summary: `${found.all} known vulnerabilities, none in bundled packages` };
}

const checks: Readonly<Record<string, () => Promise<Finding>>> = {
  format: program(['prettier', 'bin', 'prettier.cjs'], '--check', '--log-level', 'warn', '.'),
  lint: program(['eslint', 'bin', 'eslint.js'], '--max-warnings', '0', '.'),
  'types of core': typesOf('src/core'),
  'types of the page': typesOf('src/webview'),
  'types of the command line': typesOf('src/cli'),
  'types of the page tests': typesOf('test/ui'),
  types: typesOf('.'),
  layers: program(
    ['dependency-cruiser', 'bin', 'dependency-cruise.mjs'],
    ...['--config', '.dependency-cruiser.cjs', 'src'],
  ),
  'dead code': deadCode(),
  // Code that only tests import isn't used by the product.
  'code used only by tests': deadCode('--production'),
  'regular expressions': checkRegularExpressions,
  texts: checkTexts,
  'settings reference': checkSettingsReference,
  licenses: checkLicenses,
  models: () => Promise.resolve({ faults: checkModels(root, Date.now()) }),
  audit: checkAudit,
  package: checkPackage,
};

async function runCheck(name: string): Promise<Finding> {
  try {
    return await checks[name]!();
  } catch (error) {
    if (error instanceof ExpectedError) return { faults: [error.message] };
    throw error;
  }
}

/** Number of checks that run at the same time. Most keep one CPU core busy. */
const CONCURRENCY = 2;

await runMain(async () => {
  const failed: string[] = [];
  const names = process.argv.slice(2);
  const selected = Object.keys(checks).filter((name) => names.length === 0 || names.includes(name));
  if (names.some((name) => !selected.includes(name)))
    throw new ExpectedError(`The checks are ${Object.keys(checks).join(', ')}.`);
  const waiting = [...selected];
  const work = async (): Promise<void> => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      const { faults, summary } = await runCheck(name);
      if (faults.length > 0) {
        console.log(`FAILED  ${name}\n${faults.join('\n')}`);
        failed.push(name);
      } else console.log(`ok      ${name}${summary === undefined ? '' : `  (${summary})`}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  if (failed.length > 0)
    throw new ExpectedError(`\n${failed.length} of ${selected.length} checks failed: ${failed.join(', ')}.`);
});
