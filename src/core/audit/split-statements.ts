import type { Span } from '../model/key-event.ts';
import { sentencesOf } from '../text/sentences.ts';

/** List markers, numbers, and check boxes before a statement. */
const MARKERS = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/;
/** In UTF-16 units. Lines up to this length are one statement. */
const SHORT_LINE = 24;

/** The sentences and list entries of a text, without markers. Includes headings that aren't full sentences. */
export function* statementsOf(text: string): Generator<Span> {
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    const start = index + MARKERS.exec(line)![0].length;
    const end = index + line.trimEnd().length;
    const isShort = end - start <= SHORT_LINE;
    for (const span of isShort ? [{ start, end }] : sentencesOf(text, start, end))
      if (/[\p{L}\p{N}]/u.test(text.slice(span.start, span.end))) yield span;
  }
}
