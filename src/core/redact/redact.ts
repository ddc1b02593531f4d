import { SECRET_RULES, type SecretRule } from './secret-rules.ts';

const KEY_MARK = /-----(?<edge>BEGIN|END)(?: [A-Z0-9]{1,16}){0,3} PRIVATE KEY(?: BLOCK)?-----/g;

/** Maximum length of a key, in UTF-16 units. Marks that are farther apart don't enclose a key. */
const MAX_KEY_LENGTH = 16_384;

/** A line of a key whose end is missing: base64 or a header of an encrypted key, possibly with escaped line breaks. */
const KEY_LINE = /(?:\s|\\[nr]){1,8}(?:(?:Proc-Type|DEK-Info|Comment|Version): [^\n\\]{1,100}|[A-Za-z0-9+/=]{16,})/y;

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
    let safe = this.#redactKeys(text);
    const found = keywordsIn(safe);
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

  #redactKeys(text: string): string {
    let safe = '';
    let from = 0;
    let keyStart: number | undefined;
    const close = (end: number): void => {
      if (keyStart === undefined) return;
      safe += text.slice(from, keyStart) + this.#mask('private-key');
      from = end;
      keyStart = undefined;
    };
    /** Redacts what looks like the body of a key without an end. */
    const closeUnfinished = (after: number): void => {
      KEY_LINE.lastIndex = after;
      let end = after;
      while (KEY_LINE.test(text)) end = KEY_LINE.lastIndex;
      if (end > after) close(end);
      keyStart = undefined;
    };
    let bodyStart = 0;
    for (const mark of text.matchAll(KEY_MARK)) {
      const end = mark.index + mark[0].length;
      if (mark.groups?.['edge'] === 'END') {
        if (keyStart !== undefined && end - keyStart <= MAX_KEY_LENGTH) close(end);
      } else {
        if (keyStart !== undefined) closeUnfinished(bodyStart);
        keyStart = mark.index;
        bodyStart = end;
      }
    }
    if (keyStart !== undefined) closeUnfinished(bodyStart);
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
