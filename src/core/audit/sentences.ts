import type { Span } from '../model/key-event.ts';

/** Longer lines of a source are taken in pieces of this length, in UTF-16 units. */
const LONGEST_LINE = 20_000;

let segmenter: Intl.Segmenter | undefined;

/** Sentences and list entries of a text, without their marks; headings that end in no full sentence count too. */
export function* statementsOf(text: string): Generator<Span> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'sentence' });
  let start = 0;
  while (start < text.length) {
    let end = text.indexOf('\n', start);
    if (end === -1) end = text.length;
    end = Math.min(end, start + LONGEST_LINE);
    const line = text.slice(start, end);
    const lead = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/.exec(line)?.[0].length ?? 0;
    const body = line.slice(lead);
    if (body.length > SHORT_LINE) {
      for (const { index, segment } of segmenter.segment(body)) {
        const trimmed = segment.trimEnd();
        if (/[\p{L}\p{N}]/u.test(trimmed)) {
          yield { start: start + lead + index, end: start + lead + index + trimmed.length };
        }
      }
    } else if (/[\p{L}\p{N}]/u.test(body)) {
      yield { start: start + lead, end: start + lead + body.trimEnd().length };
    }
    start = end + (text.charCodeAt(end) === 10 ? 1 : 0);
  }
}

/** A line so short is one statement. */
const SHORT_LINE = 24;
