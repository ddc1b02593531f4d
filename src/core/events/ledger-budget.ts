import type { KeyEvent } from '../model/key-event.ts';

export interface FittedLedger {
  /** What goes into the context, in the ledger's order. */
  readonly kept: readonly KeyEvent[];
  /** What there is no room for, in the ledger's order; active ones with status `dropped`, others with their own. */
  readonly dropped: readonly KeyEvent[];
  /** Tokens of what is kept. */
  readonly tokens: number;
  /** The pinned entries alone need more than the budget: they are all kept, and the user has to be told. */
  readonly pinnedExceed: boolean;
}

/** What an entry costs is what is sent of it: its quote and the proposal that it answers. */
const lineOf = (entry: KeyEvent): string =>
  `- ${entry.kind}: ${entry.quote}${entry.about === undefined ? '' : ` (about: ${entry.about.quote})`}`;

/** Order of leaving: duplicates, then superseded ones, then by score; an error that has its fix counts half. */
function worth(entry: KeyEvent): number {
  switch (entry.status) {
    case 'merged':
      return -2;
    case 'superseded':
      return -1;
    case 'active':
    case 'dropped':
      return entry.kind === 'error' && entry.link !== undefined ? entry.score / 2 : entry.score;
  }
}

/**
 * Fits a ledger into a budget (tokens, `countTokens` as the caller counts them): pinned entries stay whatever they cost;
 * of the others the least worth leave first, the older before the newer. A smaller entry may stay where a larger one of
 * more worth found no room. `render` is what an entry looks like in the context. O(n log n).
 */
export function fitLedger(
  entries: readonly KeyEvent[],
  budgetTokens: number,
  countTokens: (text: string) => number,
  render: (entry: KeyEvent) => string = lineOf,
): FittedLedger {
  const costs = entries.map((entry) => countTokens(render(entry)));
  const keep = new Set<number>();
  let tokens = 0;
  entries.forEach((entry, i) => {
    if (!entry.pinned) return;
    keep.add(i);
    tokens += costs[i]!;
  });
  const pinnedExceed = tokens > budgetTokens;
  const rest = entries.map((_, i) => i).filter((i) => !keep.has(i));
  rest.sort((a, b) => worth(entries[b]!) - worth(entries[a]!) || b - a);
  let denied = false;
  for (const i of rest) {
    const active = worth(entries[i]!) >= 0;
    // A duplicate or superseded entry never takes room that an active one was denied.
    if (!active && denied) break;
    if (tokens + costs[i]! > budgetTokens) {
      if (active) denied = true;
      continue;
    }
    keep.add(i);
    tokens += costs[i]!;
  }
  const kept: KeyEvent[] = [];
  const dropped: KeyEvent[] = [];
  entries.forEach((entry, i) => {
    if (keep.has(i)) kept.push(entry.status === 'dropped' ? { ...entry, status: 'active' } : entry);
    else dropped.push(entry.status === 'active' ? { ...entry, status: 'dropped' } : entry);
  });
  return { kept, dropped, tokens, pinnedExceed };
}
