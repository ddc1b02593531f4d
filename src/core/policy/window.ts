import type { Message } from '../model/message.ts';

/**
 * Where the window starts: the position of the first message that stays word for word when at least `keep` of the
 * newest are kept. It is moved back to a boundary a segment may have: a turn's start, or, in a turn longer than
 * `longTurn` messages, behind a complete tool result. Never between a call and its result.
 * @returns 0…messages.length, an index into `messages`
 */
export function windowStart(messages: readonly Message[], keep: number, longTurn = 40): number {
  if (messages.length <= keep) return 0;
  const latest = Math.max(0, messages.length - Math.max(1, keep));
  for (let i = latest; i > 0; i--) {
    const message = messages[i]!;
    if (message.role === 'user') return i;
    if (latest - i >= longTurn) return boundaryInTurn(messages, latest);
  }
  return 0;
}

function boundaryInTurn(messages: readonly Message[], latest: number): number {
  for (let i = latest; i > 0; i--) {
    const before = messages[i - 1]!;
    if (before.role === 'tool' && messages[i]!.role !== 'tool') return i;
    if (messages[i]!.role === 'user') return i;
  }
  return 0;
}
