/** Why a message was not sent; `ContextOverflow` comes with ways out, shown by the panel. */
export class ContextOverflow extends Error {
  readonly total: number;
  readonly budget: number;

  constructor(total: number, budget: number) {
    super(`The request needs ${total} tokens and the model's budget is ${budget}.`);
    this.name = 'ContextOverflow';
    this.total = total;
    this.budget = budget;
  }
}

/** A second turn was asked for while one is running. */
export class TurnRunning extends Error {
  constructor() {
    super('A response is in progress. Stop it or wait until it finishes.');
    this.name = 'TurnRunning';
  }
}
