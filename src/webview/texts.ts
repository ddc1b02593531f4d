import * as v from 'valibot';

let translated: Readonly<Record<string, string>> = {};

/** Reads the page's translations from JSON. Missing ones stay in English. */
export function readTranslations(data: string): void {
  const parsed = v.safeParse(v.record(v.string(), v.string()), JSON.parse(data));
  translated = parsed.success ? parsed.output : {};
}

/** Translates an English text and replaces `{0}`, `{1}`, … by the values. */
export function text(english: string, ...values: readonly (string | number)[]): string {
  const template = Object.hasOwn(translated, english) ? translated[english]! : english;
  return template.replace(/\{(\d)\}/g, (placeholder, index: string) => String(values[Number(index)] ?? placeholder));
}
