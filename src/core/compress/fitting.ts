import type { RenderedPrompt } from '../prompts/render-prompts.ts';
import { truncate } from '../text/truncate.ts';
import { MESSAGE_FRAMING_TOKENS, type TokenCounter } from '../tokens/token-counter.ts';

export function tokensWithFraming(text: string, counter: Pick<TokenCounter, 'text'>): number {
  return MESSAGE_FRAMING_TOKENS + counter.text(text);
}

export const promptTokens = ({ system, prompt }: RenderedPrompt, counter: Pick<TokenCounter, 'text'>): number =>
  tokensWithFraming(system, counter) + tokensWithFraming(prompt, counter);

/** The longest prefix of a text that takes at most `limit` tokens, including framing, cut between words if possible. */
export function longestPrefixThatFits(text: string, limit: number, counter: Pick<TokenCounter, 'text'>): string {
  if (tokensWithFraming(text, counter) <= limit) return text;
  let low = 0;
  let high = Math.min(text.length, Math.max(0, limit) * 24);
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (tokensWithFraming(cutAt(text, middle), counter) <= limit) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : cutAt(text, low);
}

function cutAt(text: string, length: number): string {
  const cut = truncate(text, length);
  const space = Math.max(cut.lastIndexOf(' '), cut.lastIndexOf('\n'));
  return `${(space > cut.length * 0.7 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/** Calls `make` with less and less room until the text, with framing, takes at most `limit` tokens; '' if none fits. */
export async function fillLimit(
  limit: number,
  counter: Pick<TokenCounter, 'text'>,
  make: (room: number) => Promise<string>,
): Promise<string> {
  for (let room = limit - MESSAGE_FRAMING_TOKENS; room > 0;) {
    const text = await make(room);
    const excess = tokensWithFraming(text, counter) - limit;
    if (text === '' || excess <= 0) return text;
    room -= excess + 1;
  }
  return '';
}
