/** In UTF-16 units. Longer labels aren't names. */
const MAX_LABEL = 120;

/**
 * A speaker label, in which all words but a name's particles begin with a capital: "Ana:", "Juan de la Cruz:", "[00:12]
 * Project Manager:", "**Kim (PM)**:". Articles alone aren't particles, because they also follow verbs: "Corrige le
 * Dockerfile:", "Ändere den Port:".
 */
const SPEAKER =
  /^\s*(?:[[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?\s*[-–]?\s*)?\*{0,2}[\p{Lu}\p{Lo}][\p{L}\p{N}.'’-]{0,20}(?: (?:(?:de l(?:a|as|os)|d[aeio]|dos|del|della|(?:van|von)(?: de[nr])?|te[nr]|bin|ibn) )?[\p{Lu}\p{Lo}\p{N}(][\p{L}\p{N}.'’()-]{0,19}){0,3}\*{0,2}\s?[:：]\*{0,2}\s/u;

/** The speaker label at `start` of a text, such as "Ana:"; empty if there is none. */
export const speakerLabelAt = (text: string, start: number): string =>
  SPEAKER.exec(text.slice(start, start + MAX_LABEL))?.[0].trim() ?? '';

/** Length of the text before a quote that is searched for a speaker, in UTF-16 units. Bounds the time on long lines. */
const MAX_SPEECH = 4_000;

/** The speaker label of the line on which a quote starts; empty if there is none or the quote starts with a label. */
export function speakerBefore(text: string, quoteStart: number): string {
  if (speakerLabelAt(text, quoteStart) !== '') return '';
  const from = Math.max(0, quoteStart - MAX_SPEECH);
  const before = text.slice(from, quoteStart);
  const lineStart = before.lastIndexOf('\n') + 1;
  return lineStart === 0 && from > 0 ? '' : speakerLabelAt(before, lineStart);
}

/** A quote after the label of its speaker, unless it already starts with that. */
export const withSpeaker = (speaker: string | undefined, quote: string): string =>
  speaker === undefined || quote.startsWith(speaker) ? quote : `${speaker} … ${quote}`;
