import type * as vscode from 'vscode';
import type { Log } from '../../app/ports.ts';
import type { SpendGate } from '../../app/spend-limited-model.ts';

const STATE_KEY = 'threadkeeper.compressionSpend';

export interface MonthlySpend {
  /** The cost of compression in this calendar month, in US dollars. */
  readonly usd: number;
  /** Null if there is no limit. */
  readonly limitUsd: number | null;
  readonly isSpent: boolean;
}

export type SpendLimit = ReturnType<typeof spendLimit>;

/**
 * The cost of compression per month in all sessions and workspaces, and the user's limit.
 *
 * @param now milliseconds since the epoch
 */
export function spendLimit(state: vscode.Memento, now: () => number, limit: () => number | null, warn: Log['warn']) {
  let known: SpendByMonth = {};
  // Another window may have stored its costs since, or may have overwritten this window's.
  const merged = (): SpendByMonth => mergeSpend(known, parseSpend(state.get(STATE_KEY)));
  const current = (): MonthlySpend => {
    const usd = merged()[monthOf(now())] ?? 0;
    const limitUsd = limit();
    return { usd, limitUsd, isSpent: limitUsd !== null && usd >= limitUsd };
  };
  const add = (usd: number): void => {
    known = addSpend(merged(), monthOf(now()), usd);
    state.update(STATE_KEY, known).then(undefined, (error: unknown) => {
      warn(`The cost of compression was not saved: ${String(error)}`);
    });
  };
  /** Applies the limit to a summarizer. A model without a known price isn't limited, because its cost is unknown. */
  const gate = (isPriced: () => boolean): SpendGate => ({
    state: () => (isPriced() && current().isSpent ? 'spent' : 'open'),
    recordCost: (costUsd) => {
      if (costUsd !== null && costUsd > 0) add(costUsd);
    },
  });
  return { current, add, gate };
}

/** The cost of compression by calendar month, in US dollars; months as `2026-07`. */
export type SpendByMonth = Readonly<Record<string, number>>;

/** Number of months that are kept, so that the global state stays small. */
const MONTHS_KEPT = 12;

/** The calendar month of a time in the user's time zone; `at` is in milliseconds since the epoch. */
export function monthOf(at: number): string {
  const date = new Date(at);
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}

/** Adds a cost to a month, and keeps only the newest months. */
export function addSpend(spend: SpendByMonth, month: string, usd: number): SpendByMonth {
  const sums = Object.entries({ ...spend, [month]: (spend[month] ?? 0) + usd });
  return Object.fromEntries(sums.sort(([a], [b]) => a.localeCompare(b)).slice(-MONTHS_KEPT));
}

/** The valid part of a stored value, which other windows and versions write as well. */
export function parseSpend(stored: unknown): SpendByMonth {
  if (typeof stored !== 'object' || stored === null) return {};
  const months = Object.entries(stored).filter(
    (entry): entry is [string, number] =>
      /^\d{4}-\d{2}$/.test(entry[0]) && typeof entry[1] === 'number' && Number.isFinite(entry[1]) && entry[1] >= 0,
  );
  return Object.fromEntries(months);
}

/** Merges two windows' values: the larger one for each month, so that no cost is lost. */
export function mergeSpend(a: SpendByMonth, b: SpendByMonth): SpendByMonth {
  const months = Object.keys({ ...a, ...b });
  return Object.fromEntries(months.map((month) => [month, Math.max(a[month] ?? 0, b[month] ?? 0)]));
}
