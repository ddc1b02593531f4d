import type { MessageId, NodeId } from './ids.ts';
import type { Span } from './key-event.ts';
import type { StatementFinding } from './statement.ts';

/** Levels of detail: brief at most 10 %, detailed at most 30 %, full at most 70 % of the source's tokens. */
export type Level = 'brief' | 'detailed' | 'full';

/** How a summary was made: by the model, its retry, a shorter prompt, extracted without a model, truncated, or by the user. */
export type Rung = 'model' | 'retry' | 'tight' | 'extractive' | 'cut' | 'edited';

/** Lists of a structured summary; which of them are asked for is the preset's to say. */
export const SUMMARY_LISTS = [
  'topics',
  'people',
  'intents',
  'preferences',
  'constraints',
  'facts',
  'guidance',
  'failedAttempts',
  'files',
  'places',
  'inventory',
  'quests',
  'conditions',
  'discoveries',
  'openSteps',
  'outcomes',
] as const;
export type SummaryList = (typeof SUMMARY_LISTS)[number];
export type SummaryField = SummaryList | 'decisions' | 'errors';

/** What a summary holds, in the session's own language. */
export interface StructuredSummary extends Readonly<Partial<Record<SummaryList, readonly string[]>>> {
  readonly decisions: readonly { readonly what: string; readonly why?: string; readonly when?: string }[];
  readonly errors: readonly { readonly what: string; readonly solution?: string }[];
  readonly narrative: string;
}

/** A structured summary that is running text alone. */
export const proseSummary = (narrative: string): StructuredSummary => ({
  decisions: [],
  errors: [],
  narrative: narrative.trim(),
});

/** Something the audit found: `text` is the identifier, number, quote or section it is about. */
export interface AuditFault {
  readonly kind:
    | 'empty'
    | 'grew'
    | 'missing_section'
    | 'unknown_quote'
    | 'unknown_identifier'
    | 'unknown_event'
    | 'not_json'
    | 'refused';
  readonly text: string;
}

/** What a model found of a statement of a summary, with the passages that speak of it. Offsets are UTF-16 units. */
export interface CheckedSpan extends Omit<StatementFinding, 'sources'> {
  readonly sources: readonly (Span & { readonly message: MessageId })[];
}

/** What a model found of a summary's statements, at one level. */
export interface SummaryCheck {
  readonly level: Level;
  /** `provider/model`. */
  readonly model: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly statements: readonly CheckedSpan[];
}

/** How far a summary can be trusted. `score` is 0…1; counts are of identifiers and quotes found in the source. */
export interface Audit {
  readonly score: number;
  readonly identifiers: { readonly known: number; readonly total: number };
  readonly quotes: { readonly known: number; readonly total: number };
  /** Key events that the model named: how many of their quotes are its source's. The others were dropped. */
  readonly events?: { readonly known: number; readonly total: number };
  readonly faults: readonly AuditFault[];
}

/** Of a text in the source's own words: all that is in it stands there. */
export const VERBATIM: Audit = {
  score: 1,
  identifiers: { known: 0, total: 0 },
  quotes: { known: 0, total: 0 },
  faults: [],
};

/**
 * What stands for a run of messages. It covers the chain of parents from `last` up to `first`, so it belongs to
 * every branch on which `last` lies. A leaf (depth 0) has no children; a parent covers exactly what its children cover.
 * Token figures include each text's framing as one message.
 */
export interface SummaryNode {
  readonly id: NodeId;
  readonly depth: number;
  readonly first: MessageId;
  readonly last: MessageId;
  /** How many messages it covers. */
  readonly messages: number;
  readonly children: readonly NodeId[];
  readonly title: string;
  readonly brief: string;
  readonly detailed: string;
  readonly full?: string;
  readonly structured?: StructuredSummary;
  readonly tokens: {
    readonly source: number;
    readonly brief: number;
    readonly detailed: number;
    readonly full?: number;
  };
  readonly rung: Rung;
  /** `provider/model`, or `local`. */
  readonly model: string;
  readonly promptVersion: string;
  /** Hash of the covered text: a summary is never made twice from the same text and prompt. */
  readonly sourceHash: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly audit: Audit;
}

/** Whether two readings of a session have a summary with the same texts; a session that is read again has new objects. */
export const isSameSummary = (a: SummaryNode | undefined, b: SummaryNode | undefined): boolean =>
  a === b || (a?.id === b?.id && a?.brief === b?.brief && a?.detailed === b?.detailed && a?.full === b?.full);
