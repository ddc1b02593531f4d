import type { Role } from '../model/message.ts';
import { isOutputOrCodeLine, type Line } from '../text/lines.ts';
import { speakerLabelAt } from '../text/speakers.ts';
import { findConcepts, hasConcept } from './concepts.ts';
import type { Segment } from './split-message.ts';

/** Traits of a message on which the features of its sentences depend. `before`: the text of the previous message. */
export const messageTraits = (
  role: Role,
  text: string,
  lines: readonly Line[],
  segments: readonly Segment[],
  before: string | undefined,
) => ({
  role,
  trailingQuestion: trailingQuestionOf(text),
  /** Whether it contains code or tool output. */
  code: lines.some((line) => isOutputOrCodeLine(line.kind)),
  /** Number of segments, and of those that are list items. */
  segments: segments.length,
  items: segments.filter(({ line }) => line.kind === 'bullet' || line.kind === 'numbered').length,
  speech: speechOf(text, before, role === 'user'),
  before: previousMessageTraits(segments.length === 0 ? undefined : before),
});
export type MessageTraits = ReturnType<typeof messageTraits>;

/** The end of a question, including languages whose questions need no question mark. */
export const QUESTION_END = /[?？؟][\s"'”’)\]*_】」）]*$|(?:吗|呢|か|かな|の)[。．.]?$/;

const CHOICE =
  /\bwhich\b|prefer|choose|\bpick\b|\boption|\bcu[aá]l|opci[oó]n|\bqual\b|op[cç][aã]o|laquelle|lequel|quelle|pr[eé]f[eé]r|choisi|welche|was ist dir|lieber|bevorzug|どれ|どちら|どっち|哪|选|選/i;

function trailingQuestionOf(text: string): 'choice' | 'other' | undefined {
  const last = text.slice(-200).trimEnd();
  if (!QUESTION_END.test(last.slice(-80).replace(/[\s\p{Extended_Pictographic}\uFE0F]+$/u, ''))) return undefined;
  return CHOICE.test(last.slice(-120)) ? 'choice' : 'other';
}

/** Length of the previous message's end that is examined, in UTF-16 units. */
const BEFORE_END = 700;

const OPTIONS = /(?:^|\n)\s*(?:\*\*)?(?:\d[.)]|[A-D][.)]|option [A-D1-9]|opção|opción)/i;

function previousMessageTraits(before: string | undefined) {
  if (before === undefined || before === '') return { asked: false, failed: false };
  const end = before.slice(-BEFORE_END).trimEnd();
  const last = end.slice(-220);
  const question =
    /[?？؟][\s"'”’)\]*_】」）\p{Extended_Pictographic}[\]A-Z]*$/u.test(last) ||
    /(?:吗|呢|ですか|ますか|でしょうか|ましょうか)[。．.\s]*$/.test(last);
  const offered = hasConcept(findConcepts(last), 'suggest') && /[?？؟]/.test(last);
  return {
    /** It asked something or offered options. */
    asked: question || offered || (OPTIONS.test(end) && /[?？؟]/.test(end)),
    /** It reports an error or was canceled. */
    failed: /error|exception|failed|cancel|interrupt|traceback|fehler|erreur|エラー|错误|失败/i.test(last),
  };
}

/** Length of a message's beginning that is examined, in UTF-16 units. */
const MAX_READ = 400;

/** Interjections, transcribers' marks, and words that are said twice. */
const SPOKEN =
  /(?:^|[\s,.])(?:u[hm]+|erm?|eh|mm+|hm+|mhm|äh+m?|ähm|euh|heu|este\.\.\.|ééé?)(?=[\s,.?!]|$)|\{\w+\}|\[(?:laughter|noise|inaudible|risas|risos|rires|lachen)\]|えーと|えっと|あのー|うーん|嗯+|呃+|\b(\p{L}{1,6}) \1 \1\b|\p{L} '(?:s|re|ve|ll|m|t)\b/iu;

export const isSpoken = (text: string): boolean => SPOKEN.test(text);

/** Signs of a conversation among people. The assistant's messages count, too: a game master may have that role. */
function speechOf(text: string, before: string | undefined, byUser: boolean) {
  const start = text.slice(0, MAX_READ);
  const spoken = byUser && isSpoken(start);
  const labelled = speakerLabelAt(text, 0) !== '';
  return {
    /** It has interjections and restarts that nobody types. */
    spoken,
    /** It starts with a speaker's name, and either the previous message does as well or it was spoken. */
    named: labelled && (spoken || (before !== undefined && speakerLabelAt(before, 0) !== '')),
  };
}
