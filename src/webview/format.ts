import { dollarsText } from '../protocol/dollars.ts';
import { text } from './texts.ts';

let locale = 'en';

/** Sets the locale of dates and numbers (BCP 47); English if it's unknown. */
export function setLocale(tag: string): void {
  try {
    [locale = 'en'] = Intl.getCanonicalLocales(tag);
  } catch {
    locale = 'en';
  }
}

export const formatCount = (value: number): string => Math.round(value).toLocaleString(locale);

/**
 * A text with a number: `one` for 1, or else `many`. The number is the first value of both, followed by `values`. All
 * supported languages have at most these two forms.
 */
export const formatCounted = (count: number, one: string, many: string, ...values: readonly string[]): string =>
  text(count === 1 ? one : many, formatCount(count), ...values);

/** `1 token`, `12.4k tokens`. */
export const formatTokens = (count: number): string =>
  count === 1 ? text('1 token') : text('{0} tokens', formatShort(count));

/** 940, 12.4k, 1.2M: if exact numbers aren't needed. */
export const formatShort = (value: number): string =>
  Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 }).format(value);

export const formatPercent = (share: number): string =>
  share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 });

/** US dollars in the reader's language. */
export const formatCost = (dollars: number): string => dollarsText(dollars, locale);

export const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });

export const formatFull = (at: number): string =>
  new Date(at).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' });

/** Today, yesterday, or a date, as seen from `now` (both in ms since the epoch). */
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

/** The last part of a path. */
export const baseName = (path: string): string => /[^/\\]*(?=[/\\]?$)/.exec(path)?.[0] ?? path;
