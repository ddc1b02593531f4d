import { safeCuts, startsTurn } from '../compress/segments.ts';
import { isToolResult, type SourceMessage } from '../compress/source.ts';

export interface WindowLimits {
  /** Newest messages to keep word for word, at least, while they fit. */
  readonly keep: number;
  /** Tokens the window may take. The newest user message is never part of the reckoning: it always stays. */
  readonly maxTokens: number;
}

/** A turn's start is looked for this far before the newest messages; in longer turns the window starts inside one. */
const LONG_TURN = 40;

/**
 * Where the window starts: the position of the first message that stays word for word. It is a boundary that a segment
 * may have: a turn's start, or, in a long turn, behind a complete tool result, never between a call and its result.
 * It lies as far back as `keep` asks, unless that takes more than `maxTokens`; then it moves to newer boundaries.
 * @param tokens each message's tokens, by position
 * @returns 0…messages.length, an index into `messages`
 */
export function windowStart(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  limits: WindowLimits,
): number {
  const count = messages.length;
  if (count === 0) return 0;
  const cuts = safeCuts(messages, 0, count - 1);
  const isBoundary = (at: number): boolean =>
    at === 0 || startsTurn(messages[at]!) || (cuts.has(at - 1) && isToolResult(messages[at - 1]!));
  const after = tokensFrom(tokens);
  let start = wished(messages, Math.max(0, count - Math.max(1, limits.keep)), isBoundary);
  while (start < count && after[start]! > limits.maxTokens) {
    let next = start + 1;
    while (next < count && !isBoundary(next)) next++;
    start = next;
  }
  return start;
}

function wished(messages: readonly SourceMessage[], latest: number, isBoundary: (at: number) => boolean): number {
  for (let at = latest; at > 0 && at > latest - LONG_TURN; at--) if (startsTurn(messages[at]!)) return at;
  if (latest <= LONG_TURN) return 0;
  let at = latest;
  while (at > 0 && !isBoundary(at)) at--;
  return at;
}

/** Sums of tokens from each position to the end. */
function tokensFrom(tokens: readonly number[]): number[] {
  const sums: number[] = [];
  let sum = 0;
  for (let at = tokens.length - 1; at >= 0; at--) {
    sum += tokens[at]!;
    sums[at] = sum;
  }
  return sums;
}
