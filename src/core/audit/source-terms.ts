import { termsOf } from '../text/terms.ts';
import type { Steps } from '../pace/steps.ts';
import { fold } from '../text/fold.ts';

/** A term of a summary that its source may not contain. */
interface NamedTerm {
  readonly kind: 'code' | 'number' | 'name';
  readonly text: string;
  /** UTF-16 offset. */
  readonly start: number;
}

/** Letters of scripts with spaces between words, for a character class. */
const SPACED = String.raw`A-Za-z\u00aa-\u1fff`;

/** Digits with their separators: a number, version, date, time, or range. */
const DIGITS = /\d+(?:[.,:'’/\u00a0\u202f–-]\d+| \d{3}(?!\d))*/gu;
/** A number that isn't part of a name, with its unit. */
const NUMBER = new RegExp(
  String.raw`(?<![${SPACED}\p{N}_.#/\\-])v?(${DIGITS.source})(\s?[kKM](?![\p{L}\p{N}]))?[${SPACED}]{0,3}(?![${SPACED}\p{N}_/\\]|[.,:/-]\d)`,
  'gu',
);
/** Numbers up to this one aren't looked up, because the summarizer may have counted: "three files". */
const MAX_COUNTED = 4;
/** Maximum number of parts of a date or version. Digits with more are data. */
const MAX_PARTS = 8;

/** All values that a number may mean: "1.800" is 1.8 or 1800, "40k" 40 or 40000. Dates, times, and ranges have none. */
function valuesOf(digits: string, unit = ''): number[] {
  if (/[:/–-]/.test(digits)) return [];
  const parts = digits.split(/\D/);
  const isGrouped = (groups: readonly string[]): boolean => groups.every((group) => group.length === 3);
  const values: number[] = [];
  if (isGrouped(parts.slice(1))) values.push(Number(parts.join('')));
  if (parts.length > 1 && isGrouped(parts.slice(1, -1)))
    values.push(Number(`${parts.slice(0, -1).join('')}.${parts.at(-1)!}`));
  const factor = unit === '' ? 1 : unit.trim() === 'M' ? 1e6 : 1e3;
  return factor === 1 ? values : values.flatMap((value) => [value, value * factor]);
}

/** A key for a date, regardless of the order of its parts. */
const keyOf = (parts: readonly string[]): string =>
  parts
    .map(Number)
    .sort((a, b) => a - b)
    .join(' ');

/** Text after which a capital letter doesn't indicate a name. */
const SENTENCE_START = /(?:^|[.!?:;|]["”')\]*]*\s+|[\n(["“„«*_>-]\s*|\p{Extended_Pictographic}\uFE0F?\s*)$/u;
const SENTENCE_START_CHARS = 6;

const isAtSentenceStart = (text: string, at: number): boolean =>
  SENTENCE_START.test(text.slice(Math.max(0, at - SENTENCE_START_CHARS), at));

/**
 * Maximum share of capitalized words at which a capital indicates a name. Measured: 0.45 in German, at most 0.25 in
 * other languages. Titles have more.
 */
const MAX_CAPITAL_SHARE = 1 / 3;
/** With fewer words, the share is unreliable. */
const MIN_WORDS = 20;
/** Length of the source's beginning that is examined for capitals if the text is short, in UTF-16 units. */
const SAMPLE_CHARS = 2_000;

function capitalsIndicateNames(text: string, source: readonly string[]): boolean {
  const inText = capitalsIn(text);
  const sample =
    inText.words < MIN_WORDS ? capitalsIn(source.join('\n').slice(0, SAMPLE_CHARS)) : { words: 0, capitals: 0 };
  return inText.capitals + sample.capitals <= (inText.words + sample.words) * MAX_CAPITAL_SHARE;
}

function capitalsIn(text: string): { readonly words: number; readonly capitals: number } {
  const words = [...text.matchAll(/\p{L}{4,}/gu)].filter(({ index }) => !isAtSentenceStart(text, index));
  return { words: words.length, capitals: words.filter(([word]) => /^\p{Lu}\p{Ll}/u.test(word)).length };
}

/** Length of a label or heading in title case: "Key Decisions: …", "Next Steps". */
function headingLength(statement: string): number {
  const label = /^[^:\n]{1,60}:(?=[\s*])/.exec(statement)?.[0] ?? (/[.!?。！？]$/.test(statement) ? '' : statement);
  const { words, capitals } = capitalsIn(label);
  return words === capitals ? label.length : 0;
}

/** Words such as "input/output" and "24-hour", abbreviations such as "e.g.", and numbers such as "30ms". */
const NOT_CODE = /^\p{L}+(?:[/-]\p{L}+)+$|^\d+-\p{L}|^(?:\p{L}\.)+\p{L}?$|^v?[\d.,:/–-]+\p{L}{0,3}$/iu;

/** Commit hashes are often abbreviated. */
const HASH = /^(?=.*\d)(?=.*[a-f])[\da-f]{7,40}$/;

const isCode = (written: string): boolean => /\p{L}/u.test(written) && (HASH.test(written) || !NOT_CODE.test(written));

/** Identifiers, paths, URLs, numbers, and names of a statement, `text[start, end)`, in order. */
function termsIn(text: string, start: number, end: number, withNames: boolean): NamedTerm[] {
  const found: NamedTerm[] = [];
  const span = text.slice(start, end);
  const namesFrom = withNames ? start + headingLength(span) : end;
  for (const term of termsOf(text, start, end)) {
    const written = text.slice(term.start, term.end);
    if (term.kind === 'name') {
      const isName = term.start > start && term.start >= namesFrom && !isAtSentenceStart(text, term.start);
      if (isName) found.push({ kind: 'name', text: written.replace(/['’]s?$/, ''), start: term.start });
    } else if (term.kind !== 'word' && isCode(written)) {
      found.push({ kind: 'code', text: written, start: term.start });
    }
  }
  for (const { 1: code = '', index } of span.matchAll(/`([^`\s]{2,})`/g))
    found.push({ kind: 'code', text: code, start: start + index });
  for (const { 0: written, 1: digits = '', 2: unit = '', index } of span.matchAll(NUMBER)) {
    const [value] = valuesOf(digits);
    const mayBeCounted = value !== undefined && value <= MAX_COUNTED && Number.isInteger(value);
    if (!mayBeCounted && !HASH.test(written)) found.push({ kind: 'number', text: digits + unit, start: start + index });
  }
  return found.sort((one, other) => one.start - other.start);
}

const IN_WORD = new RegExp(String.raw`[${SPACED}\p{N}]`, 'u');
const IN_NUMBER = /[\d.,:]/;
/** Removes the ending of an inflected name: "Marthas", "Djangos". */
const stemOf = (name: string): string => name.slice(0, Math.max(4, name.length - 2));

/** Looks up a summary's terms in its source texts, which are normalized and searched for numbers on first use. */
export class SourceTerms {
  private readonly texts: readonly string[];
  private readonly withNames: boolean;
  private readonly known = new Map<string, boolean>();
  private folded: readonly string[] | undefined;
  private numbers: Set<number | string> | undefined;

  /** @param summary the whole text, from which the use of capitals in its language is determined */
  constructor(texts: readonly string[], summary: string) {
    this.texts = texts;
    this.withNames = capitalsIndicateNames(summary, texts);
  }

  /** The distinct terms of a statement, `text[start, end)`, and whether the source has each. One step per lookup. */
  *checkTerms(text: string, start: number, end: number): Steps<ReadonlyMap<string, boolean>> {
    const found = new Map<string, boolean>();
    for (const term of termsIn(text, start, end, this.withNames)) {
      const key = `${term.kind} ${term.text}`;
      let isKnown = this.known.get(key);
      if (isKnown === undefined) {
        isKnown = term.kind === 'number' ? yield* this.hasNumber(term.text) : yield* this.hasWord(term);
        this.known.set(key, isKnown);
        yield;
      }
      found.set(term.text, isKnown);
    }
    return found;
  }

  private *hasWord({ kind, text }: NamedTerm): Steps<boolean> {
    const isExact = kind === 'code';
    if (this.texts.some((one) => (isExact ? one.includes(text) : containsWord(one, text, false)))) return true;
    this.folded ??= yield* eachInSteps(this.texts, fold);
    const word = isExact ? fold(text).replace(/^\.\/(?=.)|\(\)?$/g, '') : stemOf(fold(text));
    const isWhole = isExact && !HASH.test(word);
    return word === '' || this.folded.some((one) => containsWord(one, word, isWhole));
  }

  private *hasNumber(written: string): Steps<boolean> {
    if (this.texts.some((text) => containsWord(text, written, true, IN_NUMBER))) return true;
    this.numbers ??= new Set((yield* eachInSteps(this.texts, numbersIn)).flat());
    const { numbers } = this;
    const [, digits = '', unit] = /^(.*?)(\s?[kKM])?$/.exec(written)!;
    if (valuesOf(digits, unit).some((value) => numbers.has(value))) return true;
    const parts = digits.split(/\D/);
    if (parts.length > 1 && numbers.has(keyOf(parts))) return true;
    if (/^\d+[–-]\d+$/.test(digits)) return parts.every((part) => numbers.has(Number(part)));
    const [hour, minute] = /^\d?\d:\d\d$/.test(digits) ? parts.map(Number) : [];
    if (hour === undefined || minute === undefined) return false;
    // 15:00 may be "three in the afternoon" in the source.
    return [hour, hour - 12, hour + 12].some((one) => numbers.has(one)) && (minute === 0 || numbers.has(minute));
  }
}

function* eachInSteps<T>(texts: readonly string[], read: (text: string) => T): Steps<T[]> {
  const all: T[] = [];
  let chars = 0;
  for (const text of texts) {
    all.push(read(text));
    chars += text.length;
    if (chars < STEP_CHARS) continue;
    chars = 0;
    yield;
  }
  return all;
}

/** Size of a step, in UTF-16 units. */
const STEP_CHARS = 10_000;

/** Whether the text contains a word that starts at a word boundary and, if `isWhole`, ends at one. */
function containsWord(text: string, word: string, isWhole: boolean, inWord = IN_WORD): boolean {
  const isWordChar = (within: string, at: number): boolean => inWord.test(within[at] ?? '');
  const startsInWord = isWordChar(word, 0);
  const endsInWord = isWhole && isWordChar(word, word.length - 1);
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + word.length)) {
    if (startsInWord && isWordChar(text, at - 1)) continue;
    if (endsInWord && isWordChar(text, at + word.length)) continue;
    return true;
  }
  return false;
}

/** All possible readings of a source's numbers: values, parts, and date keys (`keyOf`) of adjacent parts. */
function numbersIn(text: string): (number | string)[] {
  const all: (number | string)[] = [];
  for (const [digits, unit = ''] of text.matchAll(DIGITS_WITH_UNIT)) {
    const run = unit === '' ? digits : digits.slice(0, -unit.length);
    for (const piece of run.split(/[:/–-]/)) all.push(...valuesOf(piece, unit));
    const parts = run.split(/\D/);
    // A list may have more numbers than a call can have arguments.
    for (const part of parts) all.push(Number(part));
    if (parts.length > MAX_PARTS) continue;
    for (let from = 0; from < parts.length; from++)
      for (let to = from + 2; to <= parts.length; to++) all.push(keyOf(parts.slice(from, to)));
  }
  return all;
}

const DIGITS_WITH_UNIT = new RegExp(String.raw`${DIGITS.source}(\s?[kKM](?![\p{L}\p{N}]))?`, 'gu');
