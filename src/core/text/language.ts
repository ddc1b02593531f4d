import { fold } from './fold.ts';
import { STOP_WORDS_BY_LANGUAGE } from './stop-words.ts';

const NAMES: Readonly<Record<string, string>> = {
  en: 'English',
  de: 'German',
  fr: 'French',
  es: 'Spanish',
  pt: 'Portuguese',
};

/** The languages of each stop word, except of letters such as "a", which is also English. */
const LANGUAGES_OF = new Map<string, string[]>();
for (const [language, words] of STOP_WORDS_BY_LANGUAGE)
  for (const word of words)
    if (word.length > 1) LANGUAGES_OF.set(word, [...(LANGUAGES_OF.get(word) ?? []), NAMES[language]!]);

/** Languages, or scripts that stand for theirs, by characters that hardly any other one has. */
const BY_CHARACTER: readonly (readonly [string, RegExp])[] = [
  ['Chinese', /\p{Script=Han}/gu],
  ['Japanese', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ...['Hangul', 'Cyrillic', 'Greek', 'Arabic', 'Hebrew', 'Devanagari', 'Thai'].map(
    (script) => [script, new RegExp(`\\p{Script=${script}}`, 'gu')] as const,
  ),
];
/** So many of these characters are as much text as one of the stop words takes, with the words around it. */
const CHARACTERS_PER_SIGN = 8;
/** The share of kana in Japanese, and the largest one in Chinese that mentions Japanese names. */
const KANA_SHARE = { japanese: 0.15, chinese: 0.02 } as const;

/** Code, quotations, and addresses, which may be in another language than the text around them. */
const QUOTED =
  /```[^]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|[“„][^“”„\n]*[“”]|«[^«»\n]*»|「[^「」\n]*」|『[^『』\n]*』|\w{1,20}:\/\/\S+/g;
/** Words, but not parts of paths, identifiers, and contractions. */
const WORD = /(?<![\p{L}\p{N}_./\\@'’-])\p{Script=Latin}+(?![\p{L}\p{N}_/\\@'’-]|\.\p{L})/gu;

/** With fewer signs, or fewer per word, a text is too short or has too many names to decide. */
const MIN_SIGNS = 5;
const MIN_SIGNS_PER_WORD = 0.08;
/** With a larger share of signs of another language, a text is mixed. */
const MAX_MIXED = 0.1;

/** Signs of languages: stop words and characters. */
interface Signs {
  readonly words: number;
  readonly all: number;
  /** Signs that a language has, alone or with others. */
  readonly of: ReadonlyMap<string, number>;
  /** Signs that only this language has. */
  readonly only: ReadonlyMap<string, number>;
}

/** Linear. */
function signsIn(text: string): Signs {
  const plain = text.replace(QUOTED, ' ');
  const of = new Map<string, number>();
  const only = new Map<string, number>();
  let all = 0;
  const add = (languages: readonly string[], count: number): void => {
    all += count;
    for (const signs of languages.length === 1 ? [of, only] : [of])
      for (const one of languages) signs.set(one, (signs.get(one) ?? 0) + count);
  };
  const words = plain.match(WORD) ?? [];
  for (const word of words) add(LANGUAGES_OF.get(fold(word)) ?? [], LANGUAGES_OF.has(fold(word)) ? 1 : 0);
  const characters = new Map(BY_CHARACTER.map(([name, pattern]) => [name, plain.match(pattern)?.length ?? 0]));
  const [han, kana] = [characters.get('Chinese')!, characters.get('Japanese')!];
  const kanaShare = kana / (han + kana);
  // Japanese has Han characters, too. With little kana, they are of either language.
  if (kanaShare >= KANA_SHARE.japanese) characters.set('Japanese', han + kana).delete('Chinese');
  else if (kanaShare > KANA_SHARE.chinese) {
    characters.delete('Chinese');
    add(['Chinese', 'Japanese'], han / CHARACTERS_PER_SIGN);
  }
  for (const [language, count] of characters) if (count > 0) add([language], count / CHARACTERS_PER_SIGN);
  return { words: words.length, all, of, only };
}

/** Whether signs are enough to decide on a text. */
const isEnough = (signs: number, { words }: Signs): boolean => signs >= Math.max(MIN_SIGNS, words * MIN_SIGNS_PER_WORD);

const signsOfOthers = ({ all, of }: Signs, language: string): number => all - (of.get(language) ?? 0);

/** The language of a text, or the script; undefined if it's unclear or mixed. */
function languageIn(signs: Signs): string | undefined {
  const [best] = [...signs.only].sort(([, a], [, b]) => b - a);
  if (!best || !isEnough(best[1], signs)) return undefined;
  return signsOfOthers(signs, best[0]) <= signs.all * MAX_MIXED ? best[0] : undefined;
}

/**
 * The language of a text, in English, or the name of its script, if a conversation is certainly in another one. `sides`
 * are what each side said. Undefined if either text is too short or mixed, or if a side uses this language.
 */
export function foreignLanguage(text: string, sides: readonly string[]): string | undefined {
  const language = languageIn(signsIn(text));
  if (language === undefined) return undefined;
  const isWithout = (signs: Signs): boolean =>
    (signs.only.get(language) ?? 0) <= signsOfOthers(signs, language) * MAX_MIXED;
  const conversation = signsIn(sides.join('\n'));
  if (!isEnough(signsOfOthers(conversation, language), conversation)) return undefined;
  return sides.every((side) => isWithout(signsIn(side))) ? language : undefined;
}
