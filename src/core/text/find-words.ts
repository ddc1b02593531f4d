/** Where words were found. Offsets are in UTF-16 units. */
export interface FoundWords {
  /** Index of the text. */
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

/** The last text that contains the words, ignoring differences in white space, and their first position in it. */
export function findWords(texts: readonly string[], words: string): FoundWords | undefined {
  const wanted = words.trim().replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
  if (wanted === '') return undefined;
  const pattern = new RegExp(wanted.replace(/\s+/g, String.raw`\s+`));
  for (const [text, content] of [...texts.entries()].reverse()) {
    const match = pattern.exec(content);
    if (match) return { text, start: match.index, end: match.index + match[0].length };
  }
  return undefined;
}
