import type { Corpus } from './corpus.ts';
import { wholeCharacters } from './fitting.ts';
import { isSaid } from './passages.ts';

/**
 * What was said in the segment, by the user first of all, that names its matter best: by terms that are talked of there and seldom
 * elsewhere (tf-idf); else what was said first.
 */
export function tellingWords({
  corpus,
  from,
  to,
}: {
  readonly corpus: Corpus;
  readonly from: number;
  readonly to: number;
}): string | undefined {
  const first = corpus.firstOf[from] ?? 0;
  const beyond = corpus.firstOf[to + 1] ?? corpus.passages.length;
  const said: number[] = [];
  const times = new Map<number, number>();
  for (let index = first; index < beyond; index++) {
    const passage = corpus.passages[index]!;
    if (passage.kind !== 'said') continue;
    said.push(index);
    for (const term of new Set(passage.terms)) times.set(term, (times.get(term) ?? 0) + 1);
  }
  let best: { readonly index: number; readonly score: number } | undefined;
  for (const index of said) {
    const { message, terms } = corpus.passages[index]!;
    if (terms.length < LEAST_TITLE_TERMS) continue;
    let sum = 0;
    for (const term of new Set(terms)) sum += corpus.rarity[term]! * Math.log2(times.get(term) ?? 1);
    // A long passage holds more terms than fit a title.
    const score =
      (sum / Math.max(TITLE_TERMS, terms.length)) * (corpus.roles[message] === 'user' ? 1 : OTHERS_TITLE_WEIGHT);
    if (score > (best?.score ?? 0)) best = { index, score };
  }
  const chosen = corpus.passages[best?.index ?? said[0] ?? -1];
  return chosen && corpus.texts[chosen.message]!.slice(chosen.start, chosen.end);
}

/** A title of fewer terms than this names nothing; one of more than the other is cut. */
const LEAST_TITLE_TERMS = 3;
const TITLE_TERMS = 9;
/** What a segment is about is the user's to say, where the user says anything. */
const OTHERS_TITLE_WEIGHT = 0.25;

/** Names and identifiers that a segment speaks of most, as against the rest: its topics. */
export function topicsOf({
  corpus,
  factors,
  from,
  to,
}: {
  readonly corpus: Corpus;
  readonly factors?: Float64Array;
  readonly from: number;
  readonly to: number;
}): string[] {
  const first = corpus.firstOf[from] ?? 0;
  const beyond = corpus.firstOf[to + 1] ?? corpus.passages.length;
  const times = new Map<number, number>();
  for (let index = first; index < beyond; index++) {
    const passage = corpus.passages[index]!;
    if (!isSaid(passage) || factors?.[index] === 0) continue;
    for (const term of new Set(passage.terms)) {
      const { kind } = corpus.terms[term]!;
      // The first word of a sentence looks like a name.
      if ((kind === 'name' && term !== passage.terms[0]) || kind === 'identifier')
        times.set(term, (times.get(term) ?? 0) + 1);
    }
  }
  const names = new Map(Array.from(corpus.vocabulary, ([name, term]) => [term, name]));
  return [...times]
    .filter(([, count]) => count > 1)
    .map(([term, count]) => ({ name: names.get(term)!, score: corpus.rarity[term]! * Math.log2(count) }))
    .filter(({ name, score }) => score > 0 && name.length > 3 && name.length <= LONGEST_TOPIC)
    .sort((a, b) => b.score - a.score)
    .slice(0, MAX_TOPICS)
    .map(({ name }) => name);
}

const MAX_TOPICS = 5;
const LONGEST_TOPIC = 40;

const LONGEST_TITLE = 72;

/** One line of at most 72 characters, cut at a word. */
export function titleOf(text: string): string {
  // Leaders, rules and rows of marks say nothing.
  const line = text
    .replace(/([^\p{L}\p{N}\s])\1{3,}/gu, '$1$1$1')
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= LONGEST_TITLE) return line;
  const cut = line.slice(0, LONGEST_TITLE - 1);
  const space = cut.lastIndexOf(' ');
  return `${(space > LONGEST_TITLE / 2 ? cut.slice(0, space) : wholeCharacters(cut)).trimEnd()}…`;
}
