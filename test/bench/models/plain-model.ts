import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import type { Answer } from './metered.ts';

/** Room for an answer of a peer's summarizer, in tokens: more than twice what one of our own calls gets. */
export const ANSWER_TOKENS = 2_000;

/** The summarizer of another system, with what it cost: plain text goes in, plain text comes out. */
export class PlainModel {
  readonly spent = { calls: 0, input: 0, output: 0 };
  readonly #answer: Answer;
  readonly #counter: TokenCounter;

  constructor(answer: Answer, counter: TokenCounter) {
    this.#answer = answer;
    this.#counter = counter;
  }

  /** Counted also when it rejects, since the input was sent. */
  async ask(prompt: string): Promise<string> {
    this.spent.calls++;
    this.spent.input += this.#counter.text(prompt);
    await Promise.resolve();
    const text = this.#answer(prompt, ANSWER_TOKENS);
    if (text === undefined) throw new Error('The model is down.');
    this.spent.output += this.#counter.text(text);
    return text;
  }
}
