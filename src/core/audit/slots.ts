import { plain } from './closed-words.ts';

/** Words, numbers and names in code, and single characters of scripts without spaces. */
const EACH_WORD = /[\u3041-\u30ff\u3400-\u9fff]|[\p{L}\p{N}_](?:[\p{L}\p{N}_./\\:'’-]*[\p{L}\p{N}_])?/gu;
/** The second neighbour on a side counts so much, the first 1. */
const SECOND = 0.5;

/** A text's words, small ones too, in order. */
export interface WordsInOrder {
  readonly words: readonly string[];
  readonly starts: readonly number[];
  readonly all: ReadonlySet<string>;
}

export function wordsInOrder(text: string): WordsInOrder {
  const words: string[] = [];
  const starts: number[] = [];
  for (const match of plain(text).matchAll(EACH_WORD)) {
    words.push(match[0]);
    starts.push(match.index);
  }
  return { words, starts, all: new Set(words) };
}

/** How many of a word's neighbours (0…3) stand around the same word in a sentence, and around another in its place. */
export interface Slot {
  readonly own: number;
  readonly other: number;
}

/** Looks for the place of the statement's word that starts at `start` in a sentence. */
export function slotOf(said: WordsInOrder, start: number, sentence: string): Slot {
  const place = said.starts.findLastIndex((at) => at <= start + 1);
  const word = said.words[place];
  if (word === undefined) return { own: 0, other: 0 };
  const { words } = wordsInOrder(sentence);
  const onSide = (at: number, step: 1 | -1): number => {
    const first = said.words[place + step];
    if (first === undefined || words[at + step] !== first) return 0;
    const second = said.words[place + 2 * step];
    return second !== undefined && words[at + 2 * step] === second ? 1 + SECOND : 1;
  };
  let own = 0;
  let other = 0;
  for (const [at, there] of words.entries()) {
    if (there === word) own = Math.max(own, onSide(at, 1) + onSide(at, -1));
    else if (!said.all.has(there)) other = Math.max(other, onSide(at, 1) + onSide(at, -1));
  }
  return { own, other };
}
