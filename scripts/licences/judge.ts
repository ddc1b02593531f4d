import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';
import { runCommand } from '../support/processes.ts';
import { bundledPackages, type BundledPackage } from './bundled.ts';

export const NOTICES = 'THIRD-PARTY-NOTICES.md';

/** Licences under which a package may be given on with an MIT product, its notice beside it. */
const ALLOWED = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'CC-BY-4.0', 'Unlicense']);

/** What of the packages may not be given on; empty when all may. */
export function judgeLicences(packages: readonly BundledPackage[]): readonly string[] {
  return packages
    .filter(({ licence }) => !offers(licence).some((one) => ALLOWED.has(one)))
    .map(({ name, version, licence }) => `${name} ${version} is under ${licence}, which is not known to be fit`);
}

/** What an SPDX expression lets one choose from. All parts of an `AND` would have to be fit, so it offers nothing. */
function offers(licence: string): string[] {
  if (licence.includes(' AND ')) return [];
  return licence.replaceAll(/[()]/g, '').split(' OR ');
}

/** The notices of the packages as Markdown; packages under the same words share them. */
export function renderNotices(packages: readonly BundledPackage[]): string {
  const list = packages.map(({ name, version, licence }) => `- ${name} ${version} (${licence})`).join('\n');
  const byText = new Map<string, string[]>();
  for (const { name, text, licence } of packages) {
    const words = text === '' ? `Published under ${licence}; the package carries no licence file.` : text;
    byText.set(words, [...(byText.get(words) ?? []), name]);
  }
  const texts = [...byText].map(([text, names]) => `## ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  return `# Third-party notices\n\nThreadkeeper contains parts of these packages:\n\n${list}\n\n${texts.join('\n')}`;
}

/** What is wrong with the licences of what is bundled, and with the file that names them. */
export async function judgeNotices(): Promise<{ readonly faults: readonly string[]; readonly packages: number }> {
  const packages = await bundledPackages();
  const current = await readFile(path.join(root, NOTICES), 'utf8').catch(() => '');
  const stale = current === renderNotices(packages) ? [] : [`${NOTICES} is not current: run "npm run docs"`];
  return { faults: [...judgeLicences(packages), ...stale], packages: packages.length };
}

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly name: string; readonly severity: string }>>;
}

const SERIOUS = new Set(['high', 'critical']);

/**
 * What the registry knows against the packages: serious faults of what is bundled, and how many there are in all.
 * `undefined` when the registry gives no answer, which is no fault of the project.
 */
export async function auditPackages(): Promise<
  { readonly faults: readonly string[]; readonly all: number } | undefined
> {
  const { output } = await runCommand('npm', ['audit', '--json', '--fetch-retries=0', '--fetch-timeout=20000'], {
    cwd: root,
  });
  const audit = parseAudit(output);
  if (audit?.vulnerabilities === undefined) return undefined;
  const bundled = new Set((await bundledPackages()).map(({ name }) => name));
  const found = Object.values(audit.vulnerabilities);
  return {
    faults: found
      .filter(({ name, severity }) => bundled.has(name) && SERIOUS.has(severity))
      .map(({ name, severity }) => `${name}: a fault of severity ${severity} is known; see "npm audit"`),
    all: found.length,
  };
}

/** npm may say other things before its answer. */
export function parseAudit(output: string): Audit | undefined {
  const from = output.indexOf('{');
  try {
    return from < 0 ? undefined : (JSON.parse(output.slice(from, output.lastIndexOf('}') + 1)) as Audit);
  } catch {
    return undefined;
  }
}
