import { messageText, type Message } from '../model/message.ts';
import { yieldIfDue, type Yielder } from '../pace/yielder.ts';
import { TextIndex } from '../search/text-index.ts';
import { blankTerminalCodes } from '../text/terminal-codes.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';

/** Lines of up to about 400 characters, or parts of longer lines. */
const PASSAGE = /[^]{1,400}(?:\n|$)|[^]{1,400}\s|[^]{1,400}/gu;
/** Maximum number of search results per statement. */
const MAX_HITS = 40;
/** If there are more characters per available token, the messages can't fit, so they aren't counted. */
const MAX_CHARS_PER_TOKEN = 8;
/** Minimum room for a passage, in tokens. */
const MIN_ROOM = 6;
const GAP = '…';
const GAP_TOKENS = 3;

interface SourceExcerpt {
  readonly text: string;
  /** Indexes of the messages that it contains, in order. */
  readonly messages: readonly number[];
  /** Indexes of statements whose best passage didn't fit. */
  readonly unshown: ReadonlySet<number>;
}

/** Creates excerpts of messages about statements. The messages are only indexed if they don't all fit. */
export class SourceExcerpts {
  readonly #passages: readonly { readonly message: number; readonly heading: string; readonly text: string }[];
  readonly #counter: TokenCounter;
  readonly #yielder: Yielder;
  #index: Promise<TextIndex> | undefined;

  constructor(messages: readonly Pick<Message, 'role' | 'content'>[], counter: TokenCounter, yielder: Yielder) {
    this.#passages = messages.flatMap((one, message) =>
      Array.from(blankTerminalCodes(messageText(one)).matchAll(PASSAGE), ([text]) => text.trim())
        .filter((text) => text !== '')
        .map((text) => ({ message, heading: `[${message + 1}] ${one.role}:`, text })),
    );
    this.#counter = counter;
    this.#yielder = yielder;
  }

  /**
   * An excerpt about statements, in order and within `maxTokens`: everything if it fits, or else search results for
   * each statement, the best ones first and with their neighbors. Each message has a heading with its number (from 1)
   * and its speaker.
   */
  async of(statements: readonly string[], maxTokens: number): Promise<SourceExcerpt> {
    const chars = this.#passages.reduce((sum, { text }) => sum + text.length, 0);
    const all = [...this.#passages.keys()];
    const whole = chars <= maxTokens * MAX_CHARS_PER_TOKEN ? this.#render(all) : undefined;
    if (whole !== undefined && this.#counter.text(whole) <= maxTokens) return this.#excerpt(all, whole, []);
    const index = await (this.#index ??= this.#createIndex());
    const found: (readonly number[])[] = [];
    for (const statement of statements) {
      found.push(index.search(statement, { limit: MAX_HITS }).map(({ id }) => Number(id)));
      await yieldIfDue(this.#yielder);
    }
    const selected = await this.#select(found, maxTokens);
    return this.#excerpt(selected, this.#render(selected), found);
  }

  async #createIndex(): Promise<TextIndex> {
    const index = new TextIndex();
    for (const [at, { text }] of this.#passages.entries()) await index.addYielding(String(at), text, {}, this.#yielder);
    return index;
  }

  async #select(found: readonly (readonly number[])[], maxTokens: number): Promise<number[]> {
    const selected = new Set<number>();
    const withHeading = new Set<number>();
    let room = maxTokens;
    for (let rank = 0; rank < MAX_HITS && room >= MIN_ROOM; rank++) {
      const hits = found.flatMap((one) => one[rank] ?? []);
      for (const at of rank > 0 ? hits : [0, 1, -1].flatMap((offset) => hits.map((hit) => hit + offset))) {
        const passage = this.#passages[at];
        if (passage === undefined || selected.has(at)) continue;
        const heading = withHeading.has(passage.message) ? '' : `${passage.heading}\n`;
        const cost = this.#counter.text(heading + passage.text) + 2 * GAP_TOKENS;
        await yieldIfDue(this.#yielder);
        if (cost > room) continue;
        room -= cost;
        selected.add(at);
        withHeading.add(passage.message);
      }
    }
    return [...selected];
  }

  #render(selected: readonly number[]): string {
    const lines: string[] = [];
    let before = -1;
    for (const at of selected.toSorted((one, other) => one - other)) {
      const { message, heading, text } = this.#passages[at]!;
      if (at !== before + 1) lines.push(GAP);
      if (message !== this.#passages[before]?.message) lines.push(heading);
      lines.push(text);
      before = at;
    }
    if (before < this.#passages.length - 1) lines.push(GAP);
    return lines.join('\n');
  }

  #excerpt(selected: readonly number[], text: string, found: readonly (readonly number[])[]): SourceExcerpt {
    const shown = new Set(selected);
    const messages = [...new Set(selected.map((at) => this.#passages[at]!.message))].sort((one, other) => one - other);
    const unshown = found.flatMap(([best], at) => (best === undefined || shown.has(best) ? [] : [at]));
    return { text, messages, unshown: new Set(unshown) };
  }
}
