import { blankTerminalCodes, offsetsWithoutTerminalCodes, withoutTerminalCodes } from '../text/terminal-codes.ts';
import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

const MASK = '[redacted: ';

export class Redactor {
  #total = 0;

  get total(): number {
    return this.#total;
  }

  /** Replaces each secret by `[redacted: <kind>]`. Redacted text isn't redacted again. Linear in the text. */
  redact(text: string): string {
    const safe = this.#redact(text, withoutTerminalCodes);
    if (withoutTerminalCodes(safe) === safe) return safe;
    // A control sequence may separate a secret from the word before it, or contain a secret, such as a link's address.
    return this.#redact(this.#redact(safe, blankTerminalCodes), (whole) => whole);
  }

  /** `visible`: the part of the text that is searched for secrets. */
  #redact(text: string, visible: (text: string) => string): string {
    let safe = text;
    let searched = visible(text);
    const found = keywordsIn(searched);
    for (const rule of SECRET_RULES) {
      if (rule.keywords && !rule.keywords.some((word) => found.has(word))) continue;
      const before = safe;
      safe = this.#apply(rule, safe, searched);
      if (safe !== before) searched = visible(safe);
    }
    return safe;
  }

  #mask(kind: string): string {
    this.#total += 1;
    return `${MASK}${kind}]`;
  }

  #apply({ kind, pattern, accepts }: SecretRule, text: string, searched: string): string {
    let safe = '';
    let from = 0;
    let offsets: Uint32Array | undefined;
    for (const match of searched.matchAll(pattern)) {
      const secret = match.groups?.['secret'] ?? match.groups?.['quoted'] ?? match[1] ?? match[0];
      if (accepts?.(secret) === false || secret.includes(MASK)) continue;
      // The last occurrence, because the name before the secret may contain the same text.
      let start = match.index + match[0].lastIndexOf(secret);
      let end = start + secret.length;
      if (searched.length !== text.length) {
        offsets ??= offsetsWithoutTerminalCodes(text);
        [start, end] = [offsets[start]!, offsets[end - 1]! + 1];
      }
      safe += text.slice(from, start) + this.#mask(kind);
      from = end;
    }
    return from === 0 ? text : safe + text.slice(from);
  }
}

const KEYWORDS = [...new Set(SECRET_RULES.flatMap(({ keywords = [] }) => keywords))].sort(
  (a, b) => b.length - a.length,
);
/** All keywords in one pattern, because searching for each by itself would take twenty times as long. */
const ANY_KEYWORD = new RegExp(KEYWORDS.map((word) => word.replace(/[^a-z0-9_]/g, '\\$&')).join('|'), 'g');

/** The keywords that a text contains, including those within longer keywords. */
function keywordsIn(text: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const [word] of text.toLowerCase().matchAll(ANY_KEYWORD)) {
    if (found.has(word)) continue;
    for (const one of KEYWORDS) if (word.includes(one)) found.add(one);
  }
  return found;
}
