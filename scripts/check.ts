// Everything that can be said about the project without running it, one line each. All checks run, or those that are
// named (`npm run check -- models`); those that fail show what they found.
import path from 'node:path';
import { isSettingsReferenceCurrent, SETTINGS_REFERENCE } from './docs/settings-reference.ts';
import { auditPackages, judgeNotices } from './licences/judge.ts';
import { judgeModels } from './models/judge.ts';
import { describeSizes, judgeFiles, judgeSizes } from './packaging/budget.ts';
import { listPackagedFiles, packageExtension } from './packaging/package-extension.ts';
import { judgePatterns } from './patterns/judge.ts';
import { build } from './support/build.ts';
import { inPackages, outFolder, root } from './support/paths.ts';
import { PlainError, runMain } from './support/plain-error.ts';
import { runNode } from './support/processes.ts';
import { judgeAllTexts } from './texts/all-texts.ts';

interface Finding {
  readonly ok: boolean;
  /** What to show beside the check's name; in full if it failed. */
  readonly text: string;
}

interface Check {
  readonly name: string;
  readonly run: () => Promise<Finding>;
}

/** A check that a program of an installed package makes. */
function program(name: string, file: readonly string[], args: readonly string[]): Check {
  return {
    name,
    run: async () => {
      const { code, output } = await runNode([inPackages(...file), ...args], { cwd: root });
      return { ok: code === 0, text: code === 0 ? '' : output };
    },
  };
}

const tsc = ['typescript', 'bin', 'tsc'];

async function checkPackage(): Promise<Finding> {
  await build();
  const vsix = path.join(outFolder, 'threadkeeper-check.vsix');
  await packageExtension(vsix);
  const faults = [...judgeFiles(await listPackagedFiles()), ...(await judgeSizes(vsix))];
  const ok = faults.length === 0;
  return { ok, text: ok ? await describeSizes(vsix) : faults.join('\n') };
}

async function checkTexts(): Promise<Finding> {
  const { faults, count } = await judgeAllTexts();
  return { ok: faults.length === 0, text: faults.length === 0 ? `${count} in each of 7 languages` : faults.join('\n') };
}

async function checkPatterns(): Promise<Finding> {
  const { faults, safe, bounded } = await judgePatterns();
  const told = `${safe} linear, ${bounded} on bounded text`;
  return { ok: faults.length === 0, text: faults.length === 0 ? told : faults.join('\n') };
}

async function checkSettingsReference(): Promise<Finding> {
  const ok = await isSettingsReferenceCurrent();
  return { ok, text: ok ? '' : `${SETTINGS_REFERENCE} is not as the manifest has it: run "npm run docs"` };
}

async function checkLicences(): Promise<Finding> {
  const { faults, packages } = await judgeNotices();
  return { ok: faults.length === 0, text: faults.length === 0 ? `${packages} packages` : faults.join('\n') };
}

async function checkModels(): Promise<Finding> {
  const faults = judgeModels(root, Date.now());
  return Promise.resolve({ ok: faults.length === 0, text: faults.join('\n') });
}

async function checkAudit(): Promise<Finding> {
  const found = await auditPackages();
  if (found === undefined) return { ok: true, text: 'the registry gave no answer' };
  const { faults, all } = found;
  return {
    ok: faults.length === 0,
    text: faults.length === 0 ? `${all} known faults, none in what is bundled` : faults.join('\n'),
  };
}

const checks: readonly Check[] = [
  program('format', ['prettier', 'bin', 'prettier.cjs'], ['--check', '--log-level', 'warn', '.']),
  program('lint', ['eslint', 'bin', 'eslint.js'], ['--max-warnings', '0', '.']),
  program('types of core', tsc, ['-p', 'src/core']),
  program('types of the page', tsc, ['-p', 'src/webview']),
  program('types of the command line', tsc, ['-p', 'src/cli']),
  program('types', tsc, ['-p', '.']),
  program(
    'layers',
    ['dependency-cruiser', 'bin', 'dependency-cruise.mjs'],
    ['--config', '.dependency-cruiser.cjs', 'src'],
  ),
  program('dead code', ['knip', 'bin', 'knip.js'], ['--no-progress']),
  // What only a test imports is dead in the product.
  program('dead code but for tests', ['knip', 'bin', 'knip.js'], ['--no-progress', '--production']),
  { name: 'patterns', run: checkPatterns },
  { name: 'texts', run: checkTexts },
  { name: 'settings reference', run: checkSettingsReference },
  { name: 'licences', run: checkLicences },
  { name: 'models', run: checkModels },
  { name: 'audit', run: checkAudit },
  { name: 'package', run: checkPackage },
];

async function runCheck(check: Check): Promise<Finding> {
  try {
    return await check.run();
  } catch (error) {
    if (error instanceof PlainError) return { ok: false, text: error.message };
    throw error;
  }
}

/** Two at a time: most are one busy program each. */
const AT_ONCE = 2;

await runMain(async () => {
  const failed: string[] = [];
  const names = process.argv.slice(2);
  const asked = checks.filter(({ name }) => names.length === 0 || names.includes(name));
  if (asked.length === 0) throw new PlainError(`The checks are ${checks.map(({ name }) => name).join(', ')}.`);
  const waiting = [...asked];
  const work = async (): Promise<void> => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const { ok, text } = await runCheck(check);
      console.log(ok ? `ok      ${check.name}${text === '' ? '' : `  (${text})`}` : `FAILED  ${check.name}\n${text}`);
      if (!ok) failed.push(check.name);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  if (failed.length > 0)
    throw new PlainError(`\n${failed.length} of ${asked.length} checks failed: ${failed.join(', ')}.`);
});
