import type { Span } from '../model/key-event.ts';
import { firstOf, type Corpus, type IndexedPassage } from './corpus.ts';

/** A rest of fewer UTF-16 units says nothing: a mark, a conjunction. */
const LEAST_REST = 12;

/** A corpus that no longer says what stands in these spans, by message; of a passage that holds more the rest stays. */
export function withoutSpans(corpus: Corpus, spans: ReadonlyMap<number, readonly Span[]>): Corpus {
  if (spans.size === 0) return corpus;
  const passages = corpus.passages.flatMap((passage) => {
    const own = passage.text === undefined ? spans.get(passage.message) : undefined;
    return own ? restOf(passage, own, corpus.texts[passage.message]!) : [passage];
  });
  return {
    ...corpus,
    passages,
    firstOf: firstOf(passages, corpus.texts.length),
    passageTokens: new Int32Array(passages.length),
  };
}

function restOf(passage: IndexedPassage, spans: readonly Span[], text: string): IndexedPassage[] {
  const cuts = spans.filter(({ start, end }) => start < passage.end && passage.start < end);
  if (cuts.length === 0) return [passage];
  const rest: IndexedPassage[] = [];
  const take = (from: number, to: number): void => {
    const said = text.slice(from, to);
    const start = from + said.length - said.replace(/^[\s\p{P}]+/u, '').length;
    const end = to - (said.length - said.trimEnd().length);
    if (end - start >= LEAST_REST) rest.push({ ...passage, start, end });
  };
  let from = passage.start;
  for (const { start, end } of cuts.toSorted((a, b) => a.start - b.start)) {
    take(from, Math.max(from, start));
    from = Math.max(from, end);
  }
  take(from, passage.end);
  return rest;
}
