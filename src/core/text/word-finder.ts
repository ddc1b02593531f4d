/** Where words were found. Offsets are in UTF-16 units. */
export interface FoundWords {
  /** Index of the text. */
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

interface Normalized {
  readonly text: string;
  /** For each character of `text`, its UTF-16 offset in the original. */
  readonly offsets: Uint32Array;
}

/** Finds words in texts, ignoring differences in white space. A text is normalized on first use. */
export class WordFinder {
  private readonly texts: readonly string[];
  private readonly normalized: (Normalized | undefined)[] = [];

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  /** The last text that contains the words and their first position in it; undefined if none does. Linear. */
  find(words: string): FoundWords | undefined {
    const wanted = words.replace(/\s+/g, ' ').trim();
    if (wanted === '') return undefined;
    for (let text = this.texts.length - 1; text >= 0; text--) {
      const normalized = (this.normalized[text] ??= normalize(this.texts[text]!));
      const at = normalized.text.indexOf(wanted);
      if (at === -1) continue;
      return { text, start: normalized.offsets[at]!, end: normalized.offsets[at + wanted.length - 1]! + 1 };
    }
    return undefined;
  }
}

function normalize(text: string): Normalized {
  const offsets = new Uint32Array(text.length);
  const parts: string[] = [];
  let length = 0;
  for (const match of text.matchAll(/\s+|\S+/g)) {
    const space = /^\s/.test(match[0]);
    const part = space ? ' ' : match[0];
    for (let i = 0; i < part.length; i++) offsets[length++] = match.index + i;
    parts.push(part);
  }
  return { text: parts.join(''), offsets };
}
