import { isTransient, type KeyEvent } from '../model/key-event.ts';

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

/** The ledger of a chat of short messages must leave room to save by compression. */
const SHARE_OF_COVERED = 1 / 4;
/** A to-do, error or outcome with so many entries behind it is old: about a hundred messages. */
const OLD_ENTRIES = 30;

/** From a budget of this share of the covered tokens down, less of it goes to the ledger, and more to the summaries. */
const FULL_SHARE_FROM = 1 / 10;
/** The least of its share that a ledger may take, however much is covered. */
const LEAST_OF_SHARE = 0.4;

/**
 * Tokens a ledger may take: its share of the budget, less of it the more the messages exceed the budget, and at most a
 * quarter of the tokens of the messages that it and the summaries stand for. Known before any model is called.
 */
export function ledgerRoom(budget: number, share: number, coveredTokens: number): number {
  const full = coveredTokens * FULL_SHARE_FROM;
  const ofShare = budget >= full ? 1 : Math.max(LEAST_OF_SHARE, budget / full);
  return Math.floor(Math.min(budget * share * ofShare, coveredTokens * SHARE_OF_COVERED));
}

/**
 * What an entry is worth beside others, more staying longer: lasting ones, then useful ones, each by score; then to-dos,
 * errors and outcomes that are resolved or old; then superseded ones and duplicates. `behind`: entries that came later.
 */
export function worthOf(entry: KeyEvent, behind = 0): number {
  switch (entry.status) {
    case 'merged':
      return -2;
    case 'superseded':
      return -1;
    case 'active':
    case 'dropped':
      return isTransient(entry.kind) && (entry.link !== undefined || behind > OLD_ENTRIES)
        ? entry.score
        : entry.importance + entry.score;
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
  const worth = entries.map((entry, i) => worthOf(entry, entries.length - 1 - i));
  const rest = entries.map((_, i) => i).filter((i) => !keep.has(i));
  rest.sort((a, b) => worth[b]! - worth[a]! || b - a);
  let denied = false;
  for (const i of rest) {
    const active = worth[i]! >= 0;
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
