const COMPACT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** A number with at most three digits, such as 950, 12.4k, 128k, or 1.05M, with the decimal mark of a locale. */
export function shortNumber(value: number, locale: string): string {
  const decimalMark = (0.5).toLocaleString(locale).charAt(1);
  return COMPACT.format(Math.round(value)).replace('K', 'k').replace('.', decimalMark);
}
