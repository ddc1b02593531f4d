import { isToolResult, type SourceMessage } from './source.ts';

/** A run of messages, by position, inclusive at both ends. */
export interface Segment {
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/**
 * A message counts as at least this share of a segment: many short ones in a row need a long answer, and the longest
 * answer is what all the others wait for. 60 messages are answered in 4 s at 100 tokens/s.
 */
const LEAST_SHARE = 1 / 60;

/** A segment may grow to this multiple of its target before it is closed ahead of a turn that would make it larger. */
const SLACK = 1.5;

/** Fewer than these cannot be shortened; at the end they join the segment before them. */
export const LEAST_TOKENS = 24;

/**
 * Cuts `messages[from, to]` into segments of about `targetTokens` each, in order and without a gap; into smaller ones
 * where the messages are many and short. A segment ends at a turn's end; a turn larger than a segment is cut after a
 * complete tool result, never between a call and its result. The cuts depend on what is left of them alone, so that a
 * session that has grown is cut as before. Linear.
 *
 * @param tokens each message's tokens, by position
 */
export function cutSegments(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  targetTokens: number,
  from = 0,
  to = messages.length - 1,
): Segment[] {
  const segments: Segment[] = [];
  let start = from;
  let size = 0;
  let sum = 0;
  const least = targetTokens * LEAST_SHARE;
  const close = (end: number): void => {
    segments.push({ from: start, to: end, tokens: sum });
    start = end + 1;
    size = 0;
    sum = 0;
  };
  for (const turn of turns(messages, from, to)) {
    const own = turnSize(turn, tokens, least);
    if (size > 0 && size + own > targetTokens * SLACK && size >= targetTokens / 2) close(turn.from - 1);
    const whole = size + own <= targetTokens * SLACK;
    const safe = whole ? undefined : safeCuts(messages, turn.from, turn.to);
    for (let at = turn.from; at <= turn.to; at++) {
      const count = tokens[at] ?? 0;
      sum += count;
      size += Math.max(count, least);
      if (size >= targetTokens && (at === turn.to || safe?.has(at))) close(at);
    }
  }
  const last = segments.at(-1);
  if (start <= to && last && sum < LEAST_TOKENS) {
    segments[segments.length - 1] = { from: last.from, to, tokens: last.tokens + sum };
  } else if (start <= to) close(to);
  return segments;
}

/** What a turn counts for, where each of its messages counts for at least so many tokens. */
function turnSize({ from, to }: Turn, tokens: readonly number[], least: number): number {
  let size = 0;
  for (let at = from; at <= to; at++) size += Math.max(tokens[at] ?? 0, least);
  return size;
}

/** A user's message and all that follows it, by position, inclusive at both ends. */
interface Turn {
  readonly from: number;
  readonly to: number;
}

/** Turns of `messages[from, to]`: each starts at a user's message; what comes before the first is a turn of its own. */
function* turns(messages: readonly SourceMessage[], from: number, to: number): Generator<Turn> {
  let start = from;
  for (let at = from; at <= to; at++) {
    if (at > start && startsTurn(messages[at]!)) {
      yield { from: start, to: at - 1 };
      start = at;
    }
  }
  if (start <= to) yield { from: start, to };
}

/** Whether a turn begins here: a user speaks, as against a tool's result that a provider sends under the user's role. */
export function startsTurn(message: SourceMessage): boolean {
  return message.role === 'user' && !isToolResult(message);
}

/**
 * Positions in `messages[from, to]` after which a cut parts no call from its result. A tool's message that names no
 * call answers the reply before it. A call that is never answered holds nothing up beyond its turn.
 */
export function safeCuts(messages: readonly SourceMessage[], from: number, to: number): Set<number> {
  const answered = new Set<string>();
  for (let at = from; at <= to; at++) {
    for (const block of messages[at]!.content) if (block.type === 'tool_result') answered.add(block.callId);
  }
  const open = new Set<string>();
  const safe = new Set<number>();
  for (let at = from; at <= to; at++) {
    for (const block of messages[at]!.content) {
      if (block.type === 'tool_call' && answered.has(block.callId)) open.add(block.callId);
      if (block.type === 'tool_result') open.delete(block.callId);
    }
    const next = messages[at + 1];
    const answeredNext = next !== undefined && isToolResult(next) && !isToolResult(messages[at]!);
    if (open.size === 0 && !answeredNext) safe.add(at);
  }
  return safe;
}
