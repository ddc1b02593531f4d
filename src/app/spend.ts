/** Whether compression may still spend money; asked before a compression begins and before each of its model calls. */
export interface SpendGate {
  /** `spent`: the limit is used up, and models are left alone until it is not. */
  state(): 'open' | 'spent';
  /** Told at once of each call that was paid for; US dollars, null when the price is not known. */
  spent(costUsd: number | null): void;
}

/** No limit. */
export const OPEN_GATE: SpendGate = { state: () => 'open', spent: () => undefined };

/** The user's limit for compression is used up. It is no fault of a provider: nothing was asked of one. */
export class SpendLimitReached extends Error {
  constructor() {
    super('The limit for what compression may cost is used up.');
    this.name = 'SpendLimitReached';
  }
}
