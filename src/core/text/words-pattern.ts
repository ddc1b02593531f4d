/** The source of a regular expression that matches these words with any amount of white space between them. */
export const wordsPattern = (words: string): string =>
  words
    .trim()
    .replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`);
