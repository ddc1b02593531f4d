import * as v from 'valibot';
import { keyEventIdSchema, messageIdSchema, countSchema, finiteSchema, type ReadonlyOutput } from './field-schemas.ts';

export const KEY_EVENT_KINDS = [
  'decision',
  'error',
  'preference',
  'constraint',
  'configuration',
  'fact',
  'todo',
  'outcome',
] as const;
export type KeyEventKind = (typeof KEY_EVENT_KINDS)[number];

/** How long a key event matters. 3: lasting; 2: for the next tens of messages. Anything less isn't a key event. */
export type Importance = 2 | 3;

/** Kinds that lose their relevance once they are resolved, superseded, or old. */
const TRANSIENT: ReadonlySet<KeyEventKind> = new Set(['todo', 'error', 'outcome']);
export const isTransient = (kind: KeyEventKind): boolean => TRANSIENT.has(kind);

/** The importance of stored events that lack one. */
const importanceOfKind = (kind: KeyEventKind): Importance =>
  kind === 'decision' || kind === 'constraint' || kind === 'preference' ? 3 : 2;

/** Sent verbatim (`active`), superseded by a later one, merged into a near-duplicate, or dropped for lack of room. */
export const statusSchema = v.picklist(['active', 'superseded', 'merged', 'dropped']);

/** A range of a text in UTF-16 units; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A verbatim quote: `text.slice(start, end)` of the message's text, in UTF-16 units. */
const quoteFields = { start: countSchema, end: countSchema, quote: v.string() };

/** A user's correction of an event: another kind, or another range of the message. */
export const correctionSchema = v.object({ ...quoteFields, kind: v.picklist(KEY_EVENT_KINDS) });
export type EventCorrection = ReadonlyOutput<typeof correctionSchema>;

const detected = {
  ...correctionSchema.entries,
  /** The detector's confidence, 0…1. Ranks events of the same importance. */
  score: finiteSchema,
  importance: v.optional(v.picklist([2, 3])),
  /** The matching rule or feature, to show to users. */
  reason: v.string(),
  /** The message's author didn't write these words: they were pasted or quoted, or are part of a document. */
  quoted: v.optional(v.boolean()),
  /** The speaker named by a label, such as "Ana:", before the quote on its line. */
  speaker: v.optional(v.string()),
};

/** Adds the importance, which journals of preview versions don't have. */
const withImportance = <Event extends { readonly kind: KeyEventKind; readonly importance?: Importance | undefined }>(
  event: Event,
): Event & { readonly importance: Importance } => ({
  ...event,
  importance: event.importance ?? importanceOfKind(event.kind),
});

const detectedSchema = v.pipe(v.object(detected), v.transform(withImportance));
/** A span of a message that must stay verbatim. */
export type DetectedEvent = ReadonlyOutput<typeof detectedSchema>;

/** An entry of a session's ledger. */
export const keyEventSchema = v.pipe(
  v.object({
    ...detected,
    id: keyEventIdSchema,
    message: messageIdSchema,
    status: statusSchema,
    pinned: v.boolean(),
    /** The entry that superseded or absorbed this one, or the fix of an error. */
    link: v.optional(keyEventIdSchema),
    /** The detected event before the user's correction, which removing the correction restores. */
    found: v.optional(detectedSchema),
    /** The proposal that a short agreement ("yes, do A") refers to, quoted from the previous message. */
    about: v.optional(v.object({ ...quoteFields, message: messageIdSchema })),
    /** How likely its message's summary says it, 0…1, if a model read it (see `summarizedShares`). */
    summarized: v.optional(finiteSchema),
  }),
  v.transform(withImportance),
);
export type KeyEvent = ReadonlyOutput<typeof keyEventSchema>;
