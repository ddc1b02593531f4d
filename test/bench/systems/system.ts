import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import type { Fact } from '../data/facts.ts';
import type { Answer } from '../models/metered.ts';
import type { Turn } from '../turn-feed.ts';

/** What a system is given: it may send this many tokens, and ask this summarizer. */
export interface Given {
  readonly budget: number;
  readonly counter: TokenCounter;
  readonly answer: Answer;
}

/** One session that a system keeps. */
export interface Kept {
  /** What its summarizer cost until now. */
  readonly spent: { readonly calls: number; readonly input: number; readonly output: number };
  /** The user's message and all that followed. Rejects when the turn could not proceed. */
  turn(turn: Turn): Promise<void>;
  /** All that would be sent with the next message, as one text. */
  context(): Promise<string>;
  close(): Promise<void>;
}

/** A way to keep a conversation within a budget. */
export interface System {
  readonly id: string;
  readonly label: string;
  /** Whether it asks a summarizer at all. */
  readonly asks: boolean;
  /** How a summarizer has to answer it. */
  readonly shape: AnswerShape;
  /** Whether each turn puts together what is sent with it: asking for that afterwards is then no more of a turn's cost. */
  readonly assemblesInTurn: boolean;
  open(given: Given): Promise<Kept>;
}

/** `json`: an object of this product's own; `observations`: a list within a tag, as Mastra's observer is told. */
export type AnswerShape = 'json' | 'observations';

/** Makes the summarizer that a system is tried with; the facts are those that it can recognize. */
export type Model = (facts: readonly Fact[], counter: TokenCounter, shape: AnswerShape) => Answer;
