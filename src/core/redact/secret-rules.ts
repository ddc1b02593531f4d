import GITLEAKS from './gitleaks-rules.json' with { type: 'json' };

/**
 * A pattern for a kind of secret. Redacts the group `secret` or `quoted`, else the first group, else the whole match;
 * `accepts` excludes false positives. With `keywords`, only texts that contain one of them are searched. Takes linear
 * time, because every repetition is bounded or can't backtrack.
 */
export interface SecretRule {
  /** Shown in place of the secret. For rules from gitleaks, their ID. */
  readonly kind: string;
  readonly pattern: RegExp;
  readonly keywords?: readonly string[];
  readonly accepts?: (secret: string) => boolean;
}

/** After an escape such as `\n` or `\u001b[31m` in the JSON of a tool call, whose letter isn't part of a word. */
const AFTER_ESCAPE = '(?<=\\\\(?:[nrt]|(?:u001[bB]|x1[bB]|033|e)\\[[0-9;]{0,16}m))';

/** The start of a token, which is never within a longer word. */
const START = `(?:(?<![A-Za-z0-9_-])|${AFTER_ESCAPE})`;

const token = (kind: string, ...shapes: readonly string[]): SecretRule => ({
  kind,
  pattern: new RegExp(`${START}(?:${shapes.join('|')})`, 'g'),
});

const QUOTE = '\\\\?["\'`]';

/** Names of settings that contain secrets, and words for a password in the supported languages. */
const SECRET_NAMES =
  'api[_-]?key|secret[_-]?key|client[_-]?secret|app[_-]?secret|access[_-]?key|private[_-]?token|access[_-]?token|auth[_-]?token|' +
  'refresh[_-]?token|account[_-]?key|[_-](?:secret|token)|passw(?:or)?d|passwort|kennwort|contraseña|senha|mot de passe|パスワード|密码|口令';

const KEY_MARK = '(?: [A-Z0-9]{1,16}){0,3} PRIVATE KEY(?: BLOCK)?-----';

/** A line of a key without an END line: base64 or a header of an encrypted key, possibly with escaped line breaks. */
const KEY_LINE =
  '(?:\\s|\\\\[nr]){1,8}(?:(?:Proc-Type|DEK-Info|Comment|Version): (?:(?!-----BEGIN)[^\\n\\\\]){1,100}|[A-Za-z0-9+/=]{16,})';

/** A character of a secret without quotes. */
const BARE_SECRET = '[A-Za-z0-9_+/=~!@#%^*-]';
/** A further character. `&` belongs to a secret unless a parameter (`&name=`) or a command (`&& name`) follows. */
const MORE_SECRET = `(?:${BARE_SECRET}|&(?!(?:amp;)?[\\w.[\\]%-]{1,40}=)(?=${BARE_SECRET}))`;

/** Published token formats that gitleaks lacks or only finds after a setting's name, more specific ones first. */
const OWN_RULES: readonly SecretRule[] = [
  {
    kind: 'private-key',
    pattern: new RegExp(
      `-----BEGIN${KEY_MARK}(?:(?:(?!-----BEGIN${KEY_MARK})[^]){0,16384}?-----END${KEY_MARK}|(?:${KEY_LINE})+)`,
      'g',
    ),
  },
  token('anthropic-key', 'sk-ant-[A-Za-z0-9_-]{20,}'),
  // `sk-or-v1-` is OpenRouter's. 32 characters cover servers that use OpenAI's prefix.
  token('openai-key', 'sk-(?:proj|svcacct|admin|None|or-v1|lf)-[A-Za-z0-9_-]{20,}', 'sk-[A-Za-z0-9]{32,}'),
  token(
    'model-key',
    '(?:gsk|fw|r8|xai|csk|jina|tvly|nvapi|pplx|pcsk|rpa|esecret|together)[_-](?:dev-|[a-z]{2,6}_)?[A-Za-z0-9_-]{20,}',
    'lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}',
  ),
  token('aws-key', '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])'),
  {
    kind: 'aws-key',
    pattern: new RegExp(
      `aws_?(?:secret_?)?(?:access_?)?key(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8}(?:${QUOTE})?(?<secret>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])`,
      'gi',
    ),
  },
  token('github-token', 'gh[pousr]_[A-Za-z0-9_]{36,}', 'github_pat_[A-Za-z0-9_]{40,}'),
  token('gitlab-token', 'gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|soat|oas)-[A-Za-z0-9_-]{20,}'),
  token('slack-token', 'xox[abeoprs]-[A-Za-z0-9-]{10,}', 'xapp-[0-9]-[A-Za-z0-9-]{20,}'),
  {
    kind: 'slack-token',
    pattern: /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<secret>[A-Za-z0-9/_-]{20,100})/g,
  },
  token('npm-token', 'npm_[A-Za-z0-9]{36,}'),
  { kind: 'npm-token', pattern: /:_(?:authToken|auth|password)\s{0,4}=\s{0,4}(?<secret>[A-Za-z0-9+/=._-]{8,})/g },
  token('google-key', 'AIza[A-Za-z0-9_-]{35}', 'GOCSPX-[A-Za-z0-9_-]{20,}', 'ya29\\.[A-Za-z0-9_-]{20,}'),
  token('stripe-key', '[sr]k_(?:live|test)_[A-Za-z0-9]{16,}', 'whsec_[A-Za-z0-9+/=]{24,}'),
  token(
    'service-token',
    'hf_[A-Za-z0-9]{30,}',
    'SG\\.[A-Za-z0-9_-]{16,64}\\.[A-Za-z0-9_-]{32,}',
    'lin_api_[A-Za-z0-9]{32,}',
    'shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}',
    'do[opr]_v1_[a-f0-9]{64}',
    'pypi-AgEI[A-Za-z0-9_-]{50,}',
    'ops_eyJ[A-Za-z0-9_-]{200,}',
    'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}',
    'vercel_[A-Za-z0-9]{24,}',
    'sbp_[a-f0-9]{40}',
    'sb_secret_[A-Za-z0-9_-]{20,}',
    'dapi[a-f0-9]{32}(?:-\\d)?',
    'sl\\.(?:u\\.)?[A-Za-z0-9_-]{60,}',
    'hv[sb]\\.[A-Za-z0-9_-]{20,}',
    'key-[a-f0-9]{32}',
    '(?:sq0(?:atp|csp)-|EAAA)[A-Za-z0-9_-]{22,}',
    '(?:AC|SK)[a-f0-9]{32}(?![A-Za-z0-9])',
    'figd_[A-Za-z0-9_-]{20,}',
    'dckr_pat_[A-Za-z0-9_-]{20,}',
    'nfp_[A-Za-z0-9]{36,}',
    'tskey-[a-z]{3,8}-[A-Za-z0-9_-]{16,}',
    'ATATT3[A-Za-z0-9_=-]{60,}',
    'sntr(?:ys|yu)_[A-Za-z0-9+/=_-]{40,}',
    'dp\\.(?:pt|st|ct|sa)\\.[A-Za-z0-9_.-]{40,}',
    'PMAK-[a-f0-9]{24}-[a-f0-9]{34}',
    'secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])',
  ),
  // Telegram and Discord bots.
  token(
    'bot-token',
    '\\d{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])',
    '[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}',
  ),
  token('jwt', 'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}'),
  {
    kind: 'basic-auth',
    pattern:
      /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>[\]]{0,128}:(?<secret>[^\s@/"'`<>[\]]{1,256})@/g,
    accepts: isNoPlaceholder,
  },
  { kind: 'signature', pattern: /[?&;]sig=(?<secret>[A-Za-z0-9%+/=_-]{30,200})/g },
  {
    kind: 'authorization',
    pattern: new RegExp(
      `authorization(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8}(?:${QUOTE})?(?:bearer|basic|token)\\s{1,8}(?<secret>[A-Za-z0-9+/=._~-]{12,})`,
      'gi',
    ),
  },
  {
    kind: 'authorization',
    pattern: /(?:(?<![A-Za-z])|(?<=\\[nrt]))[Bb]earer\s{1,4}(?<secret>[A-Za-z0-9+/=._~-]{16,})/g,
    accepts: (secret) => isNoPlaceholder(secret) && isMixed(secret),
  },
  // `mysql -psecret`, `curl -u user:secret`, `--password secret`. An escaped quote ends the secret.
  {
    kind: 'argument',
    pattern:
      /(?:(?<![A-Za-z-])|(?<=\\[nrt]))(?:mysql|mysqldump|mariadb|mongosh?|sshpass)\b[^\n|;&]{0,120}?\s(?:-p|--password[= ])(?<secret>(?:[^\s"'`$|;&<>\\]|\\(?!["'`])){4,64})/g,
    accepts: isNoPlaceholder,
  },
  {
    kind: 'argument',
    pattern:
      /(?:(?<![A-Za-z-])|(?<=\\[nrt]))curl\b[^\n|;&]{0,200}?\s(?:-u|--user)[= ]{1,2}["']?[^\s:"']{1,64}:(?<secret>(?:[^\s"'`$|;&<>\\]|\\(?!["'`])){4,64})/g,
    accepts: isNoPlaceholder,
  },
  {
    kind: 'named-secret',
    pattern: new RegExp(
      `(?:${SECRET_NAMES})` +
        `(?:${QUOTE})?\\s{0,8}(?:=>|:=|[:=：])\\s{0,8}` +
        `(?:${QUOTE}(?<quoted>[^\\s"'\`[\\]\\\\]{6,4096})${QUOTE}|` +
        // Names and expressions in code aren't that long.
        `(?<secret>${BARE_SECRET}(?:${MORE_SECRET}{255,}|${MORE_SECRET}{5,254}(?![A-Za-z0-9_+/=~.()[\\]-]))))`,
      'gi',
    ),
    accepts: (secret) => isNoPlaceholder(secret) && isMixed(secret),
  },
];

/** Abbreviations for common parts of gitleaks' patterns. */
const ABBREVIATIONS: readonly (readonly [string, string])[] = [
  ['@is', String.raw`(?:[ \t\w.-]{0,20})[\s'"]{0,3}(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}`],
  ['@end', String.raw`(?:[\x60'"\s;]|\\[nr]|$)`],
];

/** Parses a row of `gitleaks-rules.json`: ID, lower-case keywords, flags, minimum entropy, pattern. */
function gitleaks(row: string): SecretRule {
  const [kind = '', keywords = '', flags = '', entropy = '', ...short] = row.split('|');
  const expanded = ABBREVIATIONS.reduce((text, [mark, long]) => text.replaceAll(mark, () => long), short.join('|'));
  const pattern = expanded.replace(/^\\b|(?<=\|)\\b(?=\()/g, () => `(?:\\b|${AFTER_ESCAPE})`);
  return {
    kind,
    keywords: keywords.split(' '),
    pattern: new RegExp(pattern, `g${flags}`),
    accepts: (secret) => isNoPlaceholder(secret) && entropyOf(secret) >= Number(entropy) && /\d/.test(secret),
  };
}

export const SECRET_RULES: readonly SecretRule[] = [...OWN_RULES, ...GITLEAKS.rules.map(gitleaks)];

/** Placeholders for secrets in documentation and templates. */
const PLACEHOLDER =
  /^(?:[$%{*.<]|(?:x{4,}|your[_-]|example|placeholder|changeme|redacted|dummy|process\.env|test[_-]?key))|^(.)\1{5,}/i;

function isNoPlaceholder(secret: string): boolean {
  return !PLACEHOLDER.test(secret);
}

const isMixed = (secret: string): boolean => /\d/.test(secret) && /[A-Za-z]/.test(secret);

/** Shannon entropy in bits per character, as gitleaks computes it. */
function entropyOf(text: string): number {
  const counts = new Map<string, number>();
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}
