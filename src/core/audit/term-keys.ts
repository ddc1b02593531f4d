import type { TermKind } from '../compress/terms.ts';
import { plain } from './closed-words.ts';
import { wordOf } from './statement-words.ts';

/** Words share this many first letters where they are forms of one another, mostly: "passaram" and "passou". */
const PREFIX = 5;
/** Longer paths are looked up by so many of their last parts. */
const MOST_PARTS = 5;

/** An identifier in the form in which it is looked up: without case, call marks, and what surrounds a path. */
export function identifierKey(term: string): string {
  const key = term
    .toLowerCase()
    .replace(/^\.\/(?=.)/, '')
    .replace(/\(\)?$/, '')
    .replace(/(?<=.)[/:.,]+$/, '');
  // Spelled letter by letter: "L_C_D_".
  return /^(?:\p{L}_)+\p{L}?$/u.test(key) ? key.replaceAll('_', '') : key;
}

/** The words that an identifier is made of: "truncateSessionID" speaks of a session. */
export function partsOf(identifier: string): string[] {
  return identifier
    .split(/[^\p{L}\p{N}]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u)
    .filter((part) => part.length > 2);
}

/** The key of a word's first letters; undefined for short words, which have no room for an ending. */
export const prefixKey = (word: string): string | undefined =>
  word.length < PREFIX || word.charCodeAt(0) >= 0x2e80 ? undefined : `${word.slice(0, PREFIX)}~`;

/** Whether a term is words joined by hyphens, with or without a number: "close-talking", "24-hour". */
export const isHyphenated = (term: string): boolean => /^[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)+$/u.test(term);

/** A run of letters and digits that no word or number is: a hash, "gpt-4o". */
const EACH_CODE =
  /(?<![\p{L}\p{N}_/\\.#-])(?=[a-z-]*\d)(?=[\d.-]*[a-z])[a-z\d]+(?:[-.][a-z\d]+)*(?![\p{L}\p{N}_/\\])/giu;
/** Digits before a unit, or before a word: "5s", "24-hour", "3rd". */
const NO_CODE = /^\d+(?:\.\d+)?-?[a-z]+(?:-[a-z]+)*$/i;
const HASH = /^(?=.*\d)(?=.*[a-f])[\da-f]{7,40}$/;

/** Hashes, versions of models and other runs of letters and digits. */
export const codesIn = (text: string): { readonly written: string; readonly start: number }[] =>
  Array.from(text.matchAll(EACH_CODE), ({ 0: written, index }) => ({ written, start: index })).filter(
    ({ written }) => HASH.test(written) || !NO_CODE.test(written),
  );

const EACH_RANGE = /(?<![\p{L}\p{N}_.:/-])(\d+(?:[.,]\d+)*)\s?([-–/:])\s?(\d+(?:[.,]\d+)*)(?![\p{L}\p{N}_/-]|[.:]\d)/gu;

/** Two numbers that stand as one: "4-6", "20/22". */
export const rangesIn = (text: string): { readonly key: string; readonly start: number }[] =>
  Array.from(text.matchAll(EACH_RANGE), (match) => ({
    key: `#${match[1]}${match[2]!.replace('–', '-')}${match[3]}`,
    start: match.index,
  }));

/** The keys under which a term of a source is found. */
export function keysOfTerm(kind: TermKind, term: string): ReadonlySet<string> {
  const keys = new Set<string>();
  addKeys(kind, term, keys);
  return keys;
}

function addKeys(kind: TermKind, term: string, keys: Set<string>): void {
  if (kind === 'number') return;
  if (kind === 'identifier' || kind === 'url') {
    const key = identifierKey(term);
    keys.add(key);
    if (key.includes('/')) {
      const parts = key.replace(/:\d+(?:-\d+)?$/, '').split('/');
      for (let from = Math.max(0, parts.length - MOST_PARTS); from < parts.length; from++)
        keys.add(parts.slice(from).join('/'));
    }
    for (const part of partsOf(term)) addWord('word', part, keys);
    return;
  }
  if (isHyphenated(term)) for (const part of term.split('-')) addWord(kind, part, keys);
  addWord(kind, term, keys);
}

function addWord(kind: TermKind, term: string, keys: Set<string>): void {
  const bare = term.replace(/['’]s$/, '');
  const word = wordOf(kind === 'name' ? 'name' : 'word', bare);
  if (word === undefined) return;
  keys.add(word);
  const prefix = prefixKey(plain(bare));
  if (prefix !== undefined) keys.add(prefix);
}
