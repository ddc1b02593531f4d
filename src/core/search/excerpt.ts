import type { Span } from '../model/key-event.ts';
import { runSynchronously } from '../pace/steps.ts';
import { isOutputOrCodeLine, lineSteps } from '../text/lines.ts';
import { markPastedCode } from '../text/pasted-code.ts';
import { CODE_WEIGHT, matchSimilarity } from './ranking.ts';
import { parseQuery, SYNONYM_WEIGHT, type QueryTerm } from './query.ts';
import { visitWords } from '../text/words.ts';

interface Match extends Span {
  /** Index of the query word. */
  readonly word: number;
  readonly value: number;
}

/** Weight of a word's further occurrences in the same excerpt. */
const REPEAT_SHARE = 0.1;

/** Maximum share of the room besides the matches that the text before them takes. */
const BACK_SHARE = 0.5;

/** Length up to which a text's code is told from its prose, in UTF-16 units, because that isn't done in steps. */
const MAX_CLASSIFIED = 100_000;

/** Maximum share of the excerpt's length by which its end moves back to the end of a line, sentence, or word. */
const EDGE_SHARE = 0.3;

/**
 * The range of at most `maxChars` UTF-16 units that best matches the query, cut at a nearby line, sentence, or word
 * boundary. Different and long words count more. Without a match, the beginning of the text. Short texts are returned
 * whole. Never splits a surrogate pair.
 */
export function bestExcerpt(text: string, query: string, maxChars: number): Span {
  return cut(text, text.length > maxChars ? matchesOf(text, query) : [], maxChars);
}

/**
 * Like `bestExcerpt`, with `matchesTogetherShare`: the share of the matched words, 0…1, that occur within one passage
 * of `passage` UTF-16 units; 1 without a match.
 */
export function ratedExcerpt(text: string, query: string, maxChars: number, passage: number) {
  const matches = matchesOf(text, query);
  const { start, end } = bestRange(matches, passage);
  const inside = matches.filter((match) => match.start >= start && match.end <= end);
  const wordsIn = (some: readonly Match[]): number => new Set(some.map(({ word }) => word)).size;
  const matchesTogetherShare = matches.length === 0 ? 1 : wordsIn(inside) / wordsIn(matches);
  return { ...cut(text, matches, maxChars), matchesTogetherShare };
}

function cut(text: string, matches: readonly Match[], maxChars: number): Span {
  if (text.length <= maxChars) return { start: 0, end: text.length };
  if (maxChars <= 0) return { start: 0, end: 0 };
  return extendToBreaks(text, bestRange(matches, maxChars), maxChars);
}

function matchesOf(text: string, query: string): readonly Match[] {
  const matchOf = wordMatcher(parseQuery(query).terms);
  const matches: Match[] = [];
  const lines = text.length <= MAX_CLASSIFIED ? runSynchronously(lineSteps(text, { tool: false })) : [];
  runSynchronously(markPastedCode(text, lines));
  let line = 0;
  visitWords(text, (term, start, end) => {
    const found = matchOf(term);
    if (found === undefined) return;
    while (line + 1 < lines.length && lines[line + 1]!.start <= start) line++;
    const share = line < lines.length && isOutputOrCodeLine(lines[line]!.kind) ? CODE_WEIGHT : 1;
    matches.push({ start, end, ...found, value: found.value * share });
  });
  return matches.sort((a, b) => a.start - b.start);
}

type WordMatch = Pick<Match, 'word' | 'value'>;

/** Returns a function that finds the query word that a term matches best: a synonym, or one with the same first letter. */
function wordMatcher(sought: readonly QueryTerm[]): (term: string) => WordMatch | undefined {
  const known = new Map<string, WordMatch | undefined>();
  const byInitial = new Map<string, number[]>();
  for (const [word, { term }] of sought.entries()) {
    const initial = term.charAt(0);
    byInitial.set(initial, [...(byInitial.get(initial) ?? []), word]);
  }
  const bySynonym = new Map(
    sought.flatMap(({ synonyms }, word) => synonyms.map((synonym) => [synonym, word] as const)),
  );
  const valueOf = (word: number, near: number): WordMatch => ({
    word,
    value: near * Math.log(1 + sought[word]!.term.length),
  });
  const find = (term: string): WordMatch | undefined => {
    const synonym = bySynonym.get(term);
    let best = synonym === undefined ? undefined : valueOf(synonym, SYNONYM_WEIGHT);
    for (const word of byInitial.get(term.charAt(0)) ?? []) {
      const match = valueOf(word, matchSimilarity(sought[word]!.term, term));
      if (match.value > (best?.value ?? 0)) best = match;
    }
    return best;
  };
  return (term) => {
    if (!known.has(term)) known.set(term, find(term));
    return known.get(term);
  };
}

/** The range within `maxChars` whose matches score highest; the first among equals. */
function bestRange(matches: readonly Match[], maxChars: number): Span {
  let best: Span = { start: 0, end: 0 };
  let bestScore = 0;
  const inside = new Map<number, number>();
  let score = 0;
  let first = 0;
  for (const match of matches) {
    const times = inside.get(match.word) ?? 0;
    score += times === 0 ? match.value : match.value * REPEAT_SHARE;
    inside.set(match.word, times + 1);
    while (match.end - matches[first]!.start > maxChars && matches[first] !== match) {
      const dropped = matches[first++]!;
      const remaining = inside.get(dropped.word)! - 1;
      inside.set(dropped.word, remaining);
      score -= remaining === 0 ? dropped.value : dropped.value * REPEAT_SHARE;
    }
    if (score > bestScore + 1e-9 && match.end - matches[first]!.start <= maxChars) {
      bestScore = score;
      best = { start: matches[first]!.start, end: match.end };
    }
  }
  return best;
}

/** Extends a range to at most `maxChars`, from and to a nearby line, sentence, or word boundary. */
function extendToBreaks(text: string, core: Span, maxChars: number): Span {
  const back = Math.max(0, core.start - Math.floor((maxChars - (core.end - core.start)) * BACK_SHARE));
  let from = lastBreak(text, back, core.start);
  const limit = Math.min(text.length, from + maxChars);
  const forward = Math.max(core.end, limit - Math.floor(maxChars * EDGE_SHARE));
  let to = limit === text.length ? limit : lastBreak(text, forward, limit);
  if (isInsidePair(text, from)) from++;
  if (isInsidePair(text, to)) to--;
  return { start: from, end: Math.max(from, to) };
}

/**
 * The last place to cut in a range: after a line break, else after a sentence, else after a space, else the end of the
 * range. In a range at the text's beginning, 0 is preferred to a place after a sentence or space.
 */
function lastBreak(text: string, from: number, to: number): number {
  const range = text.slice(from, to);
  for (const pattern of [/\n+/g, /[.!?]\s+|[。！？]/g, /\s+/g]) {
    let found = -1;
    for (const match of range.matchAll(pattern)) found = from + match.index + match[0].length;
    if (found !== -1) return found;
    if (from === 0) return 0;
  }
  return to;
}

const isInsidePair = (text: string, at: number): boolean =>
  /^[\ud800-\udbff][\udc00-\udfff]$/.test(text.slice(Math.max(0, at - 1), at + 1));
