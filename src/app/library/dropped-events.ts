import { detectSteps } from '../../core/events/detect.ts';
import { worthOf } from '../../core/events/ledger-budget.ts';
import { Ledger } from '../../core/events/ledger.ts';
import { overlap, subjectOf, type Subject } from '../../core/events/subject.ts';
import { messageId, type MessageId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { Steps } from '../../core/pace/steps.ts';
import { sentencesOf } from '../../core/text/sentences.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';

/** A list that is longer is not read. */
const MAX_DROPPED = 40;
/** UTF-16 units that are read of a passage at most. */
const MAX_PASSAGE_UNITS = 600;
/** Below this a key event matters for the moment alone. */
const MIN_IMPORTANCE = 2;
/** A summary says something in its own words when one passage has this share of the event's words and all its numbers. */
const SAID_SHARE = 0.6;
/** Later messages are much longer than a summary and share words by chance. */
const REPEATED_SHARE = 0.8;

/** A key event that a compaction lost; `message` is an index. */
export type DroppedEvent = Omit<KeyEvent, 'message'> & { readonly message: number };

export interface DroppedEvents {
  /** The most important first, at most 40. */
  readonly events: readonly DroppedEvent[];
  /** How many there are in all. */
  readonly total: number;
}

/** What the user said is harder to come by again than what the model told of its work. */
const USER_BONUS = 1;
/** What was settled outlasts what was true at the time. */
const SETTLED_BONUS = 0.5;
const SETTLED: ReadonlySet<KeyEvent['kind']> = new Set(['decision', 'constraint', 'preference']);

/**
 * What a tool's own compaction lost: active key events of the messages before it that neither the summary nor a later
 * message contains; of equal ones the later first.
 */
export function* droppedEvents(
  before: readonly TranscriptMessage[],
  summary: string,
  after: readonly TranscriptMessage[] = [],
): Steps<DroppedEvents> {
  const entries = (yield* keyEventsOf(before, (index) => messageId(String(index)))).filter(
    ({ status, importance }) => status === 'active' && importance >= MIN_IMPORTANCE,
  );
  const told = new Passages([summary], SAID_SHARE);
  const repeated = new Passages(
    after.filter(({ role }) => role !== 'tool').map(({ text }) => text),
    REPEATED_SHARE,
  );
  yield;
  const lost: KeyEvent[] = [];
  for (const entry of entries) {
    if (!told.contain(entry.quote) && !repeated.contain(entry.quote)) lost.push(entry);
    yield;
  }
  const ranked = lost
    .map((entry, index) => {
      const isOfUser = before[Number(entry.message)]?.role === 'user';
      const bonus = (isOfUser ? USER_BONUS : 0) + (SETTLED.has(entry.kind) ? SETTLED_BONUS : 0);
      return { entry, index, worth: worthOf(entry, lost.length - 1 - index) + bonus };
    })
    .sort((a, b) => b.worth - a.worth || b.index - a.index)
    .slice(0, MAX_DROPPED);
  return { events: ranked.map(({ entry }) => ({ ...entry, message: Number(entry.message) })), total: lost.length };
}

/** The key events of messages, each under the id that `idOf` gives to its message's index. */
export function* keyEventsOf(
  messages: readonly Pick<TranscriptMessage, 'role' | 'text'>[],
  idOf: (index: number) => MessageId,
): Steps<readonly KeyEvent[]> {
  const ledger = new Ledger();
  for (const [index, message] of messages.entries()) {
    const before = messages[index - 1];
    const found = yield* detectSteps(message, before ? { before } : {});
    if (found.length > 0) ledger.add(idOf(index), found, before && idOf(index - 1));
  }
  return ledger.entries();
}

/** Lines of texts, found by the words that they hold. */
class Passages {
  readonly #share: number;
  readonly #all: Subject[] = [];
  readonly #byToken = new Map<string, number[]>();
  readonly #normal: string;

  constructor(texts: readonly string[], share: number) {
    this.#share = share;
    const normals: string[] = [];
    for (const line of texts.flatMap((text) => text.split('\n'))) {
      // A line is a passage; a long one is read sentence by sentence.
      const spans = line.length <= MAX_PASSAGE_UNITS ? [{ start: 0, end: line.length }] : sentencesOf(line);
      for (const { start, end } of spans) {
        const subject = subjectOf(line.slice(start, end));
        for (const token of subject.tokens) {
          const places = this.#byToken.get(token);
          if (places) places.push(this.#all.length);
          else this.#byToken.set(token, [this.#all.length]);
        }
        this.#all.push(subject);
        normals.push(subject.normal);
      }
    }
    this.#normal = ` ${normals.join(' ')} `;
  }

  contain(quote: string): boolean {
    const sought = subjectOf(quote);
    if (sought.normal === '' || this.#normal.includes(` ${sought.normal} `)) return true;
    const places = new Set([...sought.tokens].flatMap((token) => this.#byToken.get(token) ?? []));
    for (const place of places) {
      const passage = this.#all[place]!;
      const isSaid = overlap(sought.tokens, passage.tokens) >= this.#share * sought.tokens.size;
      if (isSaid && overlap(sought.values, passage.values) === sought.values.size) return true;
    }
    return false;
  }
}
