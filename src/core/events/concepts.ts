import { fold } from '../text/fold.ts';
import { isCjkUnit } from '../text/cjk.ts';
import { CONCEPTS, LEXICONS, type Concept } from './lexicon.ts';

export interface ConceptHits {
  /** Number of occurrences, by index in `CONCEPTS`. */
  readonly count: Uint8Array;
  /** Index of the word with the first occurrence, or 255. In scripts without spaces, a word is two characters. */
  readonly first: Uint8Array;
  /** 1 if the concept is at the end of the sentence, where verbs are in Japanese, Korean, and German. */
  readonly tail: Uint8Array;
  /** The text of the first match, to show to users. */
  readonly words: (string | undefined)[];
  /** Number of words, counted like `first`. */
  readonly length: number;
}

const isAsciiWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 95 || (code >= 65 && code <= 90);

/** Includes punctuation of scripts without a lexicon, such as Arabic, whose words are only counted. */
const isLetter = (code: number): boolean =>
  isAsciiWord(code) ||
  (code >= 0xc0 && code <= 0x24f && code !== 0xd7 && code !== 0xf7) ||
  (code >= 0x370 && code <= 0x1fff);

/** A node of a trie of phrases; children by UTF-16 unit. */
interface TrieNode {
  readonly next: Map<number, TrieNode>;
  /** Flags of the concepts whose phrases end here. */
  whole: number;
  /** The same for phrases after which the word may continue. */
  open: number;
}

const newTrieNode = (): TrieNode => ({ next: new Map(), whole: 0, open: 0 });

/** The trie of all lexicons. In scripts without spaces, every phrase is open. */
function buildTrie(): TrieNode {
  const root = newTrieNode();
  for (const lexicon of Object.values(LEXICONS)) {
    for (const [index, concept] of CONCEPTS.entries()) {
      for (const raw of (lexicon[concept] ?? '').split('|')) {
        const entry = fold(raw.trim());
        if (entry === '') continue;
        const text = entry.replace(/\*$/, '');
        let node = root;
        for (let at = 0; at < text.length; at++) {
          const unit = text.charCodeAt(at);
          const child = node.next.get(unit) ?? newTrieNode();
          node.next.set(unit, child);
          node = child;
        }
        const isOpen = text !== entry || isCjkUnit(text.charCodeAt(text.length - 1));
        node[isOpen ? 'open' : 'whole'] |= 1 << index;
      }
    }
  }
  return root;
}

const indexOf = (concept: Concept): number => CONCEPTS.indexOf(concept);
export const hasConcept = ({ count }: ConceptHits, concept: Concept): boolean => count[indexOf(concept)]! > 0;

/** Whether the concept occurs among a sentence's first words, up to the one at index `lastWord`. */
export const beginsWith = ({ first }: ConceptHits, concept: Concept, lastWord = 0): boolean =>
  first[indexOf(concept)]! <= lastWord;

const TRIE = buildTrie();
const FAULT = indexOf('fault');
const FAULTLESS = indexOf('faultless');
const MAYBE = indexOf('maybe');
const STATE = indexOf('state');
const NOT = indexOf('not');
/** Upper limit for the length of lexicon entries, in UTF-16 units. */
const MAX_ENTRY_LENGTH = 48;
/** The end of each concept's last match in the sentence. Shared, because an array per sentence would be slow. */
const COVERED = new Int32Array(CONCEPTS.length);

/**
 * Finds the concepts of a sentence in one pass, walking a trie from each word's start for at most `MAX_ENTRY_LENGTH`
 * characters, so the cost is linear. A fault within a phrase that denies it ("no errors") doesn't count, nor does a
 * negation within a word of doubt ("かもしれません").
 */
export function findConcepts(sentence: string): ConceptHits {
  const text = fold(sentence);
  const count = new Uint8Array(CONCEPTS.length);
  const first = new Uint8Array(CONCEPTS.length).fill(255);
  const tail = new Uint8Array(CONCEPTS.length);
  const words: (string | undefined)[] = new Array<string | undefined>(CONCEPTS.length);
  const covered = COVERED.fill(0);
  let end = text.length;
  while (end > 0 && !isLetter(text.charCodeAt(end - 1)) && !isCjkUnit(text.charCodeAt(end - 1))) end--;
  let word = 0;
  let unspacedChars = 0;
  let previous = 32;
  for (let at = 0; at < end; at++) {
    const code = text.charCodeAt(at);
    const unspaced = isCjkUnit(code);
    const isWordStart = unspaced || (isLetter(code) && !isLetter(previous) && previous !== 39);
    previous = code;
    if (!isWordStart) continue;
    let node = TRIE.next.get(code);
    let stop = at + 1;
    const limit = Math.min(end, at + MAX_ENTRY_LENGTH);
    while (node) {
      const endsWord = stop >= text.length || !isLetter(text.charCodeAt(stop));
      const bits = endsWord ? node.open | node.whole : node.open;
      if (bits !== 0) record(bits, at, stop);
      if (stop >= limit) break;
      let unit = text.charCodeAt(stop);
      if (unit === 9 || unit === 10 || unit === 0x3000) unit = 32;
      node = node.next.get(unit);
      stop++;
    }
    if (unspaced) {
      unspacedChars++;
      if (unspacedChars % 2 === 0) word++;
    } else word++;
  }
  return { count, first, tail, words, length: word + (unspacedChars % 2) };

  function record(bits: number, from: number, to: number): void {
    for (let rest = bits; rest !== 0; rest &= rest - 1) {
      const concept = 31 - Math.clz32(rest & -rest);
      if (concept === FAULT && from < covered[FAULTLESS]!) continue;
      if ((concept === STATE || concept === NOT) && from < covered[MAYBE]!) continue;
      if (concept === FAULTLESS && from < covered[FAULT]! && count[FAULT]! > 0) count[FAULT]!--;
      if (to <= covered[concept]!) continue;
      const isExtension = from < covered[concept]!;
      covered[concept] = to;
      if (!isExtension && count[concept]! < 255) count[concept]!++;
      if (first[concept] === 255) first[concept] = Math.min(word, 254);
      words[concept] ??= text.slice(from, to);
      if (to >= end - 1) tail[concept] = 1;
    }
  }
}
