import * as v from 'valibot';
import { aMessageId, amount, aNodeId, count, finite, list, time, type Read } from './fields.ts';
import { STATEMENT_REASONS, type StatementReason } from './statement.ts';

/** Levels of detail: brief at most 10 %, detailed at most 30 %, full at most 70 % of the source's tokens. */
export const levelSchema = v.picklist(['brief', 'detailed', 'full']);
export type Level = Read<typeof levelSchema>;

/** How a summary was made: by the model, its retry, a shorter prompt, extracted without a model, truncated, or by the user. */
const rung = v.picklist(['model', 'retry', 'tight', 'extractive', 'cut', 'edited']);
export type Rung = Read<typeof rung>;

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
const structuredSummary = v.object({
  ...v.entriesFromList(SUMMARY_LISTS, v.optional(list(v.string()))),
  decisions: list(v.object({ what: v.string(), why: v.optional(v.string()), when: v.optional(v.string()) })),
  errors: list(v.object({ what: v.string(), solution: v.optional(v.string()) })),
  narrative: v.string(),
});
export type StructuredSummary = Read<typeof structuredSummary>;

/** A structured summary that is running text alone. */
export const proseSummary = (narrative: string): StructuredSummary => ({
  decisions: [],
  errors: [],
  narrative: narrative.trim(),
});

/** Something the audit found: `text` is the identifier, number, quote or section it is about. */
const auditFault = v.object({
  kind: v.picklist([
    'empty',
    'grew',
    'missing_section',
    'unknown_quote',
    'unknown_identifier',
    'unknown_event',
    'not_json',
    'refused',
  ]),
  text: v.string(),
});
export type AuditFault = Read<typeof auditFault>;

const share = v.object({ known: count, total: count });

/** How far a summary can be trusted. `score` is 0…1; counts are of identifiers and quotes found in the source. */
const audit = v.object({
  score: finite,
  identifiers: share,
  quotes: share,
  /** Key events that the model named: how many of their quotes are its source's. The others were dropped. */
  events: v.optional(share),
  faults: list(auditFault),
});
export type Audit = Read<typeof audit>;

/** What a summary names that its messages do not. Other faults are of its form. */
export const missingFromSource = ({ faults }: Audit): string[] =>
  faults.filter(({ kind }) => kind.startsWith('unknown_')).map(({ text }) => text);

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
export const summaryNodeSchema = v.object({
  id: aNodeId,
  depth: count,
  first: aMessageId,
  last: aMessageId,
  /** How many messages it covers. */
  messages: count,
  children: list(aNodeId),
  /** Nodes that stood in for it, or for its neighbours, until a model had read their messages; left out: none. */
  replaces: v.optional(list(aNodeId)),
  title: v.string(),
  brief: v.string(),
  detailed: v.string(),
  full: v.optional(v.string()),
  structured: v.optional(structuredSummary),
  tokens: v.object({ source: amount, brief: amount, detailed: amount, full: v.optional(amount) }),
  rung,
  /** `provider/model`, or `local`. */
  model: v.string(),
  promptVersion: v.string(),
  /** Hash of the covered text: a summary is never made twice from the same text and prompt. */
  sourceHash: v.string(),
  at: time,
  audit,
});
export type SummaryNode = Read<typeof summaryNodeSchema>;

/** A node of which no more is known than this. */
export const nodeWith = (
  known: Pick<SummaryNode, 'id' | 'first' | 'last' | 'messages'> & Partial<SummaryNode>,
): SummaryNode => ({
  depth: 0,
  children: [],
  title: '',
  brief: '',
  detailed: '',
  tokens: { source: 0, brief: 0, detailed: 0 },
  rung: 'cut',
  model: '',
  promptVersion: '',
  sourceHash: '',
  at: 0,
  audit: VERBATIM,
  ...known,
});

/** What a model found of a summary's statements, at one level. Offsets are UTF-16 units. */
export const summaryCheckSchema = v.object({
  level: levelSchema,
  /** `provider/model`. */
  model: v.string(),
  at: time,
  statements: list(
    v.pipe(
      v.object({
        start: count,
        end: count,
        reason: v.string(),
        sources: list(v.object({ message: aMessageId, start: count, end: count })),
        missing: v.optional(list(v.string())),
        instead: v.optional(v.string()),
        isByCode: v.optional(v.boolean()),
      }),
      v.transform((one) => ({ ...one, reason: currentReason(one) })),
    ),
  ),
});

export type SummaryCheck = Read<typeof summaryCheckSchema>;
/** What a model found of a statement of a summary, with the passages that speak of it. */
export type CheckedSpan = SummaryCheck['statements'][number];

/** In version 0.1 code gave verdicts on words that stood nearby: they count no more. */
function currentReason({ reason, isByCode }: { reason: string; isByCode?: boolean | undefined }): StatementReason {
  if (reason === 'unknown_quote') return 'no_source';
  if (isByCode === true && reason === 'supported') return 'unchecked';
  return STATEMENT_REASONS.find((one) => one === reason) ?? 'unchecked';
}

/** Whether two readings of a session have a summary with the same texts; a session that is read again has new objects. */
export const isSameSummary = (a: SummaryNode | undefined, b: SummaryNode | undefined): boolean =>
  a === b || (a?.id === b?.id && a?.brief === b?.brief && a?.detailed === b?.detailed && a?.full === b?.full);
