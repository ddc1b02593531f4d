import { TermCursor } from '../compress/terms.ts';
import { closedValues, plain } from './closed-words.ts';
import { numbersIn } from './number-values.ts';
import { wordOf } from './statement-words.ts';
import { codesIn, identifierKey, isHyphenated, prefixKey, rangesIn } from './term-keys.ts';

export type AnchorKind = 'number' | 'identifier' | 'name';

/** Something a statement mentions, with the keys under which a source may hold it, and how much each counts, 0…1. */
export interface StatementTerm {
  readonly kind: AnchorKind | 'word';
  readonly text: string;
  /** UTF-16 offset into the statement. */
  readonly start: number;
  readonly keys: readonly (readonly [key: string, credit: number])[];
}

/** A word found by its first letters alone counts so much. */
const BY_PREFIX = 0.8;

const CODE = /`([^`\n]+)`/g;
const STARTS = /(?:^|[.!?:]["”')]?\s+|\n\W*|^[\s"“'(*_-]*)$/;

/** What a statement mentions, in order, each once. */
export function termsOf(text: string): StatementTerm[] {
  const spans = [...text.matchAll(CODE)].filter((span) => !/\s/.test(span[1]!));
  const found: StatementTerm[] = [];
  const seen = new Set<string>();
  const add = (term: StatementTerm | undefined): void => {
    if (term === undefined || seen.has(term.keys[0]![0])) return;
    seen.add(term.keys[0]![0]);
    found.push(term);
  };
  const numbers = numbersIn(text);
  const german = isGerman(text);
  const codes = codesIn(text);
  for (const { written, start } of codes) add(identifierTerm(written, start));
  for (const { key, start } of rangesIn(text)) add({ kind: 'number', text: key.slice(1), start, keys: [[key, 1]] });
  for (const { values, start } of numbers) {
    if (codes.some((code) => start >= code.start && start < code.start + code.written.length)) continue;
    if (spans.some((span) => start > span.index && start < span.index + span[0].length)) continue;
    add({ kind: 'number', text: values[0]!, start, keys: values.map((value) => [`#${value}`, 1]) });
  }
  for (const span of spans) if (span[1]!.length > 1) add(identifierTerm(span[1]!, span.index + 1));
  for (const { value, start } of closedValues(text))
    add({ kind: 'name', text: value, start, keys: [[`=${value}`, 1]] });
  const dated = new Set(found.filter(({ keys }) => keys[0]![0].startsWith('=')).map(({ start }) => start));
  const term = new TermCursor(text, 0, text.length);
  while (term.next()) {
    const { kind, start, end } = term;
    if (
      kind === 'number' ||
      dated.has(start) ||
      spans.some((span) => start > span.index && start < span.index + span[0].length)
    )
      continue;
    if (numbers.some((number) => number.inWords && start >= number.start && end <= number.end)) continue;
    const written = text.slice(start, end);
    if (codes.some((code) => start < code.start + code.written.length && end > code.start)) continue;
    if ((kind === 'identifier' || kind === 'url') && !isHyphenated(written)) {
      if (/\p{L}/u.test(written)) add(identifierTerm(written, start));
      continue;
    }
    if (!isHyphenated(written)) {
      const isName = kind === 'name' && !STARTS.test(text.slice(Math.max(0, start - 4), start));
      add(wordTerm(written, start, isName && !(german && isGermanNoun(written, text.slice(0, start)))));
      continue;
    }
    let at = start;
    for (const part of written.split('-')) {
      if (!/^\d+$/.test(part) && !numbers.some((number) => at >= number.start && at < number.end))
        add(wordTerm(part, at, /^\p{Lu}/u.test(part) && at > 0));
      at += part.length + 1;
    }
  }
  return found.sort((one, other) => one.start - other.start);
}

const GERMAN = /\b(?:der|die|das|und|ist|nicht|ein|eine|einen|den|dem|wird|wurde|wurden|mit|auf|von|sind|werden)\b/gi;
const isGerman = (text: string): boolean => (text.match(GERMAN)?.length ?? 0) >= 2;

/** An article, a pronoun or an adjective before it, or the ending of a noun: German writes all nouns with capitals. */
function isGermanNoun(word: string, before: string): boolean {
  return (
    /(?:^|\s)(?:der|die|das|des|d[ae][nm]|zum|zur|im|am|vom|beim|ins|ans|pro|je|\d\S*|\p{Ll}{2,}(?:e|en|er|es|em))\s$/iu.test(
      before,
    ) || /(?:ung|heit|keit|schaft|tion|tät|nis|ismus|ment|chen)(?:e?n|e?s)?$/.test(word)
  );
}

function identifierTerm(written: string, start: number): StatementTerm {
  const key = identifierKey(written);
  const word = /^\p{L}+$/u.test(written) ? wordOf('name', written) : undefined;
  const keys: [string, number][] =
    word === undefined || word === key
      ? [[key, 1]]
      : [
          [word, 1],
          [key, 1],
        ];
  return { kind: 'identifier', text: written, start, keys };
}

function wordTerm(written: string, start: number, isName: boolean): StatementTerm | undefined {
  const bare = written.replace(/['’]s$/, '');
  const word = wordOf(isName ? 'name' : 'word', bare);
  if (word === undefined) return undefined;
  const prefix = prefixKey(plain(bare));
  return {
    kind: isName ? 'name' : 'word',
    text: bare,
    start,
    keys:
      prefix === undefined
        ? [[word, 1]]
        : [
            [word, 1],
            [prefix, BY_PREFIX],
          ],
  };
}
