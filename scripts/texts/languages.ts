/** The languages beside English, as the editor names them in the files of translations. */
export const LANGUAGES = ['es', 'ja', 'zh-cn', 'de', 'fr', 'pt-br'] as const;
export type Language = (typeof LANGUAGES)[number];

/** Texts by their key: the English itself in the code, a name in the manifest. */
export type Texts = Readonly<Record<string, string>>;

export interface Translations {
  readonly manifest: Texts;
  readonly code: Texts;
}
