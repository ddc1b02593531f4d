import type { Span } from '../model/key-event.ts';
import { isLocalReply, messageText, type Role } from '../model/message.ts';
import { isProse, newPassage, PassageCutter, type Passage } from './passages.ts';
import { speakerBefore } from '../text/speakers.ts';
import { isSmallTalk, withoutStageDirections } from '../text/small-talk.ts';
import { isToolResult, type SourceMessage } from './source-message.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { isRunningText, lineShape, termKey, termsOf, type TermKind } from '../text/terms.ts';
import { blankTerminalCodes } from '../text/terminal-codes.ts';

/** A passage with its terms, each once, as indexes into the corpus's vocabulary. */
export interface IndexedPassage extends Passage {
  readonly terms: readonly number[];
}

export interface Term {
  /** In lower case if it's a name. */
  readonly name: string;
  readonly kind: TermKind;
  /** Number of messages that mention it. */
  messages: number;
  /** The same, weighted by speaker. */
  mentions: number;
  lastMessage: number;
  /** Whether it occurs capitalized within a sentence. Only set in chats of short messages. */
  isName: boolean;
  /** Whether it occurs in lower case. Only set in chats of short messages. */
  isWord: boolean;
}

/** Messages cut into passages, with a vocabulary. The extractive summarizer and the summarizer input select from it. */
export interface Corpus {
  /** With blanks in place of terminal control sequences. */
  readonly texts: readonly string[];
  readonly roles: readonly Role[];
  readonly passages: readonly IndexedPassage[];
  readonly terms: readonly Term[];
  /** A term's index by its text; names in lower case. */
  readonly vocabulary: ReadonlyMap<string, number>;
  /** The index of each message's first passage, plus one entry for the end. */
  readonly firstOf: readonly number[];
  /** The weight of each term when it's first mentioned. */
  readonly termWeights: Float64Array;
  /** How rare each term is: 1 if one message mentions it, 0 if all do. */
  readonly rarity: Float64Array;
  /** Whether it's a conversation of short messages, in which statements are more informative than questions. */
  readonly isShortChat: boolean;
  /** A cache of each passage's tokens (0: not counted yet), because the same passages are used for many budgets. */
  readonly passageTokens: Int32Array;
}

/** In UTF-16 units. Longer terms are data. */
const MAX_TERM_LENGTH = 120;

/**
 * Cuts messages into passages and indexes their terms. Of repeated lines only the newest is kept. Linear.
 *
 * @param wanted spans, by message, that are always included
 * @param takesAll whether to include lines of listings
 * @param removed spans, by message, that are excluded
 */
export async function buildCorpus(
  messages: readonly SourceMessage[],
  pace: CancellableYielder,
  wanted?: ReadonlyMap<number, readonly Span[]>,
  takesAll = false,
  removed?: ReadonlyMap<number, readonly Span[]>,
): Promise<Corpus> {
  const texts: string[] = [];
  const roles: Role[] = [];
  const cut: Passage[] = [];
  const isShort = isShortChat(messages);
  for (const [position, message] of messages.entries()) {
    const text = isLocalReply(message) ? '' : blankTerminalCodes(messageText(message));
    texts.push(text);
    roles.push(isToolResult(message) ? 'tool' : message.role);
    let ofMessage = await new PassageCutter(message, text, position, takesAll, isShort).cut(pace);
    const spans = wanted?.get(position);
    if (spans && text !== '') ofMessage = withSpans(ofMessage, spans, text, position, message.role);
    if (isShort && !takesAll) ofMessage = ofMessage.flatMap(withoutSmallTalk);
    const removedHere = removed?.get(position);
    if (removedHere) ofMessage = ofMessage.flatMap((one) => withoutSpans(one, removedHere, text));
    // A message may have more passages than a call can have arguments.
    for (const one of ofMessage) cut.push(one);
    if (pace.isDue(200)) await pace.yield();
  }
  const distinct = await dropRepeats(cut, pace);
  const vocabulary = new Map<string, number>();
  const terms: Term[] = [];
  const passages: IndexedPassage[] = [];
  for (const passage of distinct) {
    const { text } = passage;
    const role = roles[passage.message]!;
    const termIndexes: number[] = [];
    for (const place of termsOf(text)) {
      const { kind, start, end } = place;
      if (end - start > MAX_TERM_LENGTH || (kind === 'word' && end - start < 3 && text.charCodeAt(start) < 0x2e80))
        continue;
      const key = termKey(place, text);
      let index = vocabulary.get(key);
      if (index === undefined) {
        index = terms.length;
        vocabulary.set(key, index);
        terms.push({ name: key, kind, messages: 0, mentions: 0, lastMessage: -1, isName: false, isWord: false });
      }
      const term = terms[index]!;
      if (isShort) {
        if (/^\p{Ll}/u.test(text.slice(start, start + 2))) term.isWord = true;
        else if (kind === 'name' && /[\p{Ll},] $/u.test(text.slice(Math.max(0, start - 2), start))) term.isName = true;
      }
      if (term.lastMessage === passage.message) {
        if (!termIndexes.includes(index)) termIndexes.push(index);
        continue;
      }
      termIndexes.push(index);
      term.lastMessage = passage.message;
      term.messages++;
      const isOutput = role === 'tool' || passage.kind === 'text' || passage.kind === 'names';
      term.mentions += isOutput ? 1 : role === 'user' ? 3 : 1.5;
    }
    passages.push({ ...passage, terms: termIndexes });
    if (pace.isDue(text.length * 4)) await pace.yield();
  }
  return {
    texts,
    roles,
    passages,
    terms,
    vocabulary,
    firstOf: firstOf(passages, messages.length),
    termWeights: Float64Array.from(terms, weightOfTerm),
    rarity: Float64Array.from(terms, (term) => rarityAmong(term.messages, messages.length)),
    isShortChat: isShort,
    passageTokens: new Int32Array(passages.length),
  };
}

/** The speaker of a passage. Prose in a tool result is a user's answer to the tool. */
export function speakerOf({ roles }: Pick<Corpus, 'roles'>, { message, kind }: Passage): Role {
  const role = roles[message]!;
  return role === 'tool' && kind === 'prose' ? 'user' : role;
}

/** Average length, in UTF-16 units, below which messages without tool results are a chat of short messages. */
const MAX_SHORT_MESSAGE = 280;

function isShortChat(messages: readonly SourceMessage[]): boolean {
  let chars = 0;
  for (const message of messages) {
    if (isToolResult(message)) return false;
    chars += messageText(message).length;
  }
  return chars < MAX_SHORT_MESSAGE * messages.length;
}

export function firstOf(passages: readonly Passage[], messages: number): number[] {
  const first: number[] = [];
  for (const [index, passage] of passages.entries()) while (first.length <= passage.message) first.push(index);
  while (first.length <= messages) first.push(passages.length);
  return first;
}

export const passagesIn = ({ passages, firstOf }: Corpus, from: number, to = from): readonly IndexedPassage[] =>
  passages.slice(firstOf[from], firstOf[to + 1]);

/** How rare a text's terms are in the messages, 0…1. Rare terms weigh more; unknown terms count as 0.5. */
export function rarityOfText({ vocabulary, rarity }: Corpus, text: string): number {
  let sum = 0;
  let squares = 0;
  for (const place of termsOf(text)) {
    const term = vocabulary.get(termKey(place, text));
    const rare = term === undefined ? 0.5 : rarity[term]!;
    sum += rare;
    squares += rare * rare;
  }
  return sum === 0 ? 0 : squares / sum;
}

/** Adds a passage for each span that no passage contains. Passages that it overlaps are removed. */
function withSpans(
  passages: readonly Passage[],
  spans: readonly Span[],
  text: string,
  message: number,
  role: Role,
): readonly Passage[] {
  const isIn = (within: readonly Passage[], { start, end }: Span): boolean =>
    within.some((one) => one.start <= start && end <= one.end);
  const fitting = spans.filter(({ end }) => end <= text.length);
  const uncovered = fitting.filter((span) => !isIn(passages, span));
  if (uncovered.length === 0) return passages;
  const rest = passages.filter((one) => !uncovered.some(({ start, end }) => start < one.end && one.start < end));
  // A removed passage may have contained other spans.
  const missing = fitting.filter((span) => !isIn(rest, span));
  const added = missing
    .filter((span, at) => at === 0 || span.start >= missing[at - 1]!.end)
    .map(({ start, end }) => {
      const running = isRunningText(lineShape(text, start, end));
      const speaker = role === 'user' ? speakerBefore(text, start) : '';
      return newPassage(message, start, end, 'prose', running, text.slice(start, end), true, speaker);
    });
  return [...rest, ...added].sort((a, b) => a.start - b.start || a.end - b.end);
}

/** Removes stage directions from a passage; drops it if it's small talk. */
function withoutSmallTalk(passage: Passage): Passage[] {
  if (isSmallTalk(passage.text)) return [];
  const text = withoutStageDirections(passage.text);
  return [text.length === passage.text.length ? passage : { ...passage, text, isSlice: false }];
}

function withoutSpans(passage: Passage, spans: readonly Span[], text: string): Passage[] {
  const span = spans.find(({ start, end }) => start < passage.end && passage.start < end);
  if (!span || !passage.isSlice) return [passage];
  return [
    { start: passage.start, end: span.start },
    { start: span.end, end: passage.end },
  ].flatMap(({ start, end }) => {
    const rest = text.slice(start, Math.max(start, end));
    const from = start + rest.length - rest.trimStart().length;
    const to = start + rest.trimEnd().length;
    if (to - from < MIN_REST) return [];
    return withoutSpans({ ...passage, start: from, end: to, text: rest.trim() }, spans, text);
  });
}

/** In UTF-16 units. Shorter parts of a passage are useless by themselves. */
const MIN_REST = 12;

/** Of identical passages, keeps the newest; prose is preferred to tool output. */
async function dropRepeats(passages: readonly Passage[], pace: CancellableYielder): Promise<Passage[]> {
  const kept = new Map<string, Passage>();
  for (let at = passages.length - 1; at >= 0; at--) {
    const passage = passages[at]!;
    const newer = kept.get(passage.text);
    if (!newer || (isProse(passage) && !isProse(newer))) kept.set(passage.text, passage);
    if (pace.isDue(passage.text.length * 2)) await pace.yield();
  }
  const fresh = new Set(kept.values());
  return passages.filter((passage) => fresh.has(passage));
}

/** The weight of a term when it's first mentioned, by kind. */
const TERM_WEIGHTS: Readonly<Record<TermKind, number>> = { identifier: 3, url: 1.5, number: 0.8, name: 1.6, word: 0.4 };

/** In chats of short messages, names of people and places are the most important. Names never occur in lower case. */
const NAME_FACTOR = 4;

/** Terms count more if several messages mention them, and less if only tool output does. Words count more if rare. */
function weightOfTerm(term: Term): number {
  const factor = isNameTerm(term) ? NAME_FACTOR : 1;
  if (term.kind === 'word') return (TERM_WEIGHTS.word / term.messages) * factor;
  return TERM_WEIGHTS[term.kind] * Math.min(4, Math.log2(1 + term.mentions)) * factor;
}

/** Whether it's the name of a person or place. Always false in other conversations than chats of short messages. */
export const isNameTerm = ({ isName, isWord }: Term): boolean => isName && !isWord;

/** Inverse document frequency, scaled to 0…1 (Spärck Jones, 1972). */
const rarityAmong = (used: number, messages: number): number =>
  Math.max(0, 1 - Math.log(used) / Math.log(messages + 1));

/** Maximum number of terms to track. Beyond it, the least used ones are forgotten. */
const MAX_TERMS = 60_000;

/** Cost of counting a message's terms or looking up a term, expressed as characters read. */
const MESSAGE_CHARS = 100;
const TERM_CHARS = 2;

/**
 * The number of messages that use each term in the whole session, counted when a message is first read. A few messages
 * alone can't tell which terms are common. Bounded in size.
 */
export class TermUsage {
  private readonly used = new Map<string, number>();
  private messages = 0;
  /** The messages read last. They may be read again if a run is discarded or regenerated. */
  private lastRead: ReadonlySet<string> = new Set();

  get isEmpty(): boolean {
    return this.messages === 0;
  }

  /** Counts the terms of a corpus, except for messages that were read last. */
  async add(corpus: Corpus, messages: readonly SourceMessage[], pace: CancellableYielder): Promise<void> {
    const counts = new Int32Array(corpus.terms.length);
    const seenIn = new Int32Array(corpus.terms.length).fill(-1);
    for (const [position, { id }] of messages.entries()) {
      if (this.lastRead.has(id)) continue;
      this.messages++;
      for (const { terms } of passagesIn(corpus, position))
        for (const term of terms) {
          if (seenIn[term] !== position) counts[term]!++;
          seenIn[term] = position;
        }
      if (pace.isDue(MESSAGE_CHARS)) await pace.yield();
    }
    for (const [name, term] of corpus.vocabulary) {
      if (counts[term]! > 0) this.used.set(name, (this.used.get(name) ?? 0) + counts[term]!);
      if (pace.isDue(TERM_CHARS)) await pace.yield();
    }
    const isReadAgain = messages.some(({ id }) => this.lastRead.has(id));
    this.lastRead = new Set([...(isReadAgain ? this.lastRead : []), ...messages.map(({ id }) => id)]);
    for (let maxCount = 1; this.used.size > MAX_TERMS; maxCount++)
      for (const [name, count] of this.used) if (count <= maxCount) this.used.delete(name);
  }

  /** Returns the corpus with the rarity of each term in the whole session. */
  async withSessionRarity(corpus: Corpus, pace: CancellableYielder): Promise<Corpus> {
    if (this.messages <= corpus.texts.length) return corpus;
    const rarity = Float64Array.from(corpus.rarity);
    for (const [name, term] of corpus.vocabulary) {
      const { messages } = corpus.terms[term]!;
      rarity[term] = rarityAmong(Math.max(messages, this.used.get(name) ?? 0), this.messages);
      if (pace.isDue(TERM_CHARS)) await pace.yield();
    }
    return { ...corpus, rarity };
  }
}
