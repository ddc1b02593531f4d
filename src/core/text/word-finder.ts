/** Where words stand: the text's index, offsets in UTF-16 units. */
export interface FoundWords {
  readonly text: number;
  readonly start: number;
  readonly end: number;
}

interface Squeezed {
  readonly text: string;
  /** For each character of `text`, its UTF-16 offset in what was squeezed. */
  readonly offsets: Uint32Array;
}

/** Finds words in texts, runs of white space taken as one space. A text is squeezed when it is first looked at. */
export class WordFinder {
  private readonly texts: readonly string[];
  private readonly squeezed: (Squeezed | undefined)[] = [];

  constructor(texts: readonly string[]) {
    this.texts = texts;
  }

  /** The last text that holds the words, and their first place in it; undefined when none does. Linear. */
  find(words: string): FoundWords | undefined {
    const wanted = words.replace(/\s+/g, ' ').trim();
    if (wanted === '') return undefined;
    for (let text = this.texts.length - 1; text >= 0; text--) {
      const squeezed = (this.squeezed[text] ??= squeeze(this.texts[text]!));
      const at = squeezed.text.indexOf(wanted);
      if (at === -1) continue;
      return { text, start: squeezed.offsets[at]!, end: squeezed.offsets[at + wanted.length - 1]! + 1 };
    }
    return undefined;
  }
}

function squeeze(text: string): Squeezed {
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
