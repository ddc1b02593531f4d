import * as v from 'valibot';
import { aKeyEventId, aMessageId, count, finite, type Read } from './fields.ts';

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

/** How much it would hurt to lose: 3 lasting, 2 useful for the next tens of messages. Less is no key event. */
export type Importance = 2 | 3;

/** Kinds that stop to matter once they are resolved, superseded or old. */
const TRANSIENT: ReadonlySet<KeyEventKind> = new Set(['todo', 'error', 'outcome']);
export const isTransient = (kind: KeyEventKind): boolean => TRANSIENT.has(kind);

/** What an event's importance is where only its kind is known: journals before it was recorded, claims of a model. */
const importanceOfKind = (kind: KeyEventKind): Importance =>
  kind === 'decision' || kind === 'constraint' || kind === 'preference' ? 3 : 2;

/** active: sent verbatim; superseded by a later one; merged into a near-duplicate; dropped for want of room. */
export const statusSchema = v.picklist(['active', 'superseded', 'merged', 'dropped']);

/** A stretch of a text in UTF-16 units, `end` exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A byte-exact quote: `text.slice(start, end)` of the message's text. Offsets are UTF-16 units. */
const quoted = { start: count, end: count, quote: v.string() };

/** What the user says an event is: another kind, more or fewer of its message's words. */
export const correctionSchema = v.object({ ...quoted, kind: v.picklist(KEY_EVENT_KINDS) });
export type EventCorrection = Read<typeof correctionSchema>;

const detected = {
  ...correctionSchema.entries,
  /** 0…1: how sure the detector is. Ranks events of one importance. */
  score: finite,
  importance: v.optional(v.picklist([2, 3])),
  /** The rule or feature that matched, for a person to read. */
  reason: v.string(),
  /** The author of the message repeats somebody else's words: a paste, a quote, a document. */
  quoted: v.optional(v.boolean()),
};

/** Journals of versions before 0.2 hold no importance. */
const withImportance = <Event extends { readonly kind: KeyEventKind; readonly importance?: Importance | undefined }>(
  event: Event,
): Event & { readonly importance: Importance } => ({
  ...event,
  importance: event.importance ?? importanceOfKind(event.kind),
});

const detectedSchema = v.pipe(v.object(detected), v.transform(withImportance));
/** A span that must survive verbatim, as found in one message's text. */
export type DetectedEvent = Read<typeof detectedSchema>;

/** An entry of a session's ledger. */
export const keyEventSchema = v.pipe(
  v.object({
    ...detected,
    id: aKeyEventId,
    message: aMessageId,
    status: statusSchema,
    pinned: v.boolean(),
    /** The entry that superseded or absorbed this one, or the fix of an error. */
    link: v.optional(aKeyEventId),
    /** What was found, where the user has since said otherwise: taking the correction back restores it. */
    found: v.optional(detectedSchema),
    /** The proposal that a short assent ("yes, do A") refers to, quoted from the message before. */
    about: v.optional(v.object({ ...quoted, message: aMessageId })),
  }),
  v.transform(withImportance),
);
export type KeyEvent = Read<typeof keyEventSchema>;
