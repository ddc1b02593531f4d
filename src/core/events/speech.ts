/** Signs that a message was spoken among several people and written down, not typed to a model. */
export interface Speech {
  /** It starts with its speaker's name, and so does the message before it, or it is spoken aloud. */
  readonly named: boolean;
  /** It holds sounds and repeated starts that nobody types. */
  readonly spoken: boolean;
}

const WRITTEN: Speech = { named: false, spoken: false };
/** Only this much of a message's start is looked at (UTF-16 units). */
const READ = 400;

/** A speaker's name or part at the start of what they say: "Ana:", "[00:12] Project Manager:", "**Kim (PM)**:". */
const SPEAKER =
  /^\s*(?:[[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?\s*[-–]?\s*)?\*{0,2}\p{L}[\p{L}\p{N}.'’-]{0,20}(?: [\p{L}\p{N}.'’()-]{1,20}){0,3}\*{0,2}\s?[:：]\*{0,2}\s/u;
/** Sounds between words, marks of transcribers, a word said twice while looking for the next. */
const SOUNDS =
  /(?:^|[\s,.])(?:u[hm]+|erm?|eh|mm+|hm+|mhm|äh+m?|ähm|euh|heu|este\.\.\.|ééé?)(?=[\s,.?!]|$)|\{\w+\}|\[(?:laughter|noise|inaudible|risas|risos|rires|lachen)\]|えーと|えっと|あのー|うーん|嗯+|呃+|\b(\p{L}{1,6}) \1 \1\b|\p{L} '(?:s|re|ve|ll|m|t)\b/iu;

/** Whether these words were spoken aloud. */
export const isSpoken = (text: string): boolean => SOUNDS.test(text);

/** What a message's start shows of how it came about; only people speak. */
export function speechOf(text: string, before: string | undefined, byUser: boolean): Speech {
  if (!byUser) return WRITTEN;
  const start = text.slice(0, READ);
  const spoken = isSpoken(start);
  const labelled = SPEAKER.test(start);
  return { spoken, named: labelled && (spoken || (before !== undefined && SPEAKER.test(before.slice(0, READ)))) };
}
