import type { Span } from './key-event.ts';

/** What was found of a statement, and by whom. */
export const STATEMENT_REASONS = [
  /** Code: it is a sentence of the messages. */
  'verbatim',
  /** Code: the messages do not contain a term or quotation in it. */
  'not_in_source',
  /** Code: nothing in it decides. */
  'unchecked',
  /** A model: the messages say so. */
  'supported',
  /** A model: the messages do not speak of it. */
  'no_source',
  /** A model: the messages say otherwise. */
  'told_otherwise',
] as const;
export type StatementReason = (typeof STATEMENT_REASONS)[number];

/** Whether the messages say so; null where nothing decided. */
export function supportOf(reason: StatementReason): boolean | null {
  if (reason === 'unchecked') return null;
  return reason === 'verbatim' || reason === 'supported';
}

/** A passage of a message: `message` is its index, offsets are UTF-16 units into its text. */
export interface StatementSource extends Span {
  readonly message: number;
}

/** What was found of a statement. Offsets are UTF-16 units into the summary's text. */
export interface StatementFinding extends Span {
  readonly reason: StatementReason;
  /** The passages that decide. */
  readonly sources: readonly StatementSource[];
  /** Terms and quotations that the messages do not contain. */
  readonly missing?: readonly string[];
  /** What the messages say in place of a wrong detail, in a model's words. */
  readonly instead?: string;
  /** True where a model was asked and gave no verdict that holds: this is what code found. */
  readonly isByCode?: boolean;
}
