import { retentionPriorityOf } from '../../core/events/ledger-budget.ts';
import { overlap, subjectOf, type Subject } from '../../core/events/subject.ts';
import type { KeyEvent } from '../../core/model/key-event.ts';
import type { Steps } from '../../core/pace/steps.ts';
import { sentencesOf } from '../../core/text/sentences.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { keyEventsOf } from './chat-events.ts';

/** Maximum number of groups, because users don't read longer lists. */
const MAX_GROUPS = 40;
/**
 * Maximum size of a merged group: its number of key events, plus `OTHER_EXCHANGE_SIZE` if it merges two exchanges. If
 * there are more than `MAX_GROUPS`, groups may be larger.
 */
const MAX_GROUP_SIZE = 6;
const OTHER_EXCHANGE_SIZE = 4;
/** Less important key events are only relevant for a short time. */
const MIN_IMPORTANCE = 2;
/** A summary contains an event if a passage has its numbers, its identifiers, and this share of its words. */
const CONTAINED_SHARE = 0.6;
const CONTAINED_SHARE_WITH_IDENTIFIERS = 0.45;
/** Like `CONTAINED_SHARE`, for later messages. They are much longer, so they share words by chance. */
const REPEATED_SHARE = 0.8;

/** A key event that a compaction dropped; `message` is an index. */
export type DroppedEvent = Omit<KeyEvent, 'message'> & { readonly message: number };

/** Key events that are shown together, from one exchange or adjacent ones. */
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
  const entries = (yield* keyEventsOf(before)).filter(
    ({ status, importance }) => status === 'active' && importance >= MIN_IMPORTANCE,
  );
  const inSummary = yield* containmentIn([summary], CONTAINED_SHARE, CONTAINED_SHARE_WITH_IDENTIFIERS);
  const laterTexts = after.filter(({ role }) => role !== 'tool').map(({ text }) => text);
  const inLaterTexts = yield* containmentIn(laterTexts, REPEATED_SHARE);
  const dropped: KeyEvent[] = [];
  for (const entry of entries) {
    if (!inSummary(entry.quote) && !inLaterTexts(entry.quote)) dropped.push(entry);
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

/** Groups the events by message, and merges adjacent groups, smallest first, while that's possible or needed. */
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

/**
 * Indexes texts by the words of their lines or sentences, and returns whether one of them contains an event's quote.
 * `share`: minimum share of the event's words in a passage; `shareWithIdentifiers`: that of events with identifiers.
 */
function* containmentIn(
  texts: readonly string[],
  share: number,
  shareWithIdentifiers = share,
): Steps<(quote: string) => boolean> {
  const passages: Passage[] = [];
  const byToken = new Map<string, number[]>();
  const normals: string[] = [];
  for (const text of texts)
    for (const line of text.split('\n')) {
      const spans = line.length <= MAX_PASSAGE_UNITS ? [{ start: 0, end: line.length }] : sentencesOf(line);
      for (const { start, end } of spans) {
        const { tokens, values, normal } = passageOf(line.slice(start, end));
        for (const token of tokens) {
          const places = byToken.get(token);
          if (places) places.push(passages.length);
          else byToken.set(token, [passages.length]);
        }
        passages.push({ tokens, values });
        normals.push(normal);
      }
      yield;
    }
  const whole = ` ${normals.join(' ')} `;
  return (quote) => {
    const quoted = subjectOf(quote);
    if (quoted.normal === '' || whole.includes(` ${quoted.normal} `)) return true;
    const identifiers = identifiersIn(quote);
    const needed = (identifiers.size > 0 ? shareWithIdentifiers : share) * quoted.tokens.size;
    // A passage with enough of the words contains at least one of the rarest ones, so the others aren't compared.
    const rarest = Array.from(quoted.tokens, (token) => byToken.get(token) ?? [])
      .sort((a, b) => a.length - b.length)
      .slice(0, quoted.tokens.size - Math.ceil(needed) + 1);
    return [...new Set(rarest.flat())].some((place) => {
      const { tokens, values } = passages[place]!;
      if (overlap(quoted.values, values) < quoted.values.size || overlap(identifiers, tokens) < identifiers.size)
        return false;
      return overlap(quoted.tokens, tokens) >= needed;
    });
  };
}

/** The words of a passage. `subjectOf` only reads the first words of a text, so it's called for pieces. */
function passageOf(passage: string): Passage & Pick<Subject, 'normal'> {
  const subjects: Subject[] = [];
  for (let from = 0; from < passage.length;) {
    const space = passage.length - from > PIECE_UNITS ? passage.lastIndexOf(' ', from + PIECE_UNITS) : -1;
    const to = space > from ? space : Math.min(passage.length, from + PIECE_UNITS);
    subjects.push(subjectOf(passage.slice(from, to)));
    from = to;
  }
  return {
    tokens: new Set(subjects.flatMap(({ tokens }) => [...tokens])),
    values: new Set(subjects.flatMap(({ values }) => [...values])),
    normal: subjects.map(({ normal }) => normal).join(' '),
  };
}

/** Identifiers, paths, and flags in a quote, in normalized form. */
function identifiersIn(quote: string): ReadonlySet<string> {
  const names = quote.match(/[\p{L}\p{N}_]+(?:[.\-/'@:][\p{L}\p{N}_]+)*/gu) ?? [];
  const identifiers = names.filter((name) => /[_/@:.]|\p{Ll}\p{Lu}|\p{L}\p{N}/u.test(name));
  return new Set(identifiers.flatMap((name) => [...subjectOf(name).tokens]));
}
