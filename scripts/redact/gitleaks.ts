// Writes src/core/redact/gitleaks-rules.json from gitleaks' own configuration.
//   node scripts/redact/gitleaks.ts PATH/TO/gitleaks.toml VERSION
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';
import { ExpectedError, runMain } from '../support/expected-error.ts';

/** Rules without a pattern, for whole files, or that match ordinary code. */
const EXCLUDED_RULES = new Set(
  `pkcs12-file private-key generic-api-key curl-auth-header curl-auth-user kubernetes-secret-yaml nuget-config-password
  sourcegraph-access-token twilio-api-key vault-service-token freemius-secret-key hashicorp-tf-password jwt jwt-base64
  facebook-access-token linkedin-client-id adobe-client-id asana-client-id discord-client-id looker-client-id
  plaid-client-id bitbucket-client-id messagebird-client-id sendbird-access-id airtable-api-key dropbox-api-token`.split(
    /\s+/,
  ),
);

/** Parts that rules have in common for a value after a service's name, and their abbreviations in the list. */
const COMMON_PARTS: readonly (readonly [string, string])[] = [
  [String.raw`[\w.-]{0,50}?`, ''],
  [String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3})(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`, ')@is'],
  [String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`, '@is'],
  [String.raw`(?:[\x60'"\s;]|\\[nr]|$)`, '@end'],
];

interface Rule {
  readonly id: string;
  readonly regex: string;
  readonly entropy: number;
  readonly keywords: readonly string[];
}

function rulesOf(toml: string): Rule[] {
  return toml
    .split(/^\[\[rules\]\]$/m)
    .slice(1)
    .flatMap((block) => {
      const id = /^id = "(.*)"$/m.exec(block)?.[1];
      const regex = /^regex = '''(.*)'''$/m.exec(block)?.[1];
      const keywords = /^keywords = \[([^\]]*)\]$/m.exec(block)?.[1] ?? '';
      const entropy = Number(/^entropy = (.*)$/m.exec(block)?.[1] ?? 0);
      if (id === undefined || regex === undefined || EXCLUDED_RULES.has(id)) return [];
      return [{ id, regex, entropy, keywords: [...keywords.matchAll(/"([^"]*)"/g)].map((one) => one[1]!) }];
    });
}

/** Converts RE2 syntax to JavaScript. A pattern that ignores case in a part ignores it everywhere. */
function translated(regex: string): { readonly pattern: string; readonly flags: string } {
  const pattern = regex
    .replace(/\(\?-?i\)/g, '')
    .replace(/\(\?-?i:/g, '(?:')
    .replace(/\[\[:alnum:\]\]/g, '[A-Za-z0-9]')
    .replace(/\[:alnum:\]/g, 'A-Za-z0-9')
    .replace(/\\z/g, '$')
    .replace(/\\x60/g, '`');
  return { pattern, flags: /\(\?i[):]/.test(regex) ? 'i' : '' };
}

function rowOf({ id, regex, entropy, keywords }: Rule): string {
  const short = COMMON_PARTS.reduce((text, [long, mark]) => text.replaceAll(long, mark), regex);
  const { pattern, flags } = translated(short);
  return [id, keywords.join(' '), flags, entropy, pattern].join('|');
}

await runMain(async () => {
  const [file, version] = process.argv.slice(2);
  if (file === undefined || version === undefined) throw new ExpectedError('Give the configuration and its version.');
  const rules = rulesOf(await readFile(file, 'utf8')).map(rowOf);
  const source = `gitleaks ${version}, written by scripts/redact/gitleaks.ts`;
  const text = JSON.stringify({ source, licence: 'MIT', version, rules }, undefined, 2);
  await writeFile(path.join(root, 'src/core/redact/gitleaks-rules.json'), `${text}\n`);
});
