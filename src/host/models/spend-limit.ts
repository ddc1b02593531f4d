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

/** The cost of compression per month in all sessions and workspaces, and the user's limit. */
export class SpendLimit {
  readonly #state: vscode.Memento;
  readonly #now: () => number;
  readonly #limitUsd: () => number | null;
  readonly #warn: Log['warn'];
  #known: SpendByMonth = {};

  /** @param now milliseconds since the epoch */
  constructor(state: vscode.Memento, now: () => number, limitUsd: () => number | null, warn: Log['warn']) {
    this.#state = state;
    this.#now = now;
    this.#limitUsd = limitUsd;
    this.#warn = warn;
  }

  current(): MonthlySpend {
    const usd = this.#merged()[monthOf(this.#now())] ?? 0;
    const limitUsd = this.#limitUsd();
    return { usd, limitUsd, isSpent: limitUsd !== null && usd >= limitUsd };
  }

  add(usd: number): void {
    this.#known = addSpend(this.#merged(), monthOf(this.#now()), usd);
    this.#state.update(STATE_KEY, this.#known).then(undefined, (error: unknown) => {
      this.#warn(`The cost of compression was not saved: ${String(error)}`);
    });
  }

  /** Applies the limit to a summarizer. A model without a known price isn't limited, because its cost is unknown. */
  gate(isPriced: () => boolean): SpendGate {
    return {
      state: () => (isPriced() && this.current().isSpent ? 'spent' : 'open'),
      recordCost: (costUsd) => {
        if (costUsd !== null && costUsd > 0) this.add(costUsd);
      },
    };
  }

  // Another window may have stored its costs since, or may have overwritten this window's.
  #merged(): SpendByMonth {
    return mergeSpend(this.#known, parseSpend(this.#state.get(STATE_KEY)));
  }
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
  const months = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...months].sort().map((month) => [month, Math.max(a[month] ?? 0, b[month] ?? 0)]));
}
