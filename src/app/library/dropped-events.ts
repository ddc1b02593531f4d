import { retentionPriorityOf } from '../../core/events/ledger-budget.ts';
import { overlap, subjectOf, type Subject } from '../../core/events/subject.ts';
import { messageId } from '../../core/model/ids.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { Steps } from '../../core/pace/steps.ts';
import { sentencesOf } from '../../core/text/sentences.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { keyEventsOf } from './chat-events.ts';

/** Maximum number of groups, because users don't read longer lists. */
const MAX_GROUPS = 40;
/** Maximum size of a merged group: its number of key events, plus `OTHER_EXCHANGE_SIZE` if it merges two exchanges. */
const MAX_GROUP_SIZE = 6;
const OTHER_EXCHANGE_SIZE = 4;
/** Less important key events are only relevant for a short time. */
const MIN_IMPORTANCE = 2;
/** A summary contains an event if a passage has its numbers, its identifiers, and this share of its words. */
const CONTAINED_SHARE = 0.6;
const CONTAINED_SHARE_WITH_NAMES = 0.45;
/** Like `CONTAINED_SHARE`, for later messages. They are much longer, so they share words by chance. */
const REPEATED_SHARE = 0.8;

/** A key event that a compaction dropped; `message` is an index. */
export type DroppedEvent = Omit<KeyEvent, 'message'> & { readonly message: number };

/** Key events that are shown together, of one exchange or adjacent ones. */
export interface DroppedGroup {
  /** Indexes of the first and the last of their messages. */
  readonly from: number;
  readonly to: number;
  /** The most important first. */
  readonly events: readonly DroppedEvent[];
}

/** Additional priority of a user's words, which are harder to recover than a model's. */
const USER_BONUS = 1;
/** Additional priority of kinds that stay relevant for longer. */
const LASTING_BONUS = 0.5;
const LASTING_KINDS: ReadonlySet<KeyEvent['kind']> = new Set(['decision', 'constraint', 'preference']);

/**
 * Finds the key events that a tool's own compaction dropped: the active ones of the messages before it that neither the
 * summary nor a later message contains, in at most 40 groups. The groups are sorted by their most important event.
 */
export function* droppedEvents(
  before: readonly TranscriptMessage[],
  summary: string,
  after: readonly TranscriptMessage[] = [],
): Steps<readonly DroppedGroup[]> {
  const entries = (yield* keyEventsOf(before, (index) => messageId(String(index)))).filter(
    ({ status, importance }) => status === 'active' && importance >= MIN_IMPORTANCE,
  );
  const inSummary = yield* Passages.of([summary], CONTAINED_SHARE, CONTAINED_SHARE_WITH_NAMES);
  const laterTexts = after.filter(({ role }) => role !== 'tool').map(({ text }) => text);
  const inLaterTexts = yield* Passages.of(laterTexts, REPEATED_SHARE);
  const dropped: KeyEvent[] = [];
  for (const entry of entries) {
    if (!inSummary.contain(entry.quote) && !inLaterTexts.contain(entry.quote)) dropped.push(entry);
    yield;
  }
  return rankGroups(yield* groupEvents(dropped, exchangesOf(before)), before);
}

/** Numbers the messages' exchanges. An exchange is a user's message with the messages until the next one. */
function exchangesOf(messages: readonly TranscriptMessage[]): readonly number[] {
  let exchange = 0;
  return messages.map(({ role }) => (role === 'user' ? ++exchange : exchange));
}

type Group = readonly KeyEvent[];

/** Groups the events by message, and merges adjacent groups, smallest first, as long as the result isn't too large. */
function* groupEvents(events: Group, exchanges: readonly number[]): Steps<readonly Group[]> {
  const groups: Group[] = [...Map.groupBy(events, ({ message }) => Number(message))]
    .sort(([a], [b]) => a - b)
    .map(([, events]) => events);
  const exchange = (event: KeyEvent): number => exchanges[Number(event.message)]!;
  const sizeAt = (at: number): number => {
    const [left, right] = [groups[at]!, groups[at + 1]!];
    const isSame = exchange(left.at(-1)!) === exchange(right[0]!);
    return left.length + right.length + (isSame ? 0 : OTHER_EXCHANGE_SIZE);
  };
  // The size of each group if it's merged with the next one.
  const sizes = groups.slice(1).map((_, at) => sizeAt(at));
  while (groups.length > 1) {
    let best = 0;
    for (let at = 1; at < sizes.length; at++) if (sizes[at]! < sizes[best]!) best = at;
    if (groups.length <= MAX_GROUPS && sizes[best]! > MAX_GROUP_SIZE) break;
    groups.splice(best, 2, [...groups[best]!, ...groups[best + 1]!]);
    sizes.splice(best, 1);
    for (const at of [best - 1, best]) if (at in sizes) sizes[at] = sizeAt(at);
    yield;
  }
  return groups;
}

function rankGroups(groups: readonly Group[], before: readonly TranscriptMessage[]): readonly DroppedGroup[] {
  let newerEvents = groups.reduce((sum, { length }) => sum + length, 0);
  const ratedGroups = groups.map((events) => {
    const rated = events
      .map((entry) => {
        const isOfUser = before[Number(entry.message)]?.role === 'user';
        const bonus = (isOfUser ? USER_BONUS : 0) + (LASTING_KINDS.has(entry.kind) ? LASTING_BONUS : 0);
        return {
          event: { ...entry, message: Number(entry.message) },
          priority: retentionPriorityOf(entry, --newerEvents) + bonus,
        };
      })
      .sort((a, b) => b.priority - a.priority || b.event.message - a.event.message);
    const [from, to] = [Number(events[0]!.message), Number(events.at(-1)!.message)];
    return { group: { from, to, events: rated.map(({ event }) => event) }, priority: rated[0]!.priority };
  });
  return ratedGroups.sort((a, b) => b.priority - a.priority || b.group.to - a.group.to).map(({ group }) => group);
}

/** Maximum length of a line that isn't split into sentences, in UTF-16 units. */
const MAX_PASSAGE_UNITS = 600;
/** Maximum length of the pieces whose words are extracted, in UTF-16 units. */
const PIECE_UNITS = 200;

interface Passage {
  readonly tokens: ReadonlySet<string>;
  readonly values: ReadonlySet<string>;
}

/** The lines or sentences of texts, indexed by their words. */
class Passages {
  readonly #share: number;
  readonly #shareWithNames: number;
  readonly #all: Passage[] = [];
  readonly #byToken = new Map<string, number[]>();
  #normal = '';

  private constructor(share: number, shareWithNames: number) {
    this.#share = share;
    this.#shareWithNames = shareWithNames;
  }

  /** `share`: minimum share of an event's words in a passage; `shareWithNames`: that of events with identifiers. */
  static *of(texts: readonly string[], share: number, shareWithNames = share): Steps<Passages> {
    const passages = new Passages(share, shareWithNames);
    const normals: string[] = [];
    for (const text of texts)
      for (const line of text.split('\n')) {
        const spans = line.length <= MAX_PASSAGE_UNITS ? [{ start: 0, end: line.length }] : sentencesOf(line);
        for (const { start, end } of spans) normals.push(passages.#add(line.slice(start, end)));
        yield;
      }
    passages.#normal = ` ${normals.join(' ')} `;
    return passages;
  }

  contain(quote: string): boolean {
    const sought = subjectOf(quote);
    if (sought.normal === '' || this.#normal.includes(` ${sought.normal} `)) return true;
    const names = identifiersIn(quote);
    const share = names.size > 0 ? this.#shareWithNames : this.#share;
    const needed = share * sought.tokens.size;
    // A passage with enough of the words contains at least one of the rarest ones, so the others aren't compared.
    const rarest = Array.from(sought.tokens, (token) => this.#byToken.get(token) ?? [])
      .sort((a, b) => a.length - b.length)
      .slice(0, sought.tokens.size - Math.ceil(needed) + 1);
    for (const place of new Set(rarest.flat())) {
      const { tokens, values } = this.#all[place]!;
      if (overlap(sought.values, values) < sought.values.size) continue;
      if (overlap(names, tokens) < names.size) continue;
      if (overlap(sought.tokens, tokens) >= needed) return true;
    }
    return false;
  }

  /** Adds a passage and returns its words. */
  #add(passage: string): string {
    // `subjectOf` only reads the first words of a text, so it's called for pieces.
    const subjects: Subject[] = [];
    for (let from = 0; from < passage.length;) {
      const space = passage.length - from > PIECE_UNITS ? passage.lastIndexOf(' ', from + PIECE_UNITS) : -1;
      const to = space > from ? space : Math.min(passage.length, from + PIECE_UNITS);
      subjects.push(subjectOf(passage.slice(from, to)));
      from = to;
    }
    const tokens = new Set(subjects.flatMap((one) => [...one.tokens]));
    for (const token of tokens) {
      const places = this.#byToken.get(token);
      if (places) places.push(this.#all.length);
      else this.#byToken.set(token, [this.#all.length]);
    }
    this.#all.push({ tokens, values: new Set(subjects.flatMap((one) => [...one.values])) });
    return subjects.map(({ normal }) => normal).join(' ');
  }
}

/** Identifiers, paths, and flags in a quote, in normalized form. */
function identifiersIn(quote: string): ReadonlySet<string> {
  const names = quote.match(/[\p{L}\p{N}_]+(?:[.\-/'@:][\p{L}\p{N}_]+)*/gu) ?? [];
  const identifiers = names.filter((name) => /[_/@:.]|\p{Ll}\p{Lu}|\p{L}\p{N}/u.test(name));
  return new Set(identifiers.flatMap((name) => [...subjectOf(name).tokens]));
}
