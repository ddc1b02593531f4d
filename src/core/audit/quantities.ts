import { plain } from './closed-words.ts';
import { numberOfWord } from './number-values.ts';

/** A number with its unit, in the smallest unit of its kind. */
interface Quantity {
  readonly kind: 'time' | 'bytes';
  readonly value: number;
  /** Of how many smallest units one of its own is. */
  readonly unit: number;
  /** The number as it is written in digits. */
  readonly number: string;
}

const SECOND = 1000;
const DAY = 86_400 * SECOND;
/** Units in milliseconds and bytes, in the languages of the product's transcripts; a month counts 30 days. */
const UNITS: readonly (readonly [RegExp, Quantity['kind'], number])[] = [
  [/^(?:ms|milliseconds?|millisekunden?|millisecondes?|milisegundos?|millisecond[oi])$/, 'time', 1],
  [/^(?:s|secs?|seconds?|sekunden?|secondes?|segundos?|second[oi])$/, 'time', SECOND],
  [/^(?:min|mins|minutes?|minuten?|minutos?|minut[oi])$/, 'time', 60 * SECOND],
  [/^(?:h|hrs?|hours?|stunden?|heures?|horas?|or[ae])$/, 'time', 3600 * SECOND],
  [/^(?:d|days?|tage?n?|jours?|dias?|giorn[oi])$/, 'time', DAY],
  [/^(?:weeks?|wochen?|semaines?|semanas?|settiman[ae])$/, 'time', 7 * DAY],
  [/^(?:months?|monate?n?|mois|mes|meses|mesi?)$/, 'time', 30 * DAY],
  [/^(?:quarters?|quartale?n?)$/, 'time', 90 * DAY],
  [/^(?:years?|jahre?n?|ans?|annees?|anos?|ann[oi])$/, 'time', 365 * DAY],
  [/^(?:b|bytes?|octets?)$/, 'bytes', 1],
  [/^(?:kb|kib|kilobytes?)$/, 'bytes', 1e3],
  [/^(?:mb|mib|megabytes?)$/, 'bytes', 1e6],
  [/^(?:gb|gib|gigabytes?)$/, 'bytes', 1e9],
];
/** Two ways to say the same length of time are so near to each other: 12 months and 365 days. */
const SAME = 0.02;

const PHRASE = /(\d+(?:[.,]\d+)*|[\p{L}]+)[\s-]?(?:(?:an?|a|of)\s)?(\p{L}+)/gu;

/** Whether and how a text's numbers with units stand in another text. */
export class Quantities {
  readonly #said: readonly Quantity[];

  constructor(text: string) {
    this.#said = quantitiesOf(text);
  }

  /** Numbers that the other text gives as the same amount, whatever the unit. */
  heldBy(other: Quantities): ReadonlySet<string> {
    return new Set(this.#said.filter((one) => other.#holds(one)).map(({ number }) => number));
  }

  /** Whether a number is there with other units alone: "90 seconds" where the other text has "90 days". */
  differsFrom(other: Quantities): boolean {
    return this.#said.some(
      (one) => !other.#holds(one) && other.#said.some(({ kind, number }) => kind === one.kind && number === one.number),
    );
  }

  #holds({ kind, value, unit }: Quantity): boolean {
    // In the same unit another number is another amount.
    return this.#said.some(
      (one) => one.kind === kind && Math.abs(one.value - value) <= (one.unit === unit ? 0 : SAME * value),
    );
  }
}

function quantitiesOf(text: string): Quantity[] {
  const found: Quantity[] = [];
  const lower = plain(text);
  PHRASE.lastIndex = 0;
  for (let match = PHRASE.exec(lower); match; match = PHRASE.exec(lower)) {
    // What is no number may be followed by one.
    PHRASE.lastIndex = match.index + match[1]!.length;
    const number = numberOf(match[1]!);
    const unit = number === undefined ? undefined : UNITS.find(([name]) => name.test(match[2]!));
    if (number !== undefined && unit)
      found.push({ kind: unit[1], value: number * unit[2], unit: unit[2], number: String(number) });
  }
  return found;
}

function numberOf(word: string): number | undefined {
  if (/^\d/.test(word)) return Number(word.replace(/[,.](?=\d{3}\b)/g, '').replace(',', '.'));
  if (word === 'half') return 0.5;
  if (/^(?:an?|one|eine?[rnms]?|une?|uma?|un[ao])$/.test(word)) return 1;
  return numberOfWord(word);
}
