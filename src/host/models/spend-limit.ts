import type * as vscode from 'vscode';
import { merged, monthOf, parseSpend, withSpent, type SpendByMonth } from './spend-ledger.ts';

const STATE_KEY = 'threadkeeper.compressionSpend';

export interface MonthlySpend {
  /** What compression has cost in this calendar month, in US dollars. */
  readonly usd: number;
  /** Null: no limit. */
  readonly limitUsd: number | null;
  readonly isSpent: boolean;
}

/** What compression costs in each month, over all sessions and workspaces, against the user's limit. */
export class SpendLimit {
  readonly #state: vscode.Memento;
  readonly #now: () => number;
  readonly #limitUsd: () => number | null;
  readonly #warn: (message: string) => void;
  #known: SpendByMonth = {};

  /** @param now milliseconds since the epoch */
  constructor(
    state: vscode.Memento,
    now: () => number,
    limitUsd: () => number | null,
    warn: (message: string) => void,
  ) {
    this.#state = state;
    this.#now = now;
    this.#limitUsd = limitUsd;
    this.#warn = warn;
  }

  current(): MonthlySpend {
    const usd = this.#ledger()[monthOf(this.#now())] ?? 0;
    const limitUsd = this.#limitUsd();
    return { usd, limitUsd, isSpent: limitUsd !== null && usd >= limitUsd };
  }

  add(usd: number): void {
    this.#known = withSpent(this.#ledger(), monthOf(this.#now()), usd);
    this.#state.update(STATE_KEY, this.#known).then(undefined, (error: unknown) => {
      this.#warn(`The cost of compression was not saved: ${String(error)}`);
    });
  }

  // Another window may have written since, or its write may have undone ours.
  #ledger(): SpendByMonth {
    return merged(this.#known, parseSpend(this.#state.get(STATE_KEY)));
  }
}
