import * as v from 'valibot';

let translated: Readonly<Record<string, string>> = {};

/** Takes the translations that the host wrote into the page, by their English; what is missing stays English. */
export function readTranslations(data: string): void {
  const parsed = v.safeParse(v.record(v.string(), v.string()), JSON.parse(data));
  translated = parsed.success ? parsed.output : {};
}

/** A text of the page, given in English, in the editor's language; its values take the places of `{0}`, `{1}`. */
export function text(english: string, ...values: readonly (string | number)[]): string {
  const template = Object.hasOwn(translated, english) ? translated[english]! : english;
  return template.replace(/\{(\d)\}/g, (hole, index: string) => String(values[Number(index)] ?? hole));
}
