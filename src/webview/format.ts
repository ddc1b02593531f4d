import { dollarsText } from '../protocol/dollars.ts';
import { text } from './texts.ts';

let locale = 'en';

/** Sets the language of dates and numbers (BCP 47): English where that is unknown. */
export function setLocale(tag: string): void {
  try {
    [locale = 'en'] = Intl.getCanonicalLocales(tag);
  } catch {
    locale = 'en';
  }
}

export const formatCount = (value: number): string => Math.round(value).toLocaleString(locale);

/**
 * A text that counts something: `one` when there is one of it, else `many`. The count is the first value of both, and
 * `values` follow it. The languages of the product all tell one from several, or do not tell them apart.
 */
export const formatCounted = (count: number, one: string, many: string, ...values: readonly string[]): string =>
  text(count === 1 ? one : many, formatCount(count), ...values);

/** `1 token`, `12.4k tokens`. */
export const formatTokens = (count: number): string =>
  count === 1 ? text('1 token') : text('{0} tokens', formatShort(count));

/** 940, 12.4k, 1.2M: for places where every digit would be noise. */
export const formatShort = (value: number): string =>
  Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatPercent = (share: number): string =>
  share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 });

/** US dollars as the reader's language writes them. */
export const formatCost = (dollars: number): string => dollarsText(dollars, locale);

export const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });

export const formatFull = (at: number): string =>
  new Date(at).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' });

/** Today, yesterday or a date, seen from `now` (both ms since the epoch). */
export function formatDay(at: number, now: number): string {
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days === 0) return text('Today');
  if (days === 1) return text('Yesterday');
  const sameYear = new Date(at).getFullYear() === new Date(now).getFullYear();
  return new Date(at).toLocaleDateString(locale, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(sameYear ? {} : { year: 'numeric' }),
  });
}

export const sameDay = (a: number, b: number): boolean => startOfDay(a) === startOfDay(b);

const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** What is left of a path when only its last name is shown. */
export const baseName = (path: string): string => /[^/\\]*(?=[/\\]?$)/.exec(path)?.[0] ?? path;
