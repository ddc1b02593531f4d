import { isTransient, type KeyEvent } from '../model/key-event.ts';

export interface FittedLedger {
  readonly kept: readonly KeyEvent[];
  /** Entries that don't fit, in the ledger's order. Active ones get the status `dropped`. */
  readonly dropped: readonly KeyEvent[];
}

/** Maximum share of the covered tokens, so that compressing short messages saves something. */
const MAX_SHARE_OF_COVERED = 1 / 4;
/** To-dos, errors, and outcomes with this many later entries are old: about a hundred messages. */
const OLD_ENTRIES = 30;

/** If the budget is below this share of the covered tokens, the ledger gets a smaller share of it. */
const FULL_SHARE_FROM = 1 / 10;
/** Minimum factor for the ledger's share, however many tokens are covered. */
const MIN_SHARE_FACTOR = 0.4;

/**
 * Maximum tokens of the ledger: its share of the budget, less if the messages exceed the budget many times, and at most
 * a quarter of the tokens that ledger and summaries replace.
 */
export const ledgerRoom = (budget: number, share: number, coveredTokens: number): number =>
  Math.floor(Math.min(shareOfBudget(budget, share, coveredTokens), coveredTokens * MAX_SHARE_OF_COVERED));

function shareOfBudget(budget: number, share: number, coveredTokens: number): number {
  const fullShareBudget = coveredTokens * FULL_SHARE_FROM;
  return budget * share * (budget >= fullShareBudget ? 1 : Math.max(MIN_SHARE_FACTOR, budget / fullShareBudget));
}

/** Beside a model's short summaries, the ledger may take its full share of this many covered tokens. */
const SHORT_CHAT_TOKENS = 600;
/** Beside a model's short summaries, the ledger's maximum share of the other covered tokens. */
const SHARE_OF_OTHERS = 1 / 8;
/** Beside summaries, the ledger leaves this share of its budget to the key events of the next messages. */
const RESERVE = 1 / 5;

/** Maximum tokens to which the ledger may grow if a model's summaries are shorter than allowed. */
export function roomBesideSummaries(budget: number, share: number, coveredTokens: number): number {
  const short = Math.min(coveredTokens, SHORT_CHAT_TOKENS);
  const ofCovered = short * MAX_SHARE_OF_COVERED + (coveredTokens - short) * SHARE_OF_OTHERS;
  return Math.floor(Math.min(shareOfBudget(budget, share, coveredTokens) * (1 - RESERVE), ofCovered));
}

/**
 * The retention priority of an entry, from highest to lowest: entries of importance 3, of importance 2, and resolved or
 * old to-dos, errors, and outcomes, each by score; then superseded and merged entries.
 */
export function retentionPriorityOf(entry: KeyEvent, laterEntries = 0): number {
  switch (entry.status) {
    case 'merged':
      return -2;
    case 'superseded':
      return -1;
    case 'active':
    case 'dropped':
      return isTransient(entry.kind) && (entry.link !== undefined || laterEntries > OLD_ENTRIES)
        ? entry.score
        : entry.importance + entry.score;
  }
}

/** A key event that a summary certainly says gives way to any other useful one. */
const SUMMARIZED_PENALTY = 2;

/** Like the retention priority, but lower if the summary says it, too: the ledger should quote what summaries omit. */
function ledgerPriorityOf(entry: KeyEvent, laterEntries: number): number {
  const priority = retentionPriorityOf(entry, laterEntries);
  return priority < 0 ? priority : Math.max(0, priority - SUMMARIZED_PENALTY * (entry.summarized ?? 0));
}

const reactivated = (entry: KeyEvent): KeyEvent =>
  entry.status === 'dropped' ? { ...entry, status: 'active' } : entry;

/**
 * Fits entries into a budget. `costs` are the tokens of each entry's line. Pinned entries always stay. Of the others,
 * those with the lowest priority are dropped first, and older ones before newer ones. A smaller entry may stay although
 * a larger one with a higher priority doesn't fit. O(n log n), or O(n) if everything fits.
 */
export function fitLedger(entries: readonly KeyEvent[], costs: readonly number[], budgetTokens: number): FittedLedger {
  const keep = new Set<number>();
  let tokens = 0;
  entries.forEach((entry, i) => {
    if (!entry.pinned) return;
    keep.add(i);
    tokens += costs[i]!;
  });
  const all = costs.reduce((sum, cost) => sum + cost, 0);
  if (all <= budgetTokens) return { kept: entries.map(reactivated), dropped: [] };
  const priorities = entries.map((entry, i) => ledgerPriorityOf(entry, entries.length - 1 - i));
  const rest = entries.map((_, i) => i).filter((i) => !keep.has(i));
  rest.sort((a, b) => priorities[b]! - priorities[a]! || b - a);
  let denied = false;
  for (const i of rest) {
    const active = priorities[i]! >= 0;
    // Superseded and merged entries aren't kept if an active one didn't fit.
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
    if (keep.has(i)) kept.push(reactivated(entry));
    else dropped.push(entry.status === 'active' ? { ...entry, status: 'dropped' } : entry);
  });
  return { kept, dropped };
}
