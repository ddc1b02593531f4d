import * as v from 'valibot';
import type { Phrase } from '../core/text/phrase.ts';

let translated: Readonly<Record<string, string>> = {};

/** Reads the page's translations from JSON. Missing ones stay in English. */
export function readTranslations(data: string): void {
  const parsed = v.safeParse(v.record(v.string(), v.string()), JSON.parse(data));
  translated = parsed.success ? parsed.output : {};
}

/** Translates a text without replacing its placeholders. */
export const translate = (english: string): string =>
  Object.hasOwn(translated, english) ? translated[english]! : english;

/** Translates a phrase without values. */
export const phraseText = ({ english }: Phrase): string => translate(english);

/** Translates an English text and replaces `{0}`, `{1}`, … by the values. */
export function text(english: string, ...values: readonly (string | number)[]): string {
  return translate(english).replace(/\{(\d)\}/g, (placeholder, index: string) =>
    String(values[Number(index)] ?? placeholder),
  );
}
