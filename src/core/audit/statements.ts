import type { Span } from '../model/key-event.ts';
import type { Message } from '../model/message.ts';
import { closedValues, saysOpposite } from './closed-words.ts';
import { Quantities } from './quantities.ts';
import { findQuotes } from './quotes.ts';
import { SentenceIndex, statementsOf, type SourceSentence, type StatementSource } from './sentence-index.ts';
import { clausesOf, isDenied, isNegated, speakerOf, withoutSpeaker } from './statement-cues.ts';
import { mentions, wordOf, type Mentions } from './statement-words.ts';
import { exchangesWord } from './substitution.ts';
import { opposedTo } from './synonyms.ts';

/** Why a statement is held to be supported or not. */
export type StatementReason =
  | 'supported'
  | 'no_source'
  | 'unknown_quote'
  | 'number_differs'
  | 'name_differs'
  | 'negation_differs'
  | 'speaker_differs';

/** A statement of a summary, with where it is said. Offsets are UTF-16 units into the summary. */
export interface CheckedStatement extends Span {
  readonly text: string;
  readonly supported: boolean;
  /** The passages that speak of it, the closest first. */
  readonly sources: readonly StatementSource[];
  readonly reason: StatementReason;
}

/** Share of a statement's words (by weight) that its sources must hold. */
const SUPPORTED_SHARE = 0.45;

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
  const [amounts, theirs] = [new Quantities(text), new Quantities(near)];
  const known = amounts.heldBy(theirs);
  const there = closedValues(near);
  const lacksNumber = (number: string): boolean => !words.has(number) && !there.has(number) && !known.has(number);
  if ([...said.numbers, ...closedValues(text)].some(lacksNumber) || amounts.differsFrom(theirs))
    return judged('number_differs');
  for (const name of said.names) if (!words.has(name)) return judged('name_differs');
  if (strays(text, said, index)) return judged('name_differs');
  if (share < SUPPORTED_SHARE) return judged('no_source');
  if (exchangesWord(withoutSpeaker(text), near, isTelling) || (opensWithStranger(text, index) && share >= CLOSE_SHARE))
    return judged('name_differs');
  if (saysOpposite(text, near) || meansOpposite(text, said.words, words, closest)) return judged('negation_differs');
  if (denialDiffers(text, sources)) return judged('negation_differs');
  const speaker = speakerOf(text);
  if (speaker && closest.every(({ role }) => (role === 'user' ? 'user' : 'assistant') !== speaker)) {
    return judged('speaker_differs');
  }
  return judged('supported');
}

/** Whether a name is told of what is said elsewhere, of others: nothing else that is said here stands beside it. */
function strays(text: string, { words, names }: Mentions, index: SentenceIndex): boolean {
  const first = /^\p{Lu}\p{L}{2,}(?= )/u.exec(text)?.[0] ?? '';
  const opening = wordOf('name', first);
  const all = opening !== undefined && index.isName(opening, first) ? [...names, opening] : [...names];
  return all.some((name) => {
    const others = [...words].filter((word) => word !== name && index.knows(word));
    return others.length > 1 && !index.standsWith(name, others);
  });
}

/** Whether a word is said of which the closest sentences have the opposite, and nothing near them has the word. */
function meansOpposite(
  text: string,
  said: ReadonlySet<string>,
  near: ReadonlySet<string>,
  closest: readonly SourceSentence[],
): boolean {
  const negated = isNegated(text);
  return [...said].some((word) => {
    if (near.has(word)) return false;
    const opposed = opposedTo(word).filter((other) => !said.has(other));
    return closest.some(
      (source) => opposed.some((other) => source.words.has(other)) && isNegated(source.text) === negated,
    );
  });
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
