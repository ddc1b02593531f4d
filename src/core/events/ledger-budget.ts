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

const asKept = (entry: KeyEvent): KeyEvent => (entry.status === 'dropped' ? { ...entry, status: 'active' } : entry);

/**
 * Fits a ledger into a budget (tokens; `costs` are those of each entry's line): pinned entries stay whatever they cost;
 * of the others the least worth leave first, the older before the newer. A smaller entry may stay where a larger one of
 * more worth found no room. O(n log n), and O(n) where there is room for all.
 */
export function fitLedger(entries: readonly KeyEvent[], costs: readonly number[], budgetTokens: number): FittedLedger {
  const keep = new Set<number>();
  let tokens = 0;
  entries.forEach((entry, i) => {
    if (!entry.pinned) return;
    keep.add(i);
    tokens += costs[i]!;
  });
  const pinnedExceed = tokens > budgetTokens;
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  if (all <= budgetTokens) return { kept: entries.map(asKept), dropped: [], tokens: all, pinnedExceed };
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
    if (keep.has(i)) kept.push(asKept(entry));
    else dropped.push(entry.status === 'active' ? { ...entry, status: 'dropped' } : entry);
  });
  return { kept, dropped, tokens, pinnedExceed };
}
