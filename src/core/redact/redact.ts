import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

const MASK = '[redacted: ';

/** Redacts secrets in texts and counts them. */
export class Redactor {
  #total = 0;

  /** Number of redacted secrets. */
  get total(): number {
    return this.#total;
  }

  /** Replaces each secret by `[redacted: <kind>]`. Redacted text isn't redacted again. Linear in the text. */
  redact(text: string): string {
    let safe = text;
    const found = keywordsIn(text);
    for (const rule of SECRET_RULES) {
      if (!rule.keywords || rule.keywords.some((word) => found.has(word))) safe = this.#apply(rule, safe);
    }
    return safe;
  }

  #mask(kind: string): string {
    this.#total += 1;
    return `${MASK}${kind}]`;
  }

  #apply({ kind, pattern, accepts }: SecretRule, text: string): string {
    let safe = '';
    let from = 0;
    for (const match of text.matchAll(pattern)) {
      const secret = match.groups?.['secret'] ?? match.groups?.['quoted'] ?? match[1] ?? match[0];
      if (accepts?.(secret) === false || secret.includes(MASK)) continue;
      // The last occurrence, because the name before the secret may contain the same text.
      const start = match.index + match[0].lastIndexOf(secret);
      safe += text.slice(from, start) + this.#mask(kind);
      from = start + secret.length;
    }
    return from === 0 ? text : safe + text.slice(from);
  }
}

const KEYWORDS = [...new Set(SECRET_RULES.flatMap(({ keywords = [] }) => keywords))].sort(
  (a, b) => b.length - a.length,
);
/** All keywords in one pattern, because searching for each would take twenty times as long. */
const ANY_KEYWORD = new RegExp(KEYWORDS.map((word) => word.replace(/[^a-z0-9_]/g, '\\$&')).join('|'), 'g');

/** The keywords that a text contains, including those within others. */
function keywordsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(ANY_KEYWORD)) {
    if (found.has(word)) continue;
    for (const one of KEYWORDS) if (word.includes(one)) found.add(one);
  }
  return found;
}
