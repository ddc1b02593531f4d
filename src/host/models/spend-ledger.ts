/** What compression cost in each calendar month, in US dollars; months as `2026-07`. */
export type SpendByMonth = Readonly<Record<string, number>>;

/** A year is enough to look back on, and small enough for the editor's state. */
const MONTHS_KEPT = 12;

/** The calendar month of a moment, in the user's own time zone; `at` is milliseconds since the epoch. */
export function monthOf(at: number): string {
  const date = new Date(at);
  return `${String(date.getFullYear()).padStart(4, '0')}-${String(date.getMonth() + 1).padStart(2, '0')}`;
}

/** The ledger with a sum added to a month; months longer ago than a year go. */
export function withSpent(ledger: SpendByMonth, month: string, usd: number): SpendByMonth {
  const sums = new Map(Object.entries(ledger));
  sums.set(month, (sums.get(month) ?? 0) + usd);
  return Object.fromEntries([...sums].sort(([a], [b]) => a.localeCompare(b)).slice(-MONTHS_KEPT));
}

/** What was stored, as far as it can be read: the state is shared with other windows and other versions. */
export function parseSpend(stored: unknown): SpendByMonth {
  if (typeof stored !== 'object' || stored === null) return {};
  const months = Object.entries(stored).filter(
    (entry): entry is [string, number] =>
      /^\d{4}-\d{2}$/.test(entry[0]) && typeof entry[1] === 'number' && Number.isFinite(entry[1]) && entry[1] >= 0,
  );
  return Object.fromEntries(months);
}

/** Two windows' views of one ledger: each month's larger sum, so that neither forgets what it knows. */
export function merged(a: SpendByMonth, b: SpendByMonth): SpendByMonth {
  const months = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...months].sort().map((month) => [month, Math.max(a[month] ?? 0, b[month] ?? 0)]));
}
