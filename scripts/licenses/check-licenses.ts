import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';
import { runCommand } from '../support/processes.ts';
import { bundledPackages, type BundledPackage } from './bundled-packages.ts';

export const NOTICES = 'THIRD-PARTY-NOTICES.md';

/** Licenses of packages that may be distributed with an MIT product and their notice. */
const ALLOWED = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0', '0BSD', 'CC-BY-4.0', 'Unlicense']);

/** Packages whose license isn't allowed; empty if all are. */
export function checkLicenses(packages: readonly BundledPackage[]): readonly string[] {
  return packages
    .filter(({ license }) => !alternatives(license).some((one) => ALLOWED.has(one)))
    .map(({ name, version, license }) => `${name} ${version} is under ${license}, which isn’t an allowed license`);
}

/** The alternatives in an SPDX expression. Empty for an `AND`, because all of its licenses would have to be allowed. */
function alternatives(license: string): string[] {
  if (license.includes(' AND ')) return [];
  return license.replaceAll(/[()]/g, '').split(' OR ');
}

/** The packages' notices as Markdown; packages with the same text share it. */
export function renderNotices(packages: readonly BundledPackage[]): string {
  const list = packages.map(({ name, version, license }) => `- ${name} ${version} (${license})`).join('\n');
  const byText = new Map<string, string[]>();
  for (const { name, text, license } of packages) {
    const words = text === '' ? `Published under ${license}; the package carries no license file.` : text;
    byText.set(words, [...(byText.get(words) ?? []), name]);
  }
  const texts = [...byText].map(([text, names]) => `## ${names.join(', ')}\n\n\`\`\`text\n${text}\n\`\`\`\n`);
  return `# Third-party notices\n\nThreadkeeper contains parts of these packages:\n\n${list}\n\n${texts.join('\n')}`;
}

/** Licenses that aren't allowed, and whether the file of notices is outdated. */
export async function checkNotices(): Promise<{ readonly faults: readonly string[]; readonly packages: number }> {
  const packages = await bundledPackages();
  const current = await readFile(path.join(root, NOTICES), 'utf8').catch(() => '');
  const stale = current === renderNotices(packages) ? [] : [`${NOTICES} is outdated: run "npm run docs"`];
  return { faults: [...checkLicenses(packages), ...stale], packages: packages.length };
}

interface Audit {
  readonly vulnerabilities?: Readonly<Record<string, { readonly name: string; readonly severity: string }>>;
}

const SERIOUS = new Set(['high', 'critical']);

/**
 * The registry's advisories: severe ones for bundled packages, and the total number. `undefined` if the registry
 * doesn't answer, which isn't the project's fault.
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
      .map(({ name, severity }) => `${name}: a vulnerability of severity ${severity} is known; see "npm audit"`),
    all: found.length,
  };
}

/** npm may print other lines before the JSON. */
export function parseAudit(output: string): Audit | undefined {
  const from = output.indexOf('{');
  try {
    return from < 0 ? undefined : (JSON.parse(output.slice(from, output.lastIndexOf('}') + 1)) as Audit);
  } catch {
    return undefined;
  }
}
