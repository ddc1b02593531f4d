import { dollarsText } from '../protocol/dollars.ts';
import { shortNumber } from '../protocol/short-number.ts';
import { text } from './texts.ts';

let locale = 'en';

/** Sets the locale of dates and numbers to a BCP 47 tag, or to English if the tag is invalid. */
export function setLocale(tag: string): void {
  try {
    [locale = 'en'] = Intl.getCanonicalLocales(tag);
  } catch {
    locale = 'en';
  }
}

export const formatCount = (value: number): string => Math.round(value).toLocaleString(locale);

/** Translates `one` if `count` is 1, or else `many`. `{0}` is the count; `values` follow from `{1}`. */
export const formatCounted = (count: number, one: string, many: string, ...values: readonly string[]): string =>
  text(count === 1 ? one : many, formatCount(count), ...values);

/** `1 token`, `12.4k tokens`. */
export const formatTokens = (count: number): string =>
  count === 1 ? text('1 token') : text('{0} tokens', formatCompact(count));

export const formatCompact = (value: number): string => shortNumber(value, locale);

export const formatPercent = (share: number): string =>
  share.toLocaleString(locale, { style: 'percent', maximumFractionDigits: 0 });

export const formatCost = (dollars: number): string => dollarsText(dollars, locale);

export const formatTime = (at: number): string =>
  new Date(at).toLocaleTimeString(locale, { hour: '2-digit', minute: '2-digit' });

export const formatDateTime = (at: number): string =>
  new Date(at).toLocaleString(locale, { dateStyle: 'full', timeStyle: 'short' });

/** Formats the day of `at` relative to `now`: today, yesterday, or a date. Both are in ms since the epoch. */
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

export const isSameDay = (a: number, b: number): boolean => startOfDay(a) === startOfDay(b);

export const startOfDay = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

/** The first `length` UTF-16 units of a text at most, without half of a surrogate pair. */
export const truncate = (source: string, length: number): string =>
  source.slice(0, length).replace(/[\ud800-\udbff]$/, '');

export const baseName = (path: string): string => /[^/\\]*(?=[/\\]?$)/.exec(path)?.[0] ?? path;
