import { plain } from './closed-words.ts';

/** Number words by value, in English, Spanish, French, German, Portuguese and Italian; what is below 20 and tens. */
const WORDS: readonly (readonly [number, string])[] = [
  [2, 'two dos deux zwei dois duas due'],
  [3, 'three tres trois drei tre'],
  [4, 'four cuatro quatre vier quatro quattro'],
  [5, 'five cinco cinq funf cinque'],
  [6, 'six seis sechs sei'],
  [7, 'seven siete sept sieben sete sette'],
  [8, 'eight ocho huit acht oito otto'],
  [9, 'nine nueve neuf neun nove'],
  [10, 'ten diez dix zehn dez dieci'],
  // Spanish "once" (11) is left out: it is an English word.
  [11, 'eleven onze elf undici'],
  [12, 'twelve doce douze zwolf doze dodici'],
  [13, 'thirteen trece treize dreizehn treze tredici'],
  [14, 'fourteen catorce quatorze vierzehn quattordici'],
  [15, 'fifteen quince quinze funfzehn quindici'],
  [16, 'sixteen dieciseis seize sechzehn dezesseis sedici'],
  [17, 'seventeen diecisiete dix-sept siebzehn dezessete diciassette'],
  [18, 'eighteen dieciocho dix-huit achtzehn dezoito diciotto'],
  [19, 'nineteen diecinueve dix-neuf neunzehn dezenove diciannove'],
  [20, 'twenty veinte vingt zwanzig vinte venti'],
  [30, 'thirty treinta trente dreissig dreißig trinta trenta'],
  [40, 'forty cuarenta quarante vierzig quarenta quaranta'],
  [50, 'fifty cincuenta cinquante funfzig cinquenta cinquanta'],
  [60, 'sixty sesenta soixante sechzig sessenta sessanta'],
  [70, 'seventy setenta soixante-dix siebzig settanta'],
  [80, 'eighty ochenta quatre-vingts achtzig oitenta ottanta'],
  [90, 'ninety noventa quatre-vingt-dix neunzig novanta'],
];
const HUNDREDS = new Set('hundred hundreds cien ciento cent hundert cem cento'.split(' '));
const THOUSANDS = new Set('thousand thousands mil mille tausend mila'.split(' '));
/** Words that are mostly something else where they stand outside their language. */
const AMBIGUOUS: ReadonlyMap<string, RegExp> = new Map([
  ['dos', /(?:^|\s)(?:el|los|las|y|del|se)(?=\s)/],
  ['due', /(?:^|\s)(?:il|gli|di|che|nel|nella|sono)(?=\s)/],
  ['sei', /(?:^|\s)(?:il|gli|di|che|nel|nella|sono)(?=\s)/],
  ['sept', /(?:^|\s)(?:le|les|des|et|est|du)(?=\s)/],
  ['cent', /(?:^|\s)(?:le|les|des|et|est|du)(?=\s)/],
  ['mil', /(?:^|\s)(?:de|do|da|o|os|el|los|e|y)(?=\s)/],
  ['elf', /(?:^|\s)(?:der|die|das|und|ist|mit)(?=\s)/],
  ['acht', /(?:^|\s)(?:der|die|das|und|ist|mit)(?=\s)/],
  ['tres', /(?:^|\s)(?:el|los|las|y|de|o|os|do|da)(?=\s)/],
]);

const VALUE = new Map(WORDS.flatMap(([value, words]) => words.split(' ').map((word) => [word, value] as const)));
const GERMAN_UNITS: ReadonlyMap<string, number> = new Map(
  'ein zwei drei vier funf sechs sieben acht neun'.split(' ').map((word, at) => [word, at + 1]),
);
const GERMAN = /^(ein|zwei|drei|vier|funf|sechs|sieben|acht|neun)und(\w+)$/;

/** The value of a small number or a ten in words, whatever the language. */
export const numberOfWord = (word: string): number | undefined => VALUE.get(word);

/** Whether a word, without case and accents, may tell a number or be part of one. */
export const isNumberWord = (word: string): boolean =>
  VALUE.has(word) || HUNDREDS.has(word) || THOUSANDS.has(word) || GERMAN.test(word);

/** A number in a text: every value that its writing may mean, as a decimal, and where it stands (UTF-16 units). */
export interface NumberMention {
  readonly values: readonly string[];
  readonly start: number;
  readonly end: number;
  readonly inWords: boolean;
}

const TOKEN = /\d+(?:[.,:'’]\d+)*|[\p{L}]+(?:-vingts?(?:-dix)?|-(?:sept|huit|neuf|dix)\b)?/gu;
const BEFORE = /[a-z_\u00df-\u04ff]/u;

/**
 * The numbers of a text, in digits and in words. "1.800" is both 1.8 and 1800: who wrote it does not say. Digits within
 * a name ("F841") are none. Linear.
 */
export function numbersIn(text: string): NumberMention[] {
  const lower = plain(text);
  // Accents may change the length; offsets then serve as an order only.
  const found: NumberMention[] = [];
  let run: { value: number; start: number; end: number } | undefined;
  const flush = (): void => {
    if (run) found.push({ values: [String(run.value)], start: run.start, end: run.end, inWords: true });
    run = undefined;
  };
  for (const match of lower.matchAll(TOKEN)) {
    const word = match[0];
    const start = match.index;
    const end = start + word.length;
    if (/^\d/.test(word)) {
      flush();
      if (start > 0 && BEFORE.test(lower[start - 1]!)) continue;
      const factor = /^\s?(k|thousand|mil|mille|tausend|million|millones|milhoes|millionen|mio)\b/.exec(
        lower.slice(end, end + 11),
      )?.[1];
      found.push({ values: digitValues(word, factor), start, end, inWords: false });
      continue;
    }
    const gap = run === undefined ? '' : lower.slice(run.end, start);
    const joins = run !== undefined && /^\s?-?\s?$/.test(gap);
    const value = valueOf(word, lower);
    if (value === undefined) {
      if (run && /^(?:and|y|e|et|und)$/.test(word) && run.value % 10 === 0 && /^\s$/.test(gap)) {
        run = { ...run, end };
        continue;
      }
      flush();
      continue;
    }
    if (HUNDREDS.has(word) || THOUSANDS.has(word)) {
      if (run && joins && run.value < value) run = { value: run.value * value, start: run.start, end };
      else {
        flush();
        run = { value, start, end };
      }
      continue;
    }
    const fits =
      run !== undefined &&
      joins &&
      ((run.value % 100 === 0 && value < 100) || (run.value % 10 === 0 && run.value % 100 >= 20 && value < 10));
    if (run && fits) run = { value: run.value + value, start: run.start, end };
    else {
      flush();
      run = { value, start, end };
    }
  }
  flush();
  return found;
}

function valueOf(word: string, text: string): number | undefined {
  if (AMBIGUOUS.get(word)?.test(text) === false) return undefined;
  if (HUNDREDS.has(word)) return 100;
  if (THOUSANDS.has(word)) return 1000;
  const german = GERMAN.exec(word);
  const tens = german ? VALUE.get(german[2]!) : undefined;
  if (german && tens !== undefined) return GERMAN_UNITS.get(german[1]!)! + tens;
  return VALUE.get(word);
}

function digitValues(digits: string, factor: string | undefined): string[] {
  const values = new Set<string>();
  const add = (text: string): void => {
    values.add(text);
    if (factor !== undefined) values.add(String(Number(text) * (/^mi[lo]{2}|^mio/.test(factor) ? 1e6 : 1e3)));
  };
  if (digits.includes(':')) values.add(digits);
  else if (/^\d+$/.test(digits)) add(String(Number(digits)));
  else {
    const grouped = /^\d{1,3}(?:[.,'’]\d{3})+$/.test(digits);
    if (grouped) add(digits.replace(/[.,'’]/g, ''));
    if (/^\d+[.,]\d+$/.test(digits)) add(String(Number(digits.replace(',', '.'))));
    else if (/^\d{1,3}(?:[.,]\d{3})+[.,]\d+$/.test(digits))
      add(String(Number(digits.replace(/[.,](?=\d{3})/g, '').replace(',', '.'))));
    if (values.size === 0 || /^\d+(?:\.\d+){2,}$/.test(digits)) values.add(digits);
  }
  return [...values];
}
