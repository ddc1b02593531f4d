import { detectSteps, type DetectedEventWithContext } from '../events/detect.ts';
import { Ledger } from '../events/ledger.ts';
import { withClaims } from '../events/model-events.ts';
import type { KeyEvent, Span } from '../model/key-event.ts';
import { messageId, type MessageId } from '../model/ids.ts';
import { messageText, type Role } from '../model/message.ts';
import { breathe } from '../pace/breather.ts';
import { resting } from '../pace/steps.ts';
import type { NamedEvent } from './leaf.ts';
import type { Pace, SourceMessage } from './source.ts';

/** A key event with the index of its message; `start` and `end` are UTF-16 offsets into the message's text. */
export interface TranscriptEvent extends Omit<KeyEvent, 'message'> {
  readonly message: number;
}

/** Finds the key events of a message. */
export type Detect = (
  message: { readonly role: Role; readonly text: string },
  before: { readonly role: Role; readonly text: string } | undefined,
) => readonly DetectedEventWithContext[];

/** What was found in each message, by index. */
export type FoundEvents = ReadonlyMap<number, readonly DetectedEventWithContext[]>;

/** The key events of all messages. Yields as it goes. */
export async function detectAll(
  messages: readonly SourceMessage[],
  detect: Detect | undefined,
  pace: Pace,
): Promise<FoundEvents> {
  const found = new Map<number, readonly DetectedEventWithContext[]>();
  let before: { readonly role: Role; readonly text: string } | undefined;
  for (const [at, message] of messages.entries()) {
    const spoken = { role: message.role, text: messageText(message) };
    const events = detect ? detect(spoken, before) : await resting(detectSteps(spoken, before ? { before } : {}), pace);
    if (events.length > 0) found.set(at, events);
    before = spoken;
    await breathe(pace);
  }
  return found;
}

/** What was found, and what a model has named beside it. */
export function withNamed(found: FoundEvents, named: readonly NamedEvent[]): FoundEvents {
  const all = new Map(found);
  for (const { at, event } of named) all.set(at, withClaims(all.get(at) ?? [], [event]));
  return all;
}

/** All entries of a ledger that has met these events in the order of their messages. Yields as it goes. */
export async function entriesOf(found: FoundEvents, pace: Pace): Promise<TranscriptEvent[]> {
  const ledger = new Ledger();
  for (const at of [...found.keys()].sort((a, b) => a - b)) {
    ledger.add(indexId(at), found.get(at) ?? [], at > 0 ? indexId(at - 1) : undefined);
    await breathe(pace);
  }
  return ledger.entries().map((entry) => ({ ...entry, message: Number(entry.message) }));
}

/** Spans of entries, by message. */
export function spansByMessage(entries: readonly KeyEvent[]): Map<number, Span[]> {
  const spans = new Map<number, Span[]>();
  for (const { message, start, end } of entries) {
    const at = Number(message);
    const known = spans.get(at);
    if (known) known.push({ start, end });
    else spans.set(at, [{ start, end }]);
  }
  return spans;
}

export const asKeyEvent = (entry: TranscriptEvent): KeyEvent => ({ ...entry, message: indexId(entry.message) });

const indexId = (at: number): MessageId => messageId(String(at));
