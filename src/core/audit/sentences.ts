import type { Span } from '../model/key-event.ts';
import { sentencesOf } from '../text/sentences.ts';

/** List marks, numbers and check boxes in front of a statement. */
const LEAD = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/;
/** A line so short is one statement. UTF-16 units. */
const SHORT_LINE = 24;

/** Sentences and list entries of a text, without their marks; headings that end in no full sentence count too. */
export function* statementsOf(text: string): Generator<Span> {
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    const start = index + LEAD.exec(line)![0].length;
    const end = index + line.trimEnd().length;
    const isOne = end - start <= SHORT_LINE;
    for (const span of isOne ? [{ start, end }] : sentencesOf(text, start, end))
      if (/[\p{L}\p{N}]/u.test(text.slice(span.start, span.end))) yield span;
  }
}
