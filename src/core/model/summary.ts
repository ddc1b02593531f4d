import * as v from 'valibot';
import {
  messageIdSchema,
  amountSchema,
  nodeIdSchema,
  countSchema,
  finiteSchema,
  readonlyList,
  timestampSchema,
  type ReadonlyOutput,
} from './field-schemas.ts';
import { STATEMENT_REASONS, type StatementReason } from './statement-check.ts';

/**
 * Maximum cost of summarizing 1,000 messages. `default`: $0.03 for long messages and $0.01 for short ones. `economy`:
 * $0.01 for both. `thorough`: $0.03 and $0.02, and the model also merges summaries once they fill a small context
 * window, which costs 1.5 to 2.5 times as much.
 */
export const COST_TIERS = ['default', 'economy', 'thorough'] as const;
export type CostTier = (typeof COST_TIERS)[number];

/** Levels of detail: brief has at most 10%, detailed 30%, and full 70% of the source's tokens. */
export const levelSchema = v.picklist(['brief', 'detailed', 'full']);
export type Level = ReadonlyOutput<typeof levelSchema>;

/** How a summary was made: by the model, its retry, or its short form, extracted, truncated, or by the user. */
export const summaryMethodSchema = v.picklist(['model', 'retry', 'tight', 'extractive', 'cut', 'edited']);
export type SummaryMethod = ReadonlyOutput<typeof summaryMethodSchema>;

/** Lists of a structured summary. The preset determines which are requested. */
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

/** A summary's content, in the session's language. */
const structuredSummary = v.object({
  ...v.entriesFromList(SUMMARY_LISTS, v.optional(readonlyList(v.string()))),
  decisions: readonlyList(v.object({ what: v.string(), why: v.optional(v.string()), when: v.optional(v.string()) })),
  errors: readonlyList(v.object({ what: v.string(), solution: v.optional(v.string()) })),
  narrative: v.string(),
});
export type StructuredSummary = ReadonlyOutput<typeof structuredSummary>;

export const proseSummary = (narrative: string): StructuredSummary => ({
  decisions: [],
  errors: [],
  narrative: narrative.trim(),
});

/** A fault found by the audit. `text`: the identifier, number, quote, or section, or what is wrong. */
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
export type AuditFault = ReadonlyOutput<typeof auditFault>;

const knownOfTotal = v.object({ known: countSchema, total: countSchema });

/** How trustworthy a summary is; see `auditScore`. `known`: those identifiers or quotes that the source contains. */
const audit = v.object({
  score: finiteSchema,
  identifiers: knownOfTotal,
  quotes: knownOfTotal,
  /** The model's key events; `known`: those whose quote is verbatim. The others were dropped. */
  events: v.optional(knownOfTotal),
  faults: readonlyList(auditFault),
});
export type Audit = ReadonlyOutput<typeof audit>;

/** The share of a summary's identifiers and quotes that the source contains, 0…1. */
export function auditScore({ identifiers, quotes }: Pick<Audit, 'identifiers' | 'quotes'>): number {
  const total = identifiers.total + quotes.total;
  return total === 0 ? 1 : (identifiers.known + quotes.known) / total;
}

/** Identifiers, quotes, and events of a summary that its messages don't contain. Other faults are about its form. */
export const missingFromSource = ({ faults }: Audit): string[] =>
  faults.filter(({ kind }) => kind.startsWith('unknown_')).map(({ text }) => text);

/** The audit after an edit, without the faults that the edit removed from the text. */
export function auditAfterEdit(audit: Audit, before: string, after: string): Audit {
  const removed = audit.faults.filter(
    ({ kind, text }) => kind === 'empty' || text === '' || (before.includes(text) && !after.includes(text)),
  );
  const without = ({ known, total }: Audit['quotes'], fault: AuditFault['kind']): Audit['quotes'] => ({
    known,
    total: total - removed.filter(({ kind }) => kind === fault).length,
  });
  const counts = {
    identifiers: without(audit.identifiers, 'unknown_identifier'),
    quotes: without(audit.quotes, 'unknown_quote'),
  };
  const faults = audit.faults.filter((fault) => !removed.includes(fault));
  return { ...audit, ...counts, score: auditScore(counts), faults };
}

/** The audit of a text that only quotes the source. */
export const VERBATIM: Audit = {
  score: 1,
  identifiers: { known: 0, total: 0 },
  quotes: { known: 0, total: 0 },
  faults: [],
};

/** The audit of an extracted summary that stands in for one by `model`, which refused or returned no summary. */
export const unansweredBy = (model: string): Audit => ({ ...VERBATIM, faults: [{ kind: 'empty', text: model }] });

/**
 * Replaces consecutive messages: the chain of parents from `last` to `first`, so it belongs to every branch that
 * contains `last`. A leaf (depth 0) has no children; a parent covers exactly the messages of its children. Token counts
 * include each text's framing.
 */
export const summaryNodeSchema = v.object({
  id: nodeIdSchema,
  depth: countSchema,
  first: messageIdSchema,
  last: messageIdSchema,
  messages: countSchema,
  children: readonlyList(nodeIdSchema),
  /** Provisional, extracted summaries of the same messages that this model-written one replaces. Default: none. */
  replaces: v.optional(readonlyList(nodeIdSchema)),
  /** Its messages were lost with the journal. Those in the session only mark their places. */
  isLost: v.optional(v.literal(true)),
  title: v.string(),
  brief: v.string(),
  detailed: v.string(),
  full: v.optional(v.string()),
  structured: v.optional(structuredSummary),
  tokens: v.object({
    source: amountSchema,
    brief: amountSchema,
    detailed: amountSchema,
    full: v.optional(amountSchema),
  }),
  /** How it was made. Called a rung, as on a ladder of fallbacks, in journals and in the command line's output. */
  rung: summaryMethodSchema,
  /** `provider/model`, or `local`. */
  model: v.string(),
  promptVersion: v.string(),
  /** Hash of the covered text, so that the same text is never summarized twice with the same prompt. */
  sourceHash: v.string(),
  at: timestampSchema,
  audit,
});
export type SummaryNode = ReadonlyOutput<typeof summaryNodeSchema>;

/** A node with defaults for everything that isn't given. */
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

/** A model's check of a summary at one level. Offsets are in UTF-16 units. */
export const summaryCheckSchema = v.object({
  level: levelSchema,
  /** `provider/model`. */
  model: v.string(),
  at: timestampSchema,
  statements: readonlyList(
    v.pipe(
      v.object({
        start: countSchema,
        end: countSchema,
        reason: v.string(),
        sources: readonlyList(v.object({ message: messageIdSchema, start: countSchema, end: countSchema })),
        missing: v.optional(readonlyList(v.string())),
        instead: v.optional(v.string()),
        isByCode: v.optional(v.boolean()),
      }),
      v.transform((one) => ({ ...one, reason: currentReason(one) })),
    ),
  ),
});

export type SummaryCheck = ReadonlyOutput<typeof summaryCheckSchema>;
/** A checked statement of a summary, with the passages that support or contradict it. */
export type CheckedSpan = SummaryCheck['statements'][number];

/** Preview versions stored other reasons, and `supported` also for checks without a model, which don't count anymore. */
function currentReason({ reason, isByCode }: { reason: string; isByCode?: boolean | undefined }): StatementReason {
  if (reason === 'unknown_quote') return 'no_source';
  if (isByCode === true && reason === 'supported') return 'unchecked';
  return STATEMENT_REASONS.find((one) => one === reason) ?? 'unchecked';
}

/** Compares texts, because reading a session again creates new objects. */
export const isSameSummary = (a: SummaryNode | undefined, b: SummaryNode | undefined): boolean =>
  a === b || (a?.id === b?.id && a?.brief === b?.brief && a?.detailed === b?.detailed && a?.full === b?.full);
