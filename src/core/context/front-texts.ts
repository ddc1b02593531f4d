import type { KeyEventId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import { cjkUnits } from '../text/script.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { renderEvent, saysTheSame } from './render.ts';

/** A key event's line in the ledger, with its tokens, its line break included. */
export interface CountedLine {
  readonly line: string;
  readonly tokens: number;
}

/** A block of a request's front, before it is written. */
export interface BlockSource {
  /** What tells it from the other blocks of the same front. */
  readonly key: string;
  /** All that its text is made from: the text stays the same while they do. */
  readonly from: readonly (string | number | boolean)[];
  readonly render: () => string;
}

/** A block as it is sent, with its tokens, and its UTF-16 units of CJK text. */
export interface CountedBlock {
  readonly text: string;
  readonly tokens: number;
  readonly cjk: number;
}

type KeptLine = CountedLine & { readonly event: KeyEvent; readonly position: number; readonly role: string };
type KeptBlock = CountedBlock & Pick<BlockSource, 'from'>;

/**
 * The texts of a request's front and their tokens. Each is made and counted once: it is compared by what it is made
 * from, so that a commit costs what it changes, and what is compared is far less than what is written.
 */
export class FrontTexts {
  private readonly lines = new Map<KeyEventId, KeptLine>();
  private lastBlocks: ReadonlyMap<string, KeptBlock> = new Map();
  private readonly counter: TokenCounter;

  constructor(counter: TokenCounter) {
    this.counter = counter;
  }

  /** `position` (0-based, on the active branch) and `role` are those of the event's message. */
  line(event: KeyEvent, position: number, role: string): CountedLine {
    const known = this.lines.get(event.id);
    if (known?.position === position && known.role === role && saysTheSame(known.event, event)) return known;
    const line = renderEvent(event, position, role);
    const made = { event, position, role, line, tokens: this.counter.text(`${line}\n`) };
    this.lines.set(event.id, made);
    return made;
  }

  /** The blocks of one front, in their order; what stood in the one before is neither written nor counted again. */
  blocks(sources: readonly BlockSource[]): readonly CountedBlock[] {
    const before = this.lastBlocks;
    const now = new Map<string, KeptBlock>();
    const blocks = sources.map((source) => {
      const known = before.get(source.key);
      const block = known && isSame(known.from, source.from) ? known : this.block(source);
      now.set(source.key, block);
      return block;
    });
    this.lastBlocks = now;
    return blocks;
  }

  private block({ from, render }: BlockSource): KeptBlock {
    const text = render();
    return { from, text, tokens: this.counter.text(text), cjk: cjkUnits(text) };
  }
}

const isSame = (a: BlockSource['from'], b: BlockSource['from']): boolean =>
  a.length === b.length && a.every((part, at) => part === b[at]);
