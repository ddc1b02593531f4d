import type { KeyEventId, MessageId } from './ids.ts';

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
export const importanceOfKind = (kind: KeyEventKind): Importance =>
  kind === 'decision' || kind === 'constraint' || kind === 'preference' ? 3 : 2;

/** active: sent verbatim; superseded by a later one; merged into a near-duplicate; dropped for want of room. */
export type KeyEventStatus = 'active' | 'superseded' | 'merged' | 'dropped';

/** A byte-exact quote: `text.slice(start, end)` of the message's text. Offsets are UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A span that must survive verbatim, as found in one message's text. */
export interface DetectedEvent extends Span {
  readonly kind: KeyEventKind;
  readonly quote: string;
  /** 0…1: how sure the detector is. Ranks events of one importance. */
  readonly score: number;
  readonly importance: Importance;
  /** The rule or feature that matched, for a person to read. */
  readonly reason: string;
  /** The author of the message repeats somebody else's words: a paste, a quote, a document. */
  readonly quoted?: boolean;
}

/** What the user says an event is: another kind, more or fewer of its message's words. */
export interface EventCorrection extends Span {
  readonly kind: KeyEventKind;
  readonly quote: string;
}

/** An entry of a session's ledger. */
export interface KeyEvent extends DetectedEvent {
  readonly id: KeyEventId;
  readonly message: MessageId;
  readonly status: KeyEventStatus;
  readonly pinned: boolean;
  /** The entry that superseded or absorbed this one, or the fix of an error. */
  readonly link?: KeyEventId;
  /** What was found, where the user has since said otherwise: taking the correction back restores it. */
  readonly found?: DetectedEvent;
  /** The proposal that a short assent ("yes, do A") refers to, quoted from the message before. */
  readonly about?: {
    readonly message: MessageId;
    readonly start: number;
    readonly end: number;
    readonly quote: string;
  };
}
