import type { Span } from '../model/key-event.ts';
import { sentencesOf } from '../text/sentences.ts';

/** List markers, numbers, and check boxes before a statement. */
const LEAD = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/;
/** Lines up to this length are one statement, in UTF-16 units. */
const SHORT_LINE = 24;

/** The sentences and list entries of a text, without markers. Includes headings that aren't full sentences. */
export function* statementsOf(text: string): Generator<Span> {
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    const start = index + LEAD.exec(line)![0].length;
    const end = index + line.trimEnd().length;
    const isOne = end - start <= SHORT_LINE;
    for (const span of isOne ? [{ start, end }] : sentencesOf(text, start, end))
      if (/[\p{L}\p{N}]/u.test(text.slice(span.start, span.end))) yield span;
  }
}
