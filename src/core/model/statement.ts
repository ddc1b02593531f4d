import type { Span } from './key-event.ts';

/** Why a statement is held to be supported or not. */
export const STATEMENT_REASONS = [
  'supported',
  'no_source',
  'unknown_quote',
  'number_differs',
  'name_differs',
  'negation_differs',
  'speaker_differs',
  /** Said by a model alone: the messages tell a detail differently. */
  'told_otherwise',
] as const;
export type StatementReason = (typeof STATEMENT_REASONS)[number];

/** A passage of a message: `message` is its index, offsets are UTF-16 units into its text. */
export interface StatementSource extends Span {
  readonly message: number;
}

/** What was found of a statement. Offsets are UTF-16 units into the summary's text. */
export interface StatementFinding extends Span {
  readonly reason: StatementReason;
  /** The passages that speak of it, the closest first. */
  readonly sources: readonly StatementSource[];
  /** What the messages say in place of a wrong detail, in a model's words. */
  readonly instead?: string;
  /** True where a model was asked and gave no verdict that holds: this is what code found. */
  readonly isByCode?: boolean;
}
