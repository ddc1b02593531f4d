import { isUnspaced } from './concepts.ts';
import type { Span } from '../model/key-event.ts';
import { atOnce, type Steps } from '../pace/steps.ts';

/** A longer sentence is cut at a clause, then at a space: a key event is a sentence, not a page. */
const LONG = 260;
const ABBREVIATIONS = new Set(
  'e.g|i.e|eg|ie|vs|etc|cf|dr|mr|mrs|ms|no|nr|nos|fig|approx|z.b|d.h|bzw|ca|ggf|usw|p.ex|ex|pág|pag|art|núm|num|aprox|incl|resp|st|sr|sra|v|ver|min|max|p.e|u.a|o.ä|evtl|inkl|a.k.a|u.s'.split(
    '|',
  ),
);

const FULL_WIDTH_STOP = new Set([0x3002, 0xff01, 0xff1f, 0xff0e, 0x61f, 0x6d4, 0x964]);
const isWideStop = (code: number): boolean => code >= 0x61f && FULL_WIDTH_STOP.has(code);
const isSpace = (code: number): boolean => code === 32 || code === 9 || code === 0xa0 || code === 0x3000 || code === 13;
/** Marks that close what a full-width stop ends; none that could as well open the next sentence. */
const isWideCloser = (code: number): boolean =>
  code === 0x201d || code === 0x2019 || code === 0xbb || code === 0x300d || code === 0x300f || code === 0xff09;
/** Behind a plain stop, a space must follow before anything opens, so quotes, stars and backticks close there too. */
const isCloser = (code: number): boolean =>
  code === 41 ||
  code === 93 ||
  code === 34 ||
  code === 39 ||
  code === 42 ||
  code === 95 ||
  code === 96 ||
  isWideCloser(code);

/**
 * Cuts a line into sentences: at full stops, question and exclamation marks that a space or the line's end follows, at
 * full-width ones anywhere; never inside backticks, nor after common abbreviations or a number's point. One pass.
 */
export function sentencesOf(text: string, from: number, to: number): Span[] {
  return atOnce(sentenceSteps(text, from, to));
}

/** A step of cutting takes about so many UTF-16 units. */
const STEP_CHARS = 10_000;

/** As `sentencesOf`, for lines of any length. */
export function* sentenceSteps(text: string, from: number, to: number): Steps<Span[]> {
  const spans: Span[] = [];
  let pause = from + STEP_CHARS;
  let start = from;
  let inCode = false;
  let codeSince = 0;
  for (let i = from; i < to; i++) {
    const code = text.charCodeAt(i);
    if (code === 96) {
      inCode = !inCode;
      codeSince = i;
      continue;
    }
    // A backtick that nobody closes must not swallow the rest of the line.
    if (inCode && i - codeSince < 120) continue;
    let cut = false;
    if (isWideStop(code)) cut = true;
    else if (code === 46 || code === 33 || code === 63 || code === 0x2026) {
      let next = i + 1;
      while (next < to && isStop(text.charCodeAt(next))) next++;
      i = next - 1;
      let after = next;
      while (after < to && isCloser(text.charCodeAt(after))) after++;
      const follower = after < to ? text.charCodeAt(after) : 32;
      if (isSpace(follower) || isUnspaced(follower))
        cut = code !== 46 || next - i > 1 || !isAbbreviation(text, start, i);
    }
    if (!cut) continue;
    let end = i + 1;
    const closes = isWideStop(code) ? isWideCloser : isCloser;
    while (end < to && (closes(text.charCodeAt(end)) || isWideStop(text.charCodeAt(end)))) end++;
    add(start, end);
    start = end;
    i = end - 1;
    inCode = false;
    if (i < pause) continue;
    pause = i + STEP_CHARS;
    yield;
  }
  add(start, to);
  return spans;

  function add(a: number, b: number): void {
    let s = a;
    let e = b;
    while (s < e && isSpace(text.charCodeAt(s))) s++;
    while (e > s && isSpace(text.charCodeAt(e - 1))) e--;
    if (e <= s) return;
    if (e - s <= LONG) spans.push({ start: s, end: e });
    else cutLong(text, s, e, spans);
  }
}

const isStop = (code: number): boolean => code === 46 || code === 33 || code === 63 || code === 0x2026;

function isAbbreviation(text: string, start: number, dot: number): boolean {
  let s = dot;
  while (s > start && dot - s < 8 && !isSpace(text.charCodeAt(s - 1)) && text.charCodeAt(s - 1) !== 40) s--;
  const word = text.slice(s, dot).toLowerCase();
  if (word === '') return false;
  if (/^\d{1,3}$/.test(word) && s === start) return true;
  return ABBREVIATIONS.has(word);
}

/** Cuts at the last clause mark before the limit, else at the last space, else at the limit; never inside a pair. */
function cutLong(text: string, from: number, to: number, spans: Span[]): void {
  let start = from;
  while (to - start > LONG) {
    const limit = start + LONG;
    let clause = -1;
    let space = -1;
    for (let i = limit; i > start + 40; i--) {
      const code = text.charCodeAt(i);
      if (space === -1 && isSpace(code)) space = i;
      const strong = code === 59 || code === 0xff1b || code === 0x2014 || code === 0x2013;
      const weak = code === 44 || code === 0xff0c || code === 0x3001;
      if (strong || (weak && i > start + 120)) {
        clause = i + 1;
        break;
      }
    }
    let cut = clause !== -1 ? clause : space !== -1 ? space : limit;
    const last = text.charCodeAt(cut - 1);
    if (last >= 0xd800 && last <= 0xdbff) cut--;
    let e = cut;
    while (e > start && isSpace(text.charCodeAt(e - 1))) e--;
    if (e > start) spans.push({ start, end: e });
    start = cut;
    while (start < to && isSpace(text.charCodeAt(start))) start++;
  }
  if (start < to) spans.push({ start, end: to });
}
