/** US dollars as a language writes them: two decimals, or as many as show two digits that count. */
export function dollarsText(usd: number, locale: string | undefined): string {
  const decimals = usd > 0 && usd < 1 ? Math.min(20, Math.max(2, 1 - Math.floor(Math.log10(usd)))) : 2;
  return usd.toLocaleString(locale, { style: 'currency', currency: 'USD', maximumFractionDigits: decimals });
}
