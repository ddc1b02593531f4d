import type { TokenCounter } from './token-counter.ts';

/** A part of a request's front, before it is written. */
export interface TextSource {
  /** What tells it from the other parts. */
  readonly key: string;
  /** All that its text is made from: the text stays the same while they do. */
  readonly from: readonly (string | number | boolean)[];
  readonly render: () => string;
}

/** A part as it is sent, with its tokens. */
export interface CountedText {
  readonly text: string;
  readonly tokens: number;
}

type KeptText = CountedText & Pick<TextSource, 'from'>;

/**
 * The parts of a request's front and their tokens. Each is written and counted once: it is compared by what it is made
 * from, so that a commit costs what it changes.
 */
export class CountedTexts {
  private readonly lines = new Map<string, KeptText>();
  private lastBlocks: ReadonlyMap<string, KeptText> = new Map();
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /** A line of the ledger; its tokens include its line break. */
  line(source: TextSource): CountedText {
    const known = this.lines.get(source.key);
    if (known && isSame(known.from, source.from)) return known;
    const line = this.count(source, '\n');
    this.lines.set(source.key, line);
    return line;
  }

  /** The blocks of one front, in their order; those of the front before are neither written nor counted again. */
  blocks(sources: readonly TextSource[]): readonly CountedText[] {
    const before = this.lastBlocks;
    const now = new Map<string, KeptText>();
    const blocks = sources.map((source) => {
      const known = before.get(source.key);
      const block = known && isSame(known.from, source.from) ? known : this.count(source, '');
      now.set(source.key, block);
      return block;
    });
    this.lastBlocks = now;
    return blocks;
  }

  private count({ from, render }: TextSource, end: string): KeptText {
    const text = render();
    return { from, text, tokens: this.counter.text(text + end) };
  }
}

const isSame = (a: TextSource['from'], b: TextSource['from']): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at]);
