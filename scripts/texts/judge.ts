import { holesOf } from './source-texts.ts';
import type { Language, Texts, Translations } from './languages.ts';

/** What is wrong with one language's translations; empty when nothing is. */
export function judgeTranslations(language: Language, english: Translations, translated: Translations): string[] {
  return [
    ...judge(`l10n/bundle.l10n.${language}.json`, english.code, translated.code, holesOf),
    ...judge(`package.nls.${language}.json`, english.manifest, translated.manifest, fixedParts),
  ];
}

function judge(
  file: string,
  english: Texts,
  translated: Texts,
  parts: (text: string) => ReadonlySet<string>,
): string[] {
  const faults: string[] = [];
  for (const [key, text] of Object.entries(english)) {
    const said = translated[key];
    if (said === undefined || said.trim() === '') faults.push(`${file} lacks “${key}”`);
    else if ([...parts(text)].sort().join() !== [...parts(said)].sort().join())
      faults.push(`${file}: “${key}” does not keep ${[...parts(text)].join(', ') || 'to its text without holes'}`);
  }
  for (const key of Object.keys(translated)) if (!(key in english)) faults.push(`${file}: nothing says “${key}”`);
  return faults;
}

/** What stays as it is in every language: code, links to commands, theme icons. */
function fixedParts(text: string): ReadonlySet<string> {
  return new Set(Array.from(text.matchAll(/`[^`]+`|\(command:[^)]+\)|\$\([\w-]+\)/g), ([part]) => part));
}
