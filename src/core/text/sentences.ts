import type { Span } from '../model/key-event.ts';
import { runSynchronously, type Steps } from '../pace/steps.ts';
import { truncate } from './truncate.ts';

/** In UTF-16 units. Longer lines are split before segmentation, which bounds the segmenter's time and memory. */
const MAX_PIECE = 4_000;
/** An abbreviation or an initial, after which no sentence ends. */
const ABBREVIATION =
  /(?:^|[\s(])(?:e\.g|i\.e|eg|ie|vs|etc|cf|[dm]r|mrs|ms|dra|drs|prof[ae]?|st|jr|nos?|nr|tel|tlf|fig|approx|z\.b|d\.h|bzw|ca|ggf|usw|vgl|zzgl|abs|\p{L}{3,}str|p\.ex|ex|p[áa]g|art|n[úu]m|aprox|incl|resp|sta?|sra?|srta|ing|lic|avda?|evtl|inkl|u\.s|u\.a|a\.k\.a|\p{L})\.\s*$/iu;
/** German ordinals, after which no sentence ends: "am 2. März", "bis zum 5.03. um 7:30", "die 3. Variante". */
const ORDINAL = /(?:^|[\s(])(?:d(?:er|ie|as|en|em|es)|[ai]m|vom|zum|zur)\s\d{1,2}\.(?:\d{1,2}\.)?\s*$/i;
const MONTH = /^(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)/;
const LIST_NUMBER = /^\d{1,3}\.\s*$/;
/** The end of a sentence before a lower-case letter or code, common in chats, where the segmenter doesn't split. */
const CASUAL_STOP = /[.…]["'”’)\]*_]*\s+(?=[\p{Ll}\d`*"'“([])/gu;
/** Closing markup that the segmenter assigns to the next sentence. */
const CLOSERS = /^[*_`]+(?=\s|$)/;

let segmenter: Intl.Segmenter | undefined;

/** The sentences of one line, `text[from, to)`, without surrounding white space. */
export const sentencesOf = (text: string, from = 0, to = text.length): Span[] =>
  runSynchronously(sentenceSteps(text, from, to));

/**
 * Like `sentencesOf`, but in steps, for lines of any length. Uses `Intl.Segmenter`, except that no sentence ends after
 * a common abbreviation or within backticks, and a sentence may begin with a lower-case letter, as in chats.
 */
export function* sentenceSteps(text: string, from: number, to: number): Steps<Span[]> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'sentence' });
  const spans: Span[] = [];
  for (let at = from; at < to;) {
    if (at > from) yield;
    let line = text.slice(at, Math.min(to, at + MAX_PIECE));
    if (at + line.length < to) {
      const space = line.lastIndexOf(' ');
      line = truncate(line, space > 0 ? space + 1 : MAX_PIECE);
    }
    const isCut = at + line.length < to;
    let start = 0;
    for (const end of endsOf(line, segmenter)) {
      // The last sentence of a piece may continue, so it begins the next piece.
      if (isCut && start > 0 && end === line.length) break;
      const sentence = line.slice(start, end);
      if (
        end < line.length &&
        (LIST_NUMBER.test(sentence) ||
          ABBREVIATION.test(sentence.slice(-16)) ||
          ORDINAL.test(sentence.slice(-16)) ||
          (MONTH.test(line.slice(end, end + 3)) && /\d\.\s*$/.test(sentence.slice(-8))) ||
          isInCode(sentence))
      )
        continue;
      const trimmed = sentence.trim();
      const begin = at + start + sentence.indexOf(trimmed);
      if (trimmed !== '') spans.push({ start: begin, end: begin + trimmed.length });
      start = end;
    }
    at += isCut && start > 0 ? start : line.length;
  }
  return spans;
}

function* endsOf(line: string, sentences: Intl.Segmenter): Generator<number> {
  for (const { segment, index } of sentences.segment(line)) {
    for (const stop of segment.matchAll(CASUAL_STOP)) yield index + stop.index + stop[0].length;
    const end = index + segment.length;
    yield end + (CLOSERS.exec(line.slice(end, end + 4))?.[0].length ?? 0);
  }
}

/** Whether a sentence ends within backticks. A backtick that isn't closed soon doesn't open code. */
function isInCode(sentence: string): boolean {
  const last = sentence.lastIndexOf('`');
  return last > sentence.length - 120 && (sentence.split('`').length - 1) % 2 === 1;
}

/** In UTF-16 units. Longer sentences are cut, because a quote should be a sentence and not a page. */
const MAX_CLAUSE = 260;
const MIN_CLAUSE = 12;

/** A clause of another kind: a request after a statement ("…, can you help me"), or an instruction after a request. */
const OTHER_CLAUSE =
  /[,;:–—。，、；](?:\s+|(?<=[。，、；]))(?=(?:(?:and|but|so|also|y|e|et|und|aber|mas|pero|mais|oder|or)\s+)?(?:(?:can|could|would|will) you|please|help me|i(?:'d| would)? (?:prefer|like|want|need|rather)|(?:i )?(?:always|never)|do(?:n't| not)|puedes|podr[ií]as?|por favor|prefiero|quiero|siempre|nunca|ay[úu]dame|pode(?:ria)?s?|voc[êe] pode|prefiro|quero|sempre|peux-tu|pouvez-vous|s'il (?:te|vous)|je (?:pr[ée]f[èe]re|veux|voudrais)|toujours|jamais|kannst du|k[öo]nnte(?:st du|n sie)|k[öo]nnen sie|bitte|ich (?:m[öo]chte|bevorzuge|will|h[äa]tte)|immer|niemals|请|請|帮我|能不能|不要|总是)(?![\p{Ll}]))/giu;

/** Splits a sentence into clauses of different kinds, and long ones at punctuation or spaces. */
export function clausesOf(text: string, { start, end }: Span): Span[] {
  const spans: Span[] = [];
  let from = start;
  for (const match of text.slice(start, end).matchAll(OTHER_CLAUSE)) {
    const cut = start + match.index;
    if (cut - from < MIN_CLAUSE || end - cut < MIN_CLAUSE) continue;
    addPieces(text, from, cut, spans);
    from = cut + match[0].length;
  }
  addPieces(text, from, end, spans);
  return spans;
}

/** Cuts at the last clause boundary or else space before the limit, and never within a surrogate pair. */
function addPieces(text: string, from: number, to: number, spans: Span[]): void {
  let start = from;
  while (to - start > MAX_CLAUSE) {
    const head = text.slice(start, start + MAX_CLAUSE);
    const clause = Math.max(...['; ', '；', ' — ', ' – '].map((mark) => head.lastIndexOf(mark) + 1));
    const comma = Math.max(...[', ', '，', '、'].map((mark) => head.lastIndexOf(mark) + 1));
    const space = head.lastIndexOf(' ') + 1;
    const piece = truncate(head, clause > 40 ? clause : comma > 120 ? comma : space > 40 ? space : MAX_CLAUSE);
    const trimmed = piece.trimEnd();
    if (trimmed !== '') spans.push({ start, end: start + trimmed.length });
    start += piece.length;
    while (start < to && /\s/.test(text[start]!)) start++;
  }
  if (start < to) spans.push({ start, end: to });
}
