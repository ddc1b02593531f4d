import type { Span } from './key-event.ts';

/** Results of checking a statement, with or without a model. */
export const STATEMENT_REASONS = [
  /** Code: the messages contain it as a sentence. */
  'verbatim',
  /** Code: the messages don't contain one of its terms or quotations. */
  'not_in_source',
  /** Code: undecided. */
  'unchecked',
  /** Model: the messages support it. */
  'supported',
  /** Model: the messages don't mention it. */
  'no_source',
  /** Model: the messages contradict it. */
  'told_otherwise',
] as const;
export type StatementReason = (typeof STATEMENT_REASONS)[number];

/** Whether the messages support the statement; null if unknown. */
export function supportOf(reason: StatementReason): boolean | null {
  if (reason === 'unchecked') return null;
  return reason === 'verbatim' || reason === 'supported';
}

/** A passage of a message: `message` is its index; offsets are UTF-16 units of its text. */
export interface StatementSource extends Span {
  readonly message: number;
}

/** The result for a statement. Offsets are UTF-16 units of the summary's text. */
export interface StatementFinding extends Span {
  readonly reason: StatementReason;
  /** The passages that support or contradict it. */
  readonly sources: readonly StatementSource[];
  /** Terms and quotations that the messages don't contain. */
  readonly missing?: readonly string[];
  /** The correct detail according to the messages, in the model's words. */
  readonly instead?: string;
  /** True if a model was asked but gave no valid verdict, so that this is the result of the check without a model. */
  readonly isByCode?: boolean;
}
