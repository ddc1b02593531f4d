import { EAST_ASIAN } from '../text/cjk.ts';

/** A quotation in a text, without its marks. Offsets are in UTF-16 units. */
export interface Quotation {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

/** Quotations on one line, but not in apostrophes. Code is matched without a group, so quotations in it are skipped. */
const QUOTED = /`[^`\n]*`|"([^"\n]*)"|“([^“”\n]+)”|„([^„“\n]+)“|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』/g;

/** In UTF-16 units. Shorter quotations are only words in quotation marks. */
const MIN_CHARS = 12;
/** `MIN_CHARS` for scripts without spaces. */
const MIN_UNSPACED_CHARS = 6;

export function findQuotes(text: string): Quotation[] {
  const found: Quotation[] = [];
  for (const match of text.matchAll(QUOTED)) {
    const quote = match.slice(1).find((part) => (part as string | undefined) !== undefined);
    if (quote !== undefined && isQuotation(quote)) {
      found.push({ quote, start: match.index + 1, end: match.index + 1 + quote.length });
    }
  }
  return found;
}

/** Whether a text in quotation marks is too long to occur by chance, and has no surrounding white space. */
export function isQuotation(quote: string): boolean {
  if (quote.trim() !== quote) return false;
  if (EAST_ASIAN.test(quote)) return quote.length >= MIN_UNSPACED_CHARS;
  return quote.length >= MIN_CHARS && /\p{L}\s+\p{L}/u.test(quote);
}
