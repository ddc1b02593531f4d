import { fold } from './fold.ts';

/** In UTF-16 units. Longer labels aren't names. */
const MAX_LABEL = 120;

/**
 * A speaker label, in which all words but a name's particles begin with a capital: "Ana:", "Juan de la Cruz:", "[00:12]
 * Project Manager:", "**Kim (PM)**:". Articles alone aren't particles, because they also follow verbs: "Corrige le
 * Dockerfile:", "Ändere den Port:".
 */
const SPEAKER =
  /^\s*(?:[[(]?\d{1,2}:\d{2}(?::\d{2})?[\])]?\s*[-–]?\s*)?\*{0,2}(?<name>[\p{Lu}\p{Lo}][\p{L}\p{N}.'’-]{0,20}(?: (?:(?:de l(?:a|as|os)|d[aeio]|dos|del|della|(?:van|von)(?: de[nr])?|te[nr]|bin|ibn) )?[\p{Lu}\p{Lo}\p{N}(][\p{L}\p{N}.'’()-]{0,19}){0,3})\*{0,2}\s?[:：]\*{0,2}\s/u;

/** Labels of mails and minutes. In longer labels, these words may be part of a name: "To Minh", "Robert De Niro". */
const HEADERS =
  'from|to|b?cc|sent|re|fwd|von|gesendet|aw|wg|de|para|envi?ado|envoye|time|location|uhrzeit|ort|hora|lugar|lieu';

/**
 * Words of a label that isn't a name, in English, Spanish, German, French, and Portuguese: "Note", "Release Date". Without
 * words that are also common names or roles, such as "Link", "Edit", and "Importer".
 */
const FIELDS =
  'dates|datum|fecha|not(?:e|a)s?|remarques?|hinweise?|observac\\w+|updates?|a[ck]?tualiza\\w+|aktualisierung|subject|as+unto|betreff|' +
  'obje(?:to?|kte?|ctions?|ciones|ctives?|ctifs?|c?tivos?)|topics?|thema|tema|agenda|minutes|(?:ergebnis)?protokoll|tagesordnung|' +
  'decisi(?:ons?|ones)|decis(?:ao|oes)|entscheidung(?:en)?|beschlusse?|acuerdos?|actions?|todos?|tasks?|aufgaben?|tareas?|taches?|steps?|' +
  'schritte?|pasos|etapes?|items?|issues?|quest(?:ions?|ao|oes)|fragen?|preguntas?|perguntas?|answers?|antwort(?:en)?|respuestas?|' +
  'respostas?|reponses?|attach(?:ed|ments?)|anhang|anlagen?|adjuntos?|anexos?|summary|resum(?:e[ns]?|enes|os?)|zusammenfassung|' +
  'conclus(?:ions?|iones|ao|oes)|fazit|result(?:s|ad?o?s?)?|ergebnis(?:se)?|problem(?:as?|es?|s)?|solu(?:tions?|cion|ciones|cao|coes)|' +
  'losung(?:en)?|ex[ae]mples?|exemplos?|ejemplos?|beispiele?|version(?:en|es|s)?|release|correc(?:tions?|cion|ciones|cao|coes)|' +
  'fix(?:ed|es)?|behoben|added|removed|change[ds]?|cambios?|status|estado|priorit(?:y|ies|es?|at|aten)|prioridad(?:es?)?|deadline|frist|' +
  'plazo|delais?|prazo|warnings?|warnung|attention|achtung|importante?s?|wichtig|reminder|rappel|info|ps|fyi|tl;?dr|(?!terror)\\w*error|' +
  '\\w*exception|fehler|erreurs?';

/** What has a date. Other words before "Date" are first names: "Masamune Date". */
const DATED =
  'due|release|start|end|meeting|delivery|launch|target|issue|effective|expiry|expiration|closing|order|invoice|event|publication|' +
  'creation|birth|review|update|departure|arrival|last|next|new';

/** Headings above all people of a meeting. With a number, or for one person, they are speakers: "Participant 2". */
const PEOPLE = 'attendees|participants|participantes|teilnehm(?:er|ende|erinnen)|asistentes';

const NOT_A_NAME = new RegExp(
  `^(?:${HEADERS}|(?:(?:\\S+ ){0,2}(?:${FIELDS})|(?:(?:\\S+ )?(?:${DATED}) )?date)(?: (?:\\d|d[aeo]).*)?|(?:\\S+ ){0,2}(?:${PEOPLE}))$`,
);

/** The speaker label at `start` of a text, such as "Ana:"; empty if there is none. */
export function speakerLabelAt(text: string, start: number): string {
  const found = SPEAKER.exec(text.slice(start, start + MAX_LABEL));
  return found && !NOT_A_NAME.test(fold(found.groups!['name']!)) ? found[0].trim() : '';
}

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
