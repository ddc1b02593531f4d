/**
 * A sentence for people that can be said in their language: its English text with holes `{0}`, `{1}`, and what fills
 * them. The parts that know no editor say what is wrong with one of these; whoever shows it chooses the language.
 */
export interface Phrase {
  readonly english: string;
  readonly values: readonly PhraseValue[];
}

export type PhraseValue = string | number | Phrase;

/** The English text is the key of its translations: it has to be written out where this is called. */
export function phrase(english: string, ...values: readonly PhraseValue[]): Phrase {
  return { english, values };
}

/** The phrase in the language that `translate` knows; what it does not know it gives back. */
export function spoken({ english, values }: Phrase, translate: (english: string) => string): string {
  return translate(english).replace(/\{(\d)\}/g, (hole, index: string) => {
    const value = values[Number(index)];
    if (value === undefined) return hole;
    return typeof value === 'object' ? spoken(value, translate) : String(value);
  });
}

export function inEnglish(said: Phrase): string {
  return spoken(said, (english) => english);
}
