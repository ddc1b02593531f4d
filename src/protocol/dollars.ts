/** US dollars in a locale's format, with two decimals, or as many as needed for two significant digits. */
export function dollarsText(usd: number, locale: string | undefined): string {
  const decimals = usd > 0 && usd < 1 ? Math.min(20, Math.max(2, 1 - Math.floor(Math.log10(usd)))) : 2;
  return usd.toLocaleString(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: decimals });
}
