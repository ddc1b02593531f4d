import { placeholdersOf } from './source-texts.ts';

/** The languages besides English, as VS Code names them in the names of translation files. */
export const LANGUAGES = ['es', 'ja', 'zh-cn', 'de', 'fr', 'pt-br'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Texts by key, which is the English text in the code, and a name in the manifest. */
export type Texts = Readonly<Record<string, string>>;

export interface Translations {
  readonly manifest: Texts;
  readonly code: Texts;
}

/** Faults in the translations to one language; empty if there are none. */
export function checkTranslations(language: Language, english: Translations, translated: Translations): string[] {
  return [
    ...checkTexts(`l10n/bundle.l10n.${language}.json`, english.code, translated.code, placeholdersOf),
    ...checkTexts(`package.nls.${language}.json`, english.manifest, translated.manifest, fixedParts),
  ];
}

function checkTexts(
  file: string,
  english: Texts,
  translated: Texts,
  parts: (text: string) => ReadonlySet<string>,
): string[] {
  const faults: string[] = [];
  for (const [key, text] of Object.entries(english)) {
    const translation = translated[key];
    if (translation === undefined || translation.trim() === '') faults.push(`${file} lacks “${key}”`);
    else if ([...parts(text)].sort().join() !== [...parts(translation)].sort().join())
      faults.push(`${file}: “${key}” must contain exactly ${[...parts(text)].join(', ') || 'no placeholders'}`);
  }
  for (const key of Object.keys(translated)) if (!(key in english)) faults.push(`${file}: “${key}” is unused`);
  return faults;
}

/** The parts of a text that aren't translated: code, links to commands, theme icons. */
function fixedParts(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/`[^`]+`|\(command:[^)]+\)|\$\([\w-]+\)/g), ([part]) => part));
}

/**
 * Nouns that the product shows with a count. `tokens` is only included if the text consists of nothing else, because a
 * number of tokens is never 1 in other texts.
 */
const NOUNS =
  'messages|sessions|summaries|key events|compressions|steps|models|results|statements|memories|entries|(?:\\w+ )?lines|leftover files|seconds|problems|preferences';
const COUNTED = new RegExp(`(?<![/→–]\\s?)\\{\\d\\} (${NOUNS}|(?<=^\\{0\\} )tokens$)`, 'g');

/**
 * Texts with a count that have no singular form. For `{0} messages → {1}`, there must be a text that begins with
 * `1 message`.
 */
export function checkPlurals(english: readonly string[]): readonly string[] {
  return english.flatMap((text) =>
    Array.from(text.matchAll(COUNTED)).flatMap(({ 0: counted, index, 1: nouns = '' }) => {
      const isEnd = index + counted.length === text.length;
      const one = `${text.slice(0, index)}1 ${nouns.replace(/ies$/, 'y').replace(/s$/, '')}`;
      return english.some((other) => (isEnd ? other === one : other.startsWith(one)))
        ? []
        : [`“${text}”: no text contains “${one}”`];
    }),
  );
}

/** Wording that UI texts must avoid, and what to write instead. */
const AVOIDED_WORDING: readonly (readonly [RegExp, string])[] = [
  [/\bword for word\b/i, 'verbatim'],
  [
    /\bwhat (?:was|is|has been|would be|stands)\b(?! sent)(?!.*\?)|\ball that (?:was|is)\b|\bwho (?:answers|writes|checks)\b/i,
    'a noun',
  ],
  [/\b(?:reset|models|level|window|reasoning|end) of the (?:task|editor|model|reply)\b/i, 'a compound: task reset'],
  [/\bEmpty: /, 'Leave empty to …'],
  [/\bby code\b|\bcode (?:found|stands)\b/i, 'extractive, or without a model'],
  [/(?<!there )\b(?:is|are) no (?!longer)[a-z]+\b/i, 'isn’t a …'],
  [/\b(?:no|without|more) room\b/i, 'space, or doesn’t fit'],
  [/\bfor good\b/i, 'permanently'],
  [/\bof (?:your|its|one's|one’s) own\b/i, 'your own, or separate'],
  [/\b(?:anew|by itself|meanwhile)\b/i, 'again, automatically, in the meantime'],
  [/\b(?:tells|speaks|told) of\b/i, 'mentions'],
  [/\bevery so many\b|\bso many\b/i, 'every N'],
  [/\b(?:reply|replies|replying)\b/i, 'response'],
  [/\bchoose\b|\bchosen\b/i, 'select, selected'],
  [
    /\bcannot\b|\bcould not\b|\bdoes not\b|\bdid not\b|\bis not\b|\bare not\b|\bwas not\b|\bmay not\b/i,
    'a contraction: can’t',
  ],
  [/\d %|\} %/, '26%, without a space'],
  [/\bsidebar\b/i, 'Side Bar'],
  [/\bcancelled\b/, 'canceled'],
  [/\b(?:whole number)\b/i, 'integer'],
  [/[a-z]'[a-z]/i, 'the apostrophe ’'],
  [/\w, (?!for )[\w ]{1,20}[a-z] (?:and|or) \w+/, 'the serial comma'],
  [/[^.…]: (?:choose|set|try|check|compress|switch|take|free|open|start|add|rephrase) [^:]*[.]$/, 'two sentences'],
];

/** English texts with wording to avoid. Code in backticks and links to commands are ignored. */
export function checkWording(file: string, english: Texts): readonly string[] {
  return Object.entries(english).flatMap(([key, text]) => {
    const words = text.replace(/`[^`]*`|\(command:[^)]*\)|threadkeeper\.[\w.]+/g, '');
    return AVOIDED_WORDING.flatMap(([pattern, instead]) => {
      const found = pattern.exec(words);
      return found ? [`${file}: “${key}” says “${found[0]}”; write ${instead}`] : [];
    });
  });
}
