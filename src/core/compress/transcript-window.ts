import { safeCuts, startsTurn } from './segments.ts';
import type { SourceMessage } from './source.ts';

/** Which messages are sent word for word: `head` (system prompt), the newest user message, and those from `start` on. */
export interface Window {
  /** Messages before this position are sent first, as they are. */
  readonly head: number;
  /** Position of the newest user message, or -1. It is always sent. */
  readonly newestUser: number;
  /** Messages from here on are sent. */
  readonly start: number;
  readonly tokens: number;
}

/**
 * The window of a transcript: the newest `keep` messages rounded back to a boundary (a turn's start, or behind a
 * complete tool result), then forward until all that is sent word for word takes at most `roomTokens`. The newest user
 * message stays even when it alone takes more.
 */
export function transcriptWindow(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  keep: number,
  roomTokens: number,
): Window {
  const end = messages.length;
  let head = 0;
  let used = 0;
  while (head < end && messages[head]!.role === 'system' && used + tokens[head]! <= roomTokens * HEAD_SHARE) {
    used += tokens[head]!;
    head++;
  }
  const newestUser = messages.findLastIndex(startsTurn);
  if (newestUser >= head) used += tokens[newestUser]!;
  const safe = safeCuts(messages, head, end - 1);
  const isBoundary = (at: number): boolean => at >= end || startsTurn(messages[at]!) || safe.has(at - 1);
  let start = Math.max(head, end - Math.max(0, keep));
  while (start > head && end - start < keep * ROUNDING && !isBoundary(start)) start--;
  for (let at = start; at < end; at++) if (at !== newestUser) used += tokens[at]!;
  while (start < end && (used > roomTokens || !isBoundary(start))) {
    if (start !== newestUser) used -= tokens[start]!;
    start++;
  }
  return { head, newestUser, start, tokens: used };
}

/** The system prompt is sent as it is up to this share of the room. */
const HEAD_SHARE = 0.5;

/** Rounding back to a boundary may make the window this many times as long; then it is rounded forward. */
const ROUNDING = 2;

/** What is neither sent word for word nor the head: before the newest user message, and between it and the window. */
export function coveredRanges(head: number, newestUser: number, start: number): { from: number; to: number }[] {
  const split = newestUser >= head && newestUser < start;
  const ranges = split
    ? [
        { from: head, to: newestUser - 1 },
        { from: newestUser + 1, to: start - 1 },
      ]
    : [{ from: head, to: start - 1 }];
  return ranges.filter(({ from, to }) => from <= to);
}
