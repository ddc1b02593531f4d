import { closedValues, plain } from './closed-words.ts';
import { meansTheSame, wordOf } from './statement-words.ts';

/** Words, and single characters of scripts without spaces, in order. */
const TOKEN = /[\u3041-\u30ff\u3400-\u9fff]|[\p{L}\p{N}](?:[\p{L}\p{N}_./'’-]*[\p{L}\p{N}_])?/gu;
const IDEOGRAPH = /[\u3400-\u9fff]/;
/** A name in ideographs has at most so many characters. */
const LONGEST_NAME = 3;

/** Whether a word means something by itself. */
const isTelling = (word: string): boolean =>
  (wordOf('word', word) !== undefined && !/^[\u3041-\u30ff]$/.test(word)) || /\d/.test(word);

const tokensOf = (text: string): string[] => plain(text).match(TOKEN) ?? [];

/** The words that a text writes with a capital letter, but for one that starts it and stands elsewhere in small letters. */
function namesIn(text: string, source: string): Set<string> {
  const names = new Set<string>();
  const small = new Set(source.normalize('NFD').replace(/\p{M}/gu, '').match(TOKEN) ?? []);
  for (const [word] of text.matchAll(TOKEN))
    if (/^\p{Lu}/u.test(word) && !small.has(plain(word))) names.add(plain(word));
  return names;
}

/**
 * Whether a statement tells its source's own words with one of them exchanged: what stands on both sides of a word is
 * in the source side by side with another word between (at the statement's start or end, two words on the one side).
 */
export function exchangesWord(statement: string, source: string): boolean {
  const said = tokensOf(statement);
  const there = tokensOf(source);
  const known = new Set(there);
  const saidWords = new Set(said);
  const names = namesIn(statement, source);
  for (let at = 0; at < said.length;) {
    const word = said[at]!;
    if (known.has(word)) {
      at++;
      continue;
    }
    // A name in ideographs is several characters.
    let end = at + 1;
    if (IDEOGRAPH.test(word))
      while (end < said.length && end - at < LONGEST_NAME && IDEOGRAPH.test(said[end]!) && !known.has(said[end]!))
        end++;
    if (IDEOGRAPH.test(word) ? exchangedName(said, at, end, there) : exchanged(said, at, there, saidWords, names))
      return true;
    at = end;
  }
  return false;
}

function exchanged(
  said: readonly string[],
  at: number,
  there: readonly string[],
  saidWords: ReadonlySet<string>,
  names: ReadonlySet<string>,
): boolean {
  if (!isTelling(said[at]!)) return false;
  const before = said[at - 1];
  const after = said[at + 1];
  // Between small words of a language almost anything may stand.
  const tells = names.has(said[at]!) || closedValues(said[at]!).length > 0;
  const held = (word: string | undefined): boolean => word !== undefined && isTelling(word);
  for (let place = 0; place < there.length; place++) {
    const other = there[place]!;
    if (saidWords.has(other) || !isTelling(other) || isInflected(said[at]!, other)) continue;
    if (meansTheSame(said[at]!, other)) continue;
    const left = before !== undefined && there[place - 1] === before;
    const right = after !== undefined && there[place + 1] === after;
    if (left && right && (tells || (held(before) && held(after)))) return true;
    if (
      at === 0 &&
      right &&
      (tells || (held(after) && held(said[2]))) &&
      said[2] !== undefined &&
      there[place + 2] === said[2]
    )
      return true;
    if (
      at === said.length - 1 &&
      left &&
      (tells || (held(before) && held(said[at - 2]))) &&
      said[at - 2] !== undefined &&
      there[place - 2] === said[at - 2]
    )
      return true;
  }
  return false;
}

/** A run of ideographs that the source lacks, where the source has others before the same two characters. */
function exchangedName(said: readonly string[], from: number, to: number, there: readonly string[]): boolean {
  const next = said.slice(to, to + 2);
  const last = said.slice(Math.max(0, from - 2), from);
  for (let place = 1; place < there.length; place++) {
    const follows = next.length === 2 && there[place] === next[0] && there[place + 1] === next[1];
    const precedes =
      from === 0 ||
      (last.length === 2 &&
        there[place - LONGEST_NAME - 1] !== undefined &&
        there
          .slice(Math.max(0, place - LONGEST_NAME - 2), place)
          .join('')
          .includes(last.join('')));
    if (follows && precedes && IDEOGRAPH.test(there[place - 1]!)) return true;
  }
  return false;
}

/** Most of a word that is inflected stays: "brauchte" and "braucht", "crashed" and "crashes". */
function isInflected(one: string, other: string): boolean {
  if (/\d/.test(one) || /\d/.test(other)) return false;
  const shorter = Math.min(one.length, other.length);
  let same = 0;
  while (same < shorter && one[same] === other[same]) same++;
  return same >= LEAST_STEM && same >= shorter * STEM_SHARE;
}

const LEAST_STEM = 4;
const STEM_SHARE = 0.6;
