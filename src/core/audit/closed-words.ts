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
  '2': 'two dos deux zwei dois duas due',
  '3': 'three tres trois drei tre',
  '4': 'four cuatro quatre vier quatro quattro',
  '5': 'five cinco cinq funf cinque',
  '6': 'six seis sechs sei',
  '7': 'seven siete sept sieben sete sette',
  '8': 'eight ocho huit acht oito otto',
  '9': 'nine nueve neuf neun nove',
  '10': 'ten diez dix zehn dez dieci',
  // Spanish "once" (11) is left out: it is an English word.
  '11': 'eleven onze elf undici',
  '12': 'twelve doce douze zwolf doze dodici',
  '15': 'fifteen quince quinze funfzehn quindici',
  '16': 'sixteen dieciseis seize sechzehn dezesseis sedici',
  '17': 'seventeen diecisiete dix-sept siebzehn dezessete diciassette',
  '18': 'eighteen dieciocho dix-huit achtzehn dezoito diciotto',
  '20': 'twenty veinte vingt zwanzig vinte venti',
  '30': 'thirty treinta trente dreissig dreißig trinta trenta',
  '40': 'forty cuarenta quarante vierzig quarenta quaranta',
  '50': 'fifty cincuenta cinquante funfzig cinquenta cinquanta',
  '60': 'sixty sesenta soixante sechzig sessenta sessanta',
  '70': 'seventy setenta siebzig settanta',
  '80': 'eighty ochenta quatre-vingts achtzig oitenta ottanta',
  '90': 'ninety noventa quatre-vingt-dix neunzig novanta',
  '100': 'hundred cien ciento cent hundert cem cento',
};
/** Pairs of which one denies the other, where no negation shows it. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['before', 'after'],
  ['newest', 'oldest'],
  ['latest', 'oldest'],
  ['first', 'last'],
  ['changed', 'unchanged'],
  ['always', 'never'],
  ['siempre', 'nunca'],
  ['toujours', 'jamais'],
  ['immer', 'nie'],
  ['sempre', 'nunca'],
  ['sempre', 'mai'],
  ['with', 'without'],
  ['com', 'sem'],
  ['mit', 'ohne'],
  ['avec', 'sans'],
  ['enabled', 'disabled'],
  ['enable', 'disable'],
  ['minimum', 'maximum'],
  ['increased', 'decreased'],
  ['faster', 'slower'],
  ['antes', 'despues'],
  ['antes', 'depois'],
  ['avant', 'apres'],
  ['vorher', 'nachher'],
  ['local', 'remote'],
  ['synchronous', 'asynchronous'],
  ['encrypted', 'unencrypted'],
  ['public', 'private'],
];

const VALUES = new Map<string, string>();
for (const [value, words] of Object.entries(SETS)) for (const word of words.split(' ')) VALUES.set(word, value);
/** Small numbers in words, whatever the language, and the same in digits. */
export const SMALL_NUMBERS: ReadonlyMap<string, string> = new Map(
  [...VALUES].filter(([, value]) => /^\d+$/.test(value)),
);
const JOINED = /(?:周|星期)[一二三四五六日天]|[月火水木金土日]曜/g;
const OPPOSITES = new Map<string, string[]>();
for (const [one, other] of PAIRS) {
  OPPOSITES.set(one, [...(OPPOSITES.get(one) ?? []), other]);
  OPPOSITES.set(other, [...(OPPOSITES.get(other) ?? []), one]);
}

/** A text without case and accents. */
export const plain = (text: string): string => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');

const wordsOf = (text: string): string[] => plain(text).match(/[\p{L}\p{N}]+(?:-\p{L}+)*/gu) ?? [];

/** Days, months and small numbers that a text names, whatever the language. "May" is left out: it is a verb too. */
export function closedValues(text: string): Set<string> {
  const found = new Set<string>();
  for (const word of wordsOf(text)) {
    const value = VALUES.get(word) ?? (/^\d{1,3}$/.test(word) ? word : undefined);
    if (value !== undefined) found.add(value);
  }
  for (const [word] of text.matchAll(JOINED)) {
    const value = VALUES.get(word);
    if (value !== undefined) found.add(value);
  }
  if (/\b(?:of|in|until|by|since|end of|last|next) May\b/.test(text)) found.add('may');
  return found;
}

/** Whether a statement has the opposite of a word that its source has, and the source does not say the statement's. */
export function saysOpposite(statement: string, source: string): boolean {
  const said = new Set(wordsOf(statement));
  const there = new Set(wordsOf(source));
  for (const word of said) {
    const others = there.has(word) ? undefined : OPPOSITES.get(word);
    if (others?.some((other) => there.has(other) && !said.has(other)) === true) return true;
  }
  return false;
}
