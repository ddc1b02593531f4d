/** A quotation in a text without its marks, with its offsets in UTF-16 units. */
export interface Quotation {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

/** Pairs of quotation marks on one line, but not apostrophes or code. Includes empty pairs. */
const QUOTED = /`[^`\n]*`|"([^"\n]*)"|“([^“”\n]+)”|„([^„“\n]+)“|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』/g;

/** Shorter quotations are only words in quotation marks. In UTF-16 units; less in scripts without spaces. */
const MIN_CHARS = 12;
const MIN_JOINED_CHARS = 6;

/** The quotations of a text, in order. Linear in each line. */
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

/** Whether a quotation is long enough not to occur anywhere by chance. */
export function isQuotation(quote: string): boolean {
  if (quote.trim() !== quote) return false;
  if (/[\u2e80-\uffdc]/u.test(quote)) return quote.length >= MIN_JOINED_CHARS;
  return quote.length >= MIN_CHARS && /\p{L}\s+\p{L}/u.test(quote);
}
