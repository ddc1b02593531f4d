import type { ChatRequest } from '../../src/app/ports.ts';
import { messageText } from '../../src/core/model/message.ts';
import type { TokenCounter } from '../../src/core/tokens/token-counter.ts';

/**
 * Measures the share of each request that is an unchanged prefix of the previous one, which provider caches can hold.
 */
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

  /** @param blocks the request's texts in order, starting with the system prompt */
  add(blocks: readonly string[]): void {
    const { input, cached } = this;
    let same = 0;
    while (same < blocks.length && same < this.#before.length && blocks[same] === this.#before[same]) same++;
    blocks.forEach((text, at) => {
      const tokens = this.#count(text);
      this.input += tokens;
      if (at < same) this.cached += tokens;
    });
    // The unchanged beginning of the first changed block counts as well.
    const changed = blocks[same];
    const was = this.#before[same];
    if (changed !== undefined && was !== undefined) this.cached += this.#counter.text(commonStart(was, changed));
    this.#before = blocks;
    this.requests++;
    this.#shares += (this.cached - cached) / Math.max(1, this.input - input);
  }

  /** From 0 to 1. */
  get share(): number {
    return this.input === 0 ? 0 : this.cached / this.input;
  }

  /** The mean of the requests' shares, with equal weights. */
  get meanShare(): number {
    return this.requests === 0 ? 0 : this.#shares / this.requests;
  }

  #count(text: string): number {
    let tokens = this.#tokens.get(text);
    if (tokens === undefined) this.#tokens.set(text, (tokens = this.#counter.text(text) + 4));
    return tokens;
  }
}

/** A request's texts in the order in which a provider reads them. */
export const blocksOf = ({ system, messages }: Pick<ChatRequest, 'system' | 'messages'>): string[] => [
  ...system,
  ...messages.map((message) => `${message.role}\n${messageText(message)}`),
];

function commonStart(a: string, b: string): string {
  let at = 0;
  while (at < a.length && at < b.length && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return a.slice(0, at);
}
