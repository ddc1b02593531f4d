/** A quotation in a text: what stands between its marks, with its offsets (UTF-16 units). */
export interface Quotation {
  readonly quote: string;
  readonly start: number;
  readonly end: number;
}

/** Pairs of marks that quote speech, on one line; apostrophes do not, nor what stands in code. Empty pairs are pairs, too. */
const QUOTED = /`[^`\n]*`|"([^"\n]*)"|“([^“”\n]+)”|„([^„“\n]+)“|«([^«»\n]+)»|「([^「」\n]+)」|『([^『』\n]+)』/g;

/** Shorter ones are words in quotation marks, not quotations. UTF-16 units; scripts without spaces say more in fewer. */
const MIN_CHARS = 12;
const MIN_JOINED_CHARS = 6;

/** The quotations in a text, in order. Linear in each line. */
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

/** Whether words are long enough to be a quotation and not one of a few words that stand anywhere. */
export function isQuotation(quote: string): boolean {
  if (quote.trim() !== quote) return false;
  if (/[\u2e80-\uffdc]/u.test(quote)) return quote.length >= MIN_JOINED_CHARS;
  return quote.length >= MIN_CHARS && /\p{L}\s+\p{L}/u.test(quote);
}
