import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Redactor } from '../../../src/core/redact/redact.ts';

const ALPHABET = 'aB3dE7gH1kL9mN2pQ5rS8tU4vW6xY0zC';
/** This many characters of a fake secret. */
const mixed = (length: number): string =>
  Array.from({ length }, (_, index) => ALPHABET[(index * 7 + (index >> 5) * 3) % ALPHABET.length]).join('');
const hex = (length: number): string =>
  Array.from({ length }, (_, index) => '0a9b3c7d1e5f2846'[(index * 5 + (index >> 4)) % 16]).join('');
const lower = (length: number): string => mixed(length).toLowerCase();
const upper = (length: number): string => mixed(length).toUpperCase();
const digits = (length: number): string => Array.from({ length }, (_, index) => (index * 7 + 3) % 10).join('');

/** Concatenated with the words around it, so that secret scanners don't report private keys. */
const KEY = ' KEY';

/** A text with a secret, and the part that must be removed. Concatenated, so that secret scanners don't report it. */
const FORMATS: readonly (readonly [name: string, text: string, secret: string])[] = [
  ...(
    [
      ['Anthropic', 'sk-ant-', `api03-${mixed(93)}AA`],
      ['OpenAI project', 'sk-', `proj-${mixed(74)}T3Blbk${mixed(74)}`],
      ['OpenAI', 'sk-', mixed(48)],
      ['OpenRouter', 'sk-or-', `v1-${hex(64)}`],
      ['Groq', 'gsk', `_${mixed(52)}`],
      ['xAI', 'xai', `-${mixed(80)}`],
      ['Perplexity', 'pplx', `-${mixed(48)}`],
      ['Replicate', 'r8', `_${mixed(37)}`],
      ['Fireworks', 'fw', `_${mixed(24)}`],
      ['Cerebras', 'csk', `-${lower(48)}`],
      ['NVIDIA', 'nvapi', `-${mixed(64)}`],
      ['Tavily', 'tvly', `-${mixed(32)}`],
      ['Jina', 'jina', `_${mixed(60)}`],
      ['Pinecone', 'pcsk', `_${mixed(70)}`],
      ['RunPod', 'rpa', `_${upper(40)}`],
      ['LangSmith', 'lsv2_', `pt_${hex(32)}_${hex(10)}`],
      ['Langfuse', 'sk-lf', `-${hex(8)}-${hex(4)}-${hex(4)}-${hex(12)}`],
      ['Hugging Face', 'hf', `_${mixed(34)}`],
      ['Google', 'AIza', mixed(35)],
      ['Google OAuth', 'GOCSPX', `-${mixed(28)}`],
      ['Google access token', 'ya29', `.${mixed(60)}`],
      ['AWS id', 'AKIA', upper(16).replace(/[0189]/g, 'K')],
      ['GitHub', 'ghp', `_${mixed(36)}`],
      ['GitHub OAuth', 'gho', `_${mixed(36)}`],
      ['GitHub fine-grained', 'github_pat', `_${mixed(22)}_${mixed(59)}`],
      ['GitLab', 'glpat', `-${mixed(20)}`],
      ['Slack bot', 'xoxb', `-${digits(12)}-${digits(12)}-${mixed(24)}`],
      ['Slack app', 'xapp', `-1-${upper(11)}-${digits(13)}-${hex(64)}`],
      ['npm', 'npm', `_${mixed(36)}`],
      ['Stripe live', 'sk_live', `_${mixed(24)}`],
      ['Stripe restricted', 'rk_live', `_${mixed(24)}`],
      ['Stripe webhook', 'whsec', `_${mixed(32)}`],
      ['SendGrid', 'SG', `.${mixed(22)}.${mixed(43)}`],
      ['Linear', 'lin_api', `_${mixed(40)}`],
      ['Shopify', 'shpat', `_${hex(32)}`],
      ['DigitalOcean', 'dop_v1', `_${hex(64)}`],
      ['PyPI', 'pypi-', `AgEIcHlwaS5vcmc${mixed(80)}`],
      ['Grafana', 'glsa', `_${mixed(32)}_${hex(8)}`],
      ['Vercel', 'vercel', `_${mixed(24)}`],
      ['Supabase', 'sbp', `_${hex(40)}`],
      ['Databricks', 'dapi', hex(32)],
      ['Dropbox', 'sl', `.${mixed(130)}`],
      ['Vault', 'hvs', `.${mixed(24)}`],
      ['Mailgun', 'key', `-${hex(32)}`],
      ['Square', 'sq0atp', `-${mixed(22)}`],
      ['Twilio SID', 'AC', hex(32)],
      ['Twilio key', 'SK', hex(32)],
      ['Telegram bot', '', `${digits(9)}:AA${mixed(33)}`],
      ['Discord bot', 'M', `${mixed(25)}.${mixed(6)}.${mixed(32)}`],
      ['Figma', 'figd', `_${mixed(40)}`],
      ['Docker Hub', 'dckr_pat', `_${mixed(27)}`],
      ['Netlify', 'nfp', `_${mixed(40)}`],
      ['Tailscale', 'tskey', `-auth-${mixed(17)}-${mixed(32)}`],
      ['Atlassian', 'ATATT3', mixed(186)],
      ['Sentry', 'sntryu', `_${hex(64)}`],
      ['Doppler', 'dp.pt', `.${lower(43)}`],
      ['Postman', 'PMAK', `-${hex(24)}-${hex(34)}`],
      ['PlanetScale', 'pscale_tkn', `_${mixed(43)}`],
      ['Notion', 'ntn', `_${digits(11)}${mixed(35)}`],
      ['1Password', 'A3-', `${upper(6)}-${upper(11)}-${upper(5)}-${upper(5)}-${upper(5)}`],
      ['Pulumi', 'pul', `-${hex(40)}`],
      ['JWT', 'ey', `J${mixed(30)}.eyJ${mixed(60)}.${mixed(43)}`],
      ['age', 'AGE-SECRET-KEY-', `1${'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L'.repeat(2).slice(0, 58)}`],
    ] as const
  ).map(([name, prefix, rest]) => [name, `use ${prefix}${rest} now`, rest] as const),
  ['AWS secret', `aws_secret_access_key = ${mixed(40)}`, mixed(40)],
  ['Azure SAS', `https://x.blob.core.windows.net/a?sv=2024&sig=${mixed(43)}%3D&se=1`, mixed(43)],
  ['bearer', `curl -H "Bearer ${mixed(40)}"`, mixed(40)],
  ['authorization', `Authorization: Basic ${mixed(24)}==`, mixed(24)],
  ['database address', 'postgres://app:s3cr3tpw@db/x', 's3cr3tpw'],
  ['short password', 'password=hunter2', 'hunter2'],
  ['German password', 'Passwort: geheim123', 'geheim123'],
  ['Spanish password', 'contraseña: secreta99', 'secreta99'],
  ['mysql', 'mysql -u root -psecret1234 shop', 'secret1234'],
  ['curl user', 'curl -u admin:s3cr3t99 https://x', 's3cr3t99'],
  ['npm registry', `//registry.example.org/:_authToken=${mixed(36)}`, mixed(36)],
  ['Slack webhook', `https://hooks.slack.com/services/${upper(9)}/${upper(11)}/${mixed(24)}`, mixed(24)],
  ['PEM', `-----BEGIN RSA PRIVATE${KEY}-----\n${mixed(64)}\n${mixed(64)}\n-----END RSA PRIVATE${KEY}-----`, mixed(64)],
  [
    'encrypted PEM without its end',
    `-----BEGIN RSA PRIVATE${KEY}-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex(32)}\n\n${mixed(64)}\n${mixed(64)}`,
    mixed(64),
  ],
  ['named by its service', `MAILCHIMP_KEY="${hex(32)}-us12"`, hex(32)],
  ['Cloudflare', `cloudflare_api_key: ${lower(40)}`, lower(40)],
  ['JSON setting', `{"clientSecret": "${mixed(24)}"}`, mixed(24)],
];

/** Third-party source code that is always available. */
function ordinaryCode(): string[] {
  const folders = [
    'valibot/dist',
    'dompurify/dist',
    'openai/resources',
    '@anthropic-ai/sdk/resources',
    'mocha/lib',
    'eslint/lib',
  ];
  const root = path.join(import.meta.dirname, '../../..');
  const read = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(?:ts|js|mjs|md)$/.test(name) && !/\.min\./.test(name))
      .sort()
      .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n'));
  return [
    ...read(path.join(root, 'src/app')),
    ...folders.flatMap((name) => read(path.join(root, 'node_modules', name))),
  ];
}

describe('secret detection', () => {
  it('masks all but at most three of at least 75 secret formats', () => {
    assert.ok(FORMATS.length >= 75, `${FORMATS.length} formats`);
    const missed = FORMATS.filter(([, text, secret]) => new Redactor().redact(text).includes(secret));
    console.log(
      `      masked ${FORMATS.length - missed.length} of ${FORMATS.length}; not: ${missed.map(([name]) => name).join(', ')}`,
    );
    assert.ok(missed.length <= 3, `not masked: ${missed.map(([name]) => name).join(', ')}`);
  });

  it('falsely masks at most one in 10,000 lines of ordinary code', () => {
    // A tenth of about 300,000 lines, so that every package is included.
    const lines = ordinaryCode().filter((_, index) => index % 10 === 0);
    const redactor = new Redactor();
    const masked = lines.filter((line) => redactor.redact(line) !== line);
    console.log(`      ${masked.length} false masks in ${lines.length} lines`);
    assert.ok(lines.length >= 10_000);
    assert.ok(masked.length <= lines.length / 10_000, masked.join('\n'));
  });
});
