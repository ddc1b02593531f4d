import type { ChatRequest } from '../../src/app/ports.ts';
import { messageText } from '../../src/core/model/message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';

/** Sums up how much of each request stood unchanged at the start of the one before: what a provider's cache can hold. */
export class PrefixMeter {
  input = 0;
  cached = 0;
  requests = 0;
  #shares = 0;
  readonly #counter: TokenCounter;
  readonly #tokens = new Map<string, number>();
  #before: readonly string[] = [];

  constructor(counter: TokenCounter) {
    this.#counter = counter;
  }

  /** @param blocks texts of the request in order, system prompt first */
  add(blocks: readonly string[]): void {
    const { input, cached } = this;
    let same = 0;
    while (same < blocks.length && same < this.#before.length && blocks[same] === this.#before[same]) same++;
    blocks.forEach((text, at) => {
      const tokens = this.#count(text);
      this.input += tokens;
      if (at < same) this.cached += tokens;
    });
    // Within the first block that changed, the unchanged start counts too.
    const changed = blocks[same];
    const was = this.#before[same];
    if (changed !== undefined && was !== undefined) this.cached += this.#counter.text(commonStart(was, changed));
    this.#before = blocks;
    this.requests++;
    this.#shares += (this.cached - cached) / Math.max(1, this.input - input);
  }

  /** 0…1. */
  get share(): number {
    return this.input === 0 ? 0 : this.cached / this.input;
  }

  /** The mean of the requests' own shares, each request alike. */
  get meanShare(): number {
    return this.requests === 0 ? 0 : this.#shares / this.requests;
  }

  #count(text: string): number {
    let tokens = this.#tokens.get(text);
    if (tokens === undefined) this.#tokens.set(text, (tokens = this.#counter.text(text) + 4));
    return tokens;
  }
}

/** The texts of a request in the order in which a provider reads them. */
export const blocksOf = ({ system, messages }: Pick<ChatRequest, 'system' | 'messages'>): string[] => [
  ...system,
  ...messages.map((message) => `${message.role}\n${messageText(message)}`),
];

function commonStart(a: string, b: string): string {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return a.slice(0, at);
}
