import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from '../support/paths.ts';
import { checkWording, checkPlurals, checkTranslations, LANGUAGES, type Texts } from './check-translations.ts';
import { collectTexts } from './source-texts.ts';
import { checkTerms } from './terms.ts';

/** The file with the English texts in the code, for translators. Translations are in files next to it. */
export const BUNDLE = 'l10n/bundle.l10n.json';

interface TextsReport {
  /** The current content of `BUNDLE`. */
  readonly bundle: string;
  readonly count: number;
  readonly faults: readonly string[];
}

/** Checks all texts of the manifest, the host, and the page in all languages. */
export async function checkAllTexts(): Promise<TextsReport> {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => `src/${name.split(path.sep).join('/')}`);
  const source = collectTexts(root, files);
  const code = Object.fromEntries(source.english.map((text) => [text, text]));
  const english = { code, manifest: await readTexts('package.nls.json') };
  const faults = [
    ...source.faults,
    ...checkPlurals(source.english),
    ...checkWording(BUNDLE, english.code),
    ...checkWording('package.nls.json', english.manifest),
  ];
  for (const language of LANGUAGES) {
    const translated = {
      code: await readTexts(`l10n/bundle.l10n.${language}.json`),
      manifest: await readTexts(`package.nls.${language}.json`),
    };
    faults.push(...checkTranslations(language, english, translated), ...checkTerms(language, english, translated));
  }
  const bundle = `${JSON.stringify(code, null, 2)}\n`;
  if ((await readFile(path.join(root, BUNDLE), 'utf8')) !== bundle)
    faults.push(`${BUNDLE} is outdated: run "npm run texts"`);
  return { bundle, count: source.english.length + Object.keys(english.manifest).length, faults };
}

async function readTexts(file: string): Promise<Texts> {
  return JSON.parse(await readFile(path.join(root, file), 'utf8')) as Texts;
}
