/** Words of small closed sets, each with what it means in any language: a summary that has another one of the set errs. */
const SETS: Readonly<Record<string, string>> = {
  monday: 'monday lunes lundi montag segunda-feira segunda lunedi 月曜 周一 星期一',
  tuesday: 'tuesday martes mardi dienstag terca-feira terca martedi 火曜 周二 星期二',
  wednesday: 'wednesday miercoles mercredi mittwoch quarta-feira quarta mercoledi 水曜 周三 星期三',
  thursday: 'thursday jueves jeudi donnerstag quinta-feira quinta giovedi 木曜 周四 星期四',
  friday: 'friday viernes vendredi freitag sexta-feira sexta venerdi 金曜 周五 星期五',
  saturday: 'saturday sabado samedi samstag sonnabend sabato 土曜 周六 星期六',
  sunday: 'sunday domingo dimanche sonntag domenica 日曜 周日 星期日 星期天',
  january: 'january enero janvier januar janeiro gennaio',
  february: 'february febrero fevrier februar fevereiro febbraio',
  march: 'march marzo mars marz marco',
  april: 'april abril avril aprile',
  may: 'mayo mai maio maggio',
  june: 'june junio juin juni junho giugno',
  july: 'july julio juillet juli julho luglio',
  august: 'august agosto aout',
  september: 'september septiembre septembre setembro settembre',
  october: 'october octubre octobre oktober outubro ottobre',
  november: 'november noviembre novembre novembro',
  december: 'december diciembre decembre dezember dezembro dicembre',
};
const VALUES = new Map<string, string>();
for (const [value, words] of Object.entries(SETS)) for (const word of words.split(' ')) VALUES.set(word, value);
const JOINED = /(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜/g;
/** A text without case and accents. */
export const plain = (text: string): string =>
  /^[\0-\x7f]*$/.test(text) ? text.toLowerCase() : text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

const WORD = /[\p{L}\p{N}]+(?:-\p{L}+)*/gu;

/** Whether a word, without case and accents, names a day or a month. */
export const isClosed = (word: string): boolean => VALUES.has(word);

/** Days and months that a text names, whatever the language, with where. "May" is told from the verb by what is before. */
export function closedValues(text: string): { readonly value: string; readonly start: number }[] {
  const found: { value: string; start: number }[] = [];
  for (const match of plain(text).matchAll(WORD)) {
    const value = VALUES.get(match[0]);
    if (value !== undefined) found.push({ value, start: match.index });
  }
  for (const match of text.matchAll(JOINED)) {
    const value = VALUES.get(match[0]);
    if (value !== undefined) found.push({ value, start: match.index });
  }
  const may = /\b(?:of|in|until|by|since|end of|last|next) (?=May\b)/.exec(text);
  if (may) found.push({ value: 'may', start: may.index + may[0].length });
  return found;
}
