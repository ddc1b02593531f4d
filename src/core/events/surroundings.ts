import { findConcepts } from './concepts.ts';
import { fold } from '../text/fold.ts';
import { isCjkUnit } from '../text/script.ts';
import { CONCEPT_AT } from './feature-names.ts';

/** What stands before a message, as far as it bears on it. */
export interface BeforeTraits {
  /** The message before asked something or offered options. */
  readonly asked: boolean;
  /** Its end, folded and without marks: a choice often repeats the words of an option. */
  readonly end: string;
  /** The message before reports an error or was cancelled. */
  readonly failed: boolean;
}

/** What a message's end asks of its reader: to choose, or anything. */
export type Asks = 'choice' | 'something' | undefined;

/** A sentence's end that asks, also in languages whose questions need no mark. */
export const QUESTION_END = /[?？؟][\s"'”’)\]*_】」）]*$|(?:吗|呢|か|かな|の)[。．.]?$/;

const CHOICE =
  /\bwhich\b|prefer|choose|\bpick\b|\boption|\bcu[aá]l|opci[oó]n|\bqual\b|op[cç][aã]o|laquelle|lequel|quelle|pr[eé]f[eé]r|choisi|welche|was ist dir|lieber|bevorzug|どれ|どちら|どっち|哪|选|選/i;

/** Whether a message ends with a question, and whether it is one between options; only its end is looked at. */
export function asksOf(text: string): Asks {
  const last = text.slice(-200).trimEnd();
  if (!QUESTION_END.test(last.slice(-80).replace(/[\s\p{Extended_Pictographic}\uFE0F]+$/u, ''))) return undefined;
  return CHOICE.test(last.slice(-120)) ? 'choice' : 'something';
}

/** Only this much of the end of the message before is looked at (UTF-16 units). */
const BEFORE_END = 700;
const OPTIONS_END = 2500;

/** Letters and digits of a text, folded, single spaces between words. */
const plainWords = (text: string): string => fold(text).replace(/[^\p{L}\p{N}]+/gu, ' ');

/** Whether a line repeats words of the message before, as a choice among its options does. */
export const saidBefore = (quote: string, before: string): boolean => {
  const words = plainWords(quote).trim();
  return words.length >= (isCjkUnit(words.charCodeAt(0)) ? 4 : 8) && before.includes(words);
};

const OPTIONS = /(?:^|\n)\s*(?:\*\*)?(?:\d[.)]|[A-D][.)]|option [A-D1-9]|opção|opción)/i;

/** What the message before means for this one; its words are kept where the speaker may choose among its options. */
export function describeBefore(before: string | undefined, choosing: boolean): BeforeTraits {
  if (before === undefined || before === '') return { asked: false, failed: false, end: '' };
  const end = before.slice(-BEFORE_END).trimEnd();
  const last = end.slice(-220);
  const question =
    /[?？][\s"'”’)\]*_】」）\p{Extended_Pictographic}[\]A-Z]*$/u.test(last) ||
    /(?:吗|呢|ですか|ますか|でしょうか|ましょうか)[。．.\s]*$/.test(last);
  const hits = findConcepts(last);
  const offered = hits.count[CONCEPT_AT.suggest]! > 0 && /[?？]/.test(last);
  return {
    end: choosing ? plainWords(before.slice(-OPTIONS_END)) : '',
    asked: question || offered || (OPTIONS.test(end) && /[?？]/.test(end)),
    failed: /error|exception|failed|cancel|interrupt|traceback|fehler|erreur|エラー|错误|失败/i.test(last),
  };
}
