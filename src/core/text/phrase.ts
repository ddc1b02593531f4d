/** A sentence with placeholders `{0}`, `{1}` and their values, which is translated where it's shown. */
export interface Phrase {
  readonly english: string;
  readonly values: readonly PhraseValue[];
}

export type PhraseValue = string | number | Phrase;

/** Creates a phrase. The English text is the key of its translations, so it must be a literal at the call. */
export const phrase = (english: string, ...values: readonly PhraseValue[]): Phrase => ({ english, values });

/** Renders a phrase with `translate`, which returns unknown texts unchanged. */
export function renderPhrase({ english, values }: Phrase, translate: (english: string) => string): string {
  return translate(english).replace(/\{(\d)\}/g, (hole, index: string) => {
    const value = values[Number(index)];
    if (value === undefined) return hole;
    return typeof value === 'object' ? renderPhrase(value, translate) : String(value);
  });
}

export const inEnglish = (sentence: Phrase): string => renderPhrase(sentence, (english) => english);
