import type { Span } from '../model/key-event.ts';
import { messageText, type Message } from '../model/message.ts';
import { forEachTerm, type TermKind } from '../compress/terms.ts';
import { HOLLOW } from '../events/subject.ts';
import { closedValues, plain, saysOpposite } from './closed-words.ts';
import { findQuotes } from './quotes.ts';
import { clausesOf, isDenied, isNegated, speakerOf, withoutSpeaker } from './statement-cues.ts';
import { stemOf } from './stem.ts';
import { exchangesWord } from './substitution.ts';

/** Why a statement is held to be supported or not. */
export type StatementReason =
  | 'supported'
  | 'no_source'
  | 'unknown_quote'
  | 'number_differs'
  | 'name_differs'
  | 'negation_differs'
  | 'speaker_differs';

/** A passage of a message: `message` is its index, offsets are UTF-16 units into its text. */
export interface StatementSource extends Span {
  readonly message: number;
}

/** A statement of a summary, with where it is said. Offsets are UTF-16 units into the summary. */
export interface CheckedStatement extends Span {
  readonly text: string;
  readonly supported: boolean;
  /** The passages that speak of it, the closest first. */
  readonly sources: readonly StatementSource[];
  readonly reason: StatementReason;
}

/** A source sentence, with what it mentions. */
interface SourceSentence extends StatementSource {
  readonly role: string;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** Share of a statement's words (by weight) that its sources must hold. */
const SUPPORTED_SHARE = 0.55;

/** Sources named for a statement. */
const MOST_SOURCES = 3;

/** A sentence that is this much farther from the statement than the closest is no source of it. */
const NEAR = 0.5;

/** A sentence from here on is as close as the closest: who of them spoke is not told by their words. */
const NEARLY = 0.9;

/** A word that so many sentences hold tells nothing about where a statement comes from. */
const MOST_POSTINGS = 400;

/**
 * Whether the statements of a summary stand in the messages: by their words (weighted by rarity), their numbers, names
 * and identifiers, by days, months and small numbers in words, by a word exchanged among others that stay, by negation
 * and opposites, by who is said to have spoken, and by quotations. A lexical check: it finds what was changed or
 * invented, and cannot see through a paraphrase that shares no word. Linear in the messages; a statement
 * costs what its rarest words cost.
 */
export function checkStatements(
  summary: string,
  messages: readonly Pick<Message, 'role' | 'content'>[],
): { readonly statements: CheckedStatement[] } {
  const index = new SentenceIndex(messages);
  const statements = Array.from(statementsOf(summary), ({ start, end }) =>
    checkStatement(summary.slice(start, end), start, index),
  );
  return { statements };
}

function checkStatement(text: string, start: number, index: SentenceIndex): CheckedStatement {
  const said = mentions(text);
  const { share, sources, words, near, closest } = index.closest(said.words);
  const named = sources.map(({ message, start: from, end }) => ({ message, start: from, end }));
  const judged = (reason: StatementReason): CheckedStatement => ({
    text,
    start,
    end: start + text.length,
    supported: reason === 'supported',
    sources: named,
    reason,
  });
  if (said.words.size === 0) return judged('supported');
  for (const { quote } of findQuotes(text)) if (!index.holds(quote)) return judged('unknown_quote');
  if (sources.length === 0) return judged('no_source');
  for (const number of said.numbers) if (!words.has(number)) return judged('number_differs');
  for (const name of said.names) if (!words.has(name)) return judged('name_differs');
  const there = closedValues(near);
  for (const value of closedValues(text)) if (!there.has(value) && !words.has(value)) return judged('number_differs');
  if (share < SUPPORTED_SHARE) return judged('no_source');
  if (exchangesWord(withoutSpeaker(text), near, isTelling) || (opensWithStranger(text, index) && share >= CLOSE_SHARE))
    return judged('name_differs');
  if (sources.length > 0 && saysOpposite(text, near)) return judged('negation_differs');
  if (denialDiffers(text, sources)) return judged('negation_differs');
  const speaker = speakerOf(text);
  if (speaker && closest.every(({ role }) => (role === 'user' ? 'user' : 'assistant') !== speaker)) {
    return judged('speaker_differs');
  }
  return judged('supported');
}

/** Words in common from which on a name that nobody knows is one put in another's place. */
const CLOSE_SHARE = 0.62;

const isTelling = (word: string): boolean =>
  (wordOf('word', word) !== undefined && !/^[\u3041-\u30ff]$/.test(word)) || /\d/.test(word);

/** Whether a statement starts with a capitalized word that stands nowhere in the messages. */
function opensWithStranger(text: string, index: SentenceIndex): boolean {
  const first = /^\p{Lu}[\p{L}\p{N}]{2,}(?= )/u.exec(text)?.[0];
  if (first === undefined) return false;
  const word = wordOf('word', first);
  return word !== undefined && !index.knows(word);
}

/** A clause must share this much of its words with the statement's to be about the same. */
const SAME_CLAUSE = 0.5;

/** Whether the statement denies what all clauses closest to it affirm, or the other way round. */
function denialDiffers(text: string, sources: readonly SourceSentence[]): boolean {
  const theirs = sources.flatMap((source) =>
    clausesOf(source.text).map((clause) => ({
      words: mentions(clause).words,
      negated: isNegated(clause),
      denied: isDenied(clause),
    })),
  );
  for (const clause of clausesOf(text)) {
    const { words } = mentions(clause);
    const negated = isNegated(clause);
    const speaking = theirs.filter((other) => [...words].some((word) => other.words.has(word)));
    // "It did not help" says of the clause before it what a summary says in one.
    if (negated && speaking.some((other) => other.negated)) continue;
    if (!negated && words.size > 0 && deniedAlone(words, speaking)) return true;
    if (words.size < 2) continue;
    let best = Math.ceil(words.size * SAME_CLAUSE);
    let same: boolean | undefined;
    for (const other of theirs) {
      const shared = [...words].filter((word) => other.words.has(word)).length;
      if (shared < best) continue;
      if (shared > best) same = undefined;
      best = shared;
      same = (same ?? false) || other.negated === negated;
    }
    if (same === false) return true;
  }
  return false;
}

/** Whether the last thing that a statement affirms is spoken of only where it is denied. */
function deniedAlone(
  words: ReadonlySet<string>,
  speaking: readonly { readonly words: ReadonlySet<string>; readonly denied: boolean }[],
): boolean {
  const last = [...words].at(-1)!;
  const holding = speaking.filter((other) => other.words.has(last));
  return holding.length > 0 && holding.every((other) => other.denied);
}

interface Mentions {
  readonly words: ReadonlySet<string>;
  readonly numbers: ReadonlySet<string>;
  /** Identifiers, paths, URLs, and capitalized words that do not start a sentence. */
  readonly names: ReadonlySet<string>;
}

function mentions(text: string): Mentions {
  const words = new Set<string>();
  const numbers = new Set<string>();
  const names = new Set<string>();
  let first = true;
  forEachTerm(text, 0, text.length, (kind, start, end) => {
    const word = wordOf(kind, text.slice(start, end));
    const starts = first || /[.!?:]["”')]?\s+$|\n\W*$/.test(text.slice(Math.max(0, start - 4), start));
    first = false;
    if (word === undefined) return;
    words.add(word);
    if (kind === 'number') numbers.add(word);
    else if (kind === 'identifier' || kind === 'url' || (kind === 'name' && !starts)) names.add(word);
  });
  return { words, numbers, names };
}

/** The form under which a term is looked up; undefined for words too short or common to tell anything. */
function wordOf(kind: TermKind, term: string): string | undefined {
  if (kind === 'identifier' || kind === 'url') return term.toLowerCase();
  if (kind === 'number') return term.replace(/(?<=\d)[,.'’\s](?=\d{3}\b)/g, '');
  const lower = plain(term);
  if (STOP_WORDS.has(lower) || HOLLOW.has(lower)) return undefined;
  if (lower.length < 3 && lower.charCodeAt(0) < 0x2e80) return kind === 'name' ? lower : undefined;
  return stemOf(lower);
}

/** Words of a summary that stand in every text or tell of the telling, not of what is told. */
const STOP_WORDS = new Set(
  (
    'the a an and or but if then else of to in on at by for from with without into about as is are was were be been ' +
    'being has have had do does did will would shall should can could may might must not no this that these those it ' +
    'its he she they them their his her we our you your i me my who what which when where why how there here so than ' +
    'too very just also only own same such more most some any all each both few other again once user assistant ' +
    'said says asked wants wanted decided told agreed noted suggested proposed rejected preferred prefers ' +
    'usuario usuaria utilisateur utilisatrice benutzer benutzerin nutzer utente asistente assistente assistent ' +
    'pidio sugirio propuso prefiere dijo quiere pediu sugeriu propos prefere disse quer demande suggere propose prefere ' +
    'dit veut bat schlug vor mochte sagte will chiesto proposto preferisce detto vuole poder pode puo kann peut puede'
  ).split(' '),
);

/** The sentences of messages, looked up by word. */
class SentenceIndex {
  private readonly sentences: SourceSentence[] = [];
  private readonly byWord = new Map<string, number[]>();
  private readonly texts: readonly string[];

  constructor(messages: readonly Pick<Message, 'role' | 'content'>[]) {
    this.texts = messages.map(messageText);
    for (const [message, text] of this.texts.entries()) {
      for (const { start, end } of statementsOf(text)) this.add(message, messages[message]!.role, text, start, end);
    }
  }

  private add(message: number, role: string, whole: string, start: number, end: number): void {
    const words = new Set<string>();
    forEachTerm(whole, start, end, (kind, from, to) => {
      const word = wordOf(kind, whole.slice(from, to));
      if (word !== undefined) words.add(word);
    });
    if (words.size === 0) return;
    const at = this.sentences.length;
    this.sentences.push({ message, start, end, role, text: whole.slice(start, end), words });
    for (const word of words) {
      const postings = this.byWord.get(word);
      if (postings) postings.push(at);
      else this.byWord.set(word, [at]);
    }
  }

  knows(word: string): boolean {
    return this.byWord.has(word);
  }

  holds(quote: string): boolean {
    return this.texts.some((text) => text.includes(quote));
  }

  private weight(word: string): number {
    // A word that nobody says weighs as much as one that is said once: it may be a paraphrase.
    const count = Math.max(1, this.byWord.get(word)?.length ?? 1);
    return Math.log(1 + (this.sentences.length + 1) / (count + 1));
  }

  /** The sentences closest to a set of words, the share of its weight that they hold, and all words near them. */
  closest(wanted: ReadonlySet<string>): {
    share: number;
    sources: SourceSentence[];
    /** Those of the sources that are nearly as close as the closest. */
    closest: SourceSentence[];
    words: ReadonlySet<string>;
    /** What the sentences say, with those beside them. */
    near: string;
  } {
    const scores = new Map<number, number>();
    let total = 0;
    for (const word of wanted) {
      const weight = this.weight(word);
      total += weight;
      const postings = this.byWord.get(word) ?? [];
      // The newest say how things stand; older mentions of a worn word are not gone through.
      for (const at of postings.slice(-MOST_POSTINGS)) scores.set(at, (scores.get(at) ?? 0) + weight);
    }
    const ranked = [...scores].sort(([a, x], [b, y]) => y - x || b - a).slice(0, MOST_SOURCES * 4);
    const best = ranked[0]?.[1] ?? 0;
    const sources: SourceSentence[] = [];
    const closest: SourceSentence[] = [];
    const words = new Set<string>();
    const texts = new Set<string>();
    for (const [at, score] of ranked) {
      if (score < best * NEAR || sources.length >= MOST_SOURCES) break;
      sources.push(this.sentences[at]!);
      if (score >= best * NEARLY) closest.push(this.sentences[at]!);
      for (const beside of this.around(at)) {
        texts.add(beside.text);
        for (const word of beside.words) words.add(word);
      }
    }
    let held = 0;
    for (const word of wanted) if (words.has(word)) held += this.weight(word);
    return { share: total === 0 ? 0 : held / total, sources, closest, words, near: [...texts].join('\n') };
  }

  /** A sentence and those beside it in the same message, or the question that it answers: a summary joins such. */
  private *around(at: number): Generator<SourceSentence> {
    const { message } = this.sentences[at]!;
    for (const near of [at - 1, at, at + 1]) {
      const sentence = this.sentences[near];
      if (sentence === undefined) continue;
      if (sentence.message === message || (near < at && /[?？]$/.test(sentence.text))) yield sentence;
    }
  }
}

/** Longer lines of a source are taken in pieces of this length, in UTF-16 units. */
const LONGEST_LINE = 20_000;

let segmenter: Intl.Segmenter | undefined;

/** Sentences and list entries of a text, without their marks; headings that end in no full sentence count too. */
function* statementsOf(text: string): Generator<Span> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    end = Math.min(end, start + LONGEST_LINE);
    const line = text.slice(start, end);
    const lead = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/.exec(line)?.[0].length ?? 0;
    const body = line.slice(lead);
    if (body.length > SHORT_LINE) {
      for (const { index, segment } of segmenter.segment(body)) {
        const trimmed = segment.trimEnd();
        if (/[\p{L}\p{N}]/u.test(trimmed)) {
          yield { start: start + lead + index, end: start + lead + index + trimmed.length };
        }
      }
    } else if (/[\p{L}\p{N}]/u.test(body)) {
      yield { start: start + lead, end: start + lead + body.trimEnd().length };
    }
    start = end + (text.charCodeAt(end) === 10 ? 1 : 0);
  }
}

/** A line so short is one statement. */
const SHORT_LINE = 24;
