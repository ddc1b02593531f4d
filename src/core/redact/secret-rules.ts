/** What a secret is, as the export names it. */
export const SECRET_KINDS = [
  'private-key',
  'anthropic-key',
  'openai-key',
  'aws-key',
  'github-token',
  'gitlab-token',
  'slack-token',
  'npm-token',
  'google-key',
  'stripe-key',
  'service-token',
  'jwt',
  'basic-auth',
  'authorization',
  'named-secret',
] as const;
export type SecretKind = (typeof SECRET_KINDS)[number];

/**
 * One shape of a secret. The group `secret` is what is masked, or the whole match where the pattern has none;
 * `accepts` refuses what only looks like one.
 *
 * Time stays linear in the text: every repetition is bounded, or is followed by nothing that could make it give back
 * what it took, and where a secret may begin is fixed by its prefix.
 */
export interface SecretRule {
  readonly kind: SecretKind;
  readonly pattern: RegExp;
  readonly accepts?: (secret: string) => boolean;
}

/** Where a token may begin: not within a longer word. */
const START = '(?<![A-Za-z0-9_-])';

const token = (kind: SecretKind, ...shapes: readonly string[]): SecretRule => ({
  kind,
  pattern: new RegExp(`${START}(?:${shapes.join('|')})`, 'g'),
});

const QUOTE = '\\\\?["\'`]';

/**
 * Shapes of tokens as their makers publish them; the set follows secretlint's recommended preset (secretlint.org), with
 * the model providers' keys beside it. The narrower rule stands before the wider one.
 */
export const SECRET_RULES: readonly SecretRule[] = [
  token('anthropic-key', 'sk-ant-[A-Za-z0-9_-]{20,}'),
  // `sk-or-v1-` is OpenRouter's; 32 characters are enough for the servers that took over OpenAI's prefix.
  token('openai-key', 'sk-(?:proj|svcacct|admin|None|or-v1)-[A-Za-z0-9_-]{20,}', 'sk-[A-Za-z0-9]{32,}'),
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
    pattern: /hooks\.slack\.com\/(?:services|workflows)\/(?<secret>[A-Za-z0-9/_-]{20,})/g,
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
  ),
  token('jwt', 'eyJ[A-Za-z0-9_-]{8,}\\.eyJ[A-Za-z0-9_-]{8,}\\.[A-Za-z0-9_-]{8,}'),
  {
    kind: 'basic-auth',
    pattern:
      /(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}:\/\/[^\s:@/"'`<>[\]]{0,128}:(?<secret>[^\s@/"'`<>[\]]{1,256})@/g,
    accepts: isNoPlaceholder,
  },
  {
    kind: 'authorization',
    pattern: new RegExp(
      `authorization(?:${QUOTE})?\\s{0,8}[:=]\\s{0,8}(?:${QUOTE})?(?:bearer|basic|token)\\s{1,8}(?<secret>[A-Za-z0-9+/=._~-]{12,})`,
      'gi',
    ),
  },
  {
    kind: 'named-secret',
    pattern: new RegExp(
      `(?:api[_-]?key|secret[_-]?key|client[_-]?secret|app[_-]?secret|access[_-]?key|private[_-]?token|access[_-]?token|auth[_-]?token|refresh[_-]?token|account[_-]?key|[_-](?:secret|token)|password|passwd)` +
        `(?:${QUOTE})?\\s{0,8}(?:=>|:=|[:=])\\s{0,8}` +
        `(?:${QUOTE}(?<quoted>[^\\s"'\`[\\]\\\\]{8,256})${QUOTE}|(?<secret>[A-Za-z0-9_+/=~!#%^-]{12,256})(?![A-Za-z0-9_+/=~.()[\\]-]))`,
      'gi',
    ),
    accepts: (secret) => isNoPlaceholder(secret) && /\d/.test(secret) && /[A-Za-z]/.test(secret),
  },
];

/** Names of values that stand where a secret would, in documentation and templates. */
const PLACEHOLDER = /^(?:[$%{*.]|(?:x{4,}|your[_-]|example|placeholder|changeme|redacted|dummy))/i;

function isNoPlaceholder(secret: string): boolean {
  return !PLACEHOLDER.test(secret);
}
