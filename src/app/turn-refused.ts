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
    super('A reply is still arriving. Stop it first, or wait until it ends.');
    this.name = 'TurnRunning';
  }
}
