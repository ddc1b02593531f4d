import { safeCuts } from '../compress/segments.ts';
import type { SourceMessage } from '../compress/source.ts';

export interface RecentLimits {
  /** Newest messages to keep verbatim while they fit. */
  readonly keep: number;
  /** Tokens they may take. */
  readonly maxTokens: number;
}

/**
 * Where the recent messages start: the position of the first message that stays verbatim. As many stay as `keep` asks,
 * more only where a tool call would be parted from its result, fewer where they take more than `maxTokens`.
 * @param tokens each message's tokens, by position
 * @returns 0…messages.length, an index into `messages`
 */
export function recentStart(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  limits: RecentLimits,
): number {
  const count = messages.length;
  if (count === 0) return 0;
  const cuts = safeCuts(messages, 0, count - 1);
  const isBoundary = (at: number): boolean => at === 0 || at === count || cuts.has(at - 1);
  let start = Math.max(0, count - limits.keep);
  while (!isBoundary(start)) start--;
  let taken = 0;
  for (let at = start; at < count; at++) taken += tokens[at]!;
  while (start < count && (taken > limits.maxTokens || !isBoundary(start))) taken -= tokens[start++]!;
  return start;
}
