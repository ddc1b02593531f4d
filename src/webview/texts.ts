import * as v from 'valibot';

let translated: Readonly<Record<string, string>> = {};

/** Reads the translations that the host has put in the page; missing ones stay in English. */
export function readTranslations(data: string): void {
  const parsed = v.safeParse(v.record(v.string(), v.string()), JSON.parse(data));
  translated = parsed.success ? parsed.output : {};
}

/** A translated text of the page, by its English; values replace `{0}`, `{1}`. */
export function text(english: string, ...values: readonly (string | number)[]): string {
  const template = Object.hasOwn(translated, english) ? translated[english]! : english;
  return template.replace(/\{(\d)\}/g, (hole, index: string) => String(values[Number(index)] ?? hole));
}
