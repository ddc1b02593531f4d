import { isToolResult, type MessageRange, type SourceMessage } from './source-message.ts';

export interface Segment extends MessageRange {
  readonly tokens: number;
}

/** The target size of a segment, which ends at whichever is reached first. */
export interface SegmentSize {
  readonly tokens: number;
  readonly messages: number;
}

/** A segment may exceed its target size by this factor in order to include a whole turn. */
const SLACK = 1.5;

/** A segment that is filled this far is closed rather than extended beyond its slack. */
const MIN_FILL = 0.5;

/** Smaller segments can't be shortened. */
const MIN_SEGMENT_TOKENS = 24;

/**
 * Cuts messages into segments of about this size, in order and without gaps. A segment ends with a turn; a turn larger
 * than a segment is cut after a complete tool result, never between a call and its result. Cuts only depend on the
 * messages before them, so a session that has grown is cut the same way. Linear.
 *
 * @param tokens each message's tokens, by position
 * @param minLast tokens below which the last segment is merged into the previous one
 */
export function cutSegments(
  messages: readonly SourceMessage[],
  tokens: readonly number[],
  target: SegmentSize,
  minLast = 0,
): Segment[] {
  const segments: Segment[] = [];
  const to = messages.length - 1;
  let start = 0;
  let size = 0;
  let sum = 0;
  const sizeOf = (at: number): number => Math.max(tokens[at]! / target.tokens, 1 / target.messages);
  const close = (end: number): void => {
    segments.push({ from: start, to: end, tokens: sum });
    start = end + 1;
    size = 0;
    sum = 0;
  };
  for (const turn of turns(messages)) {
    let turnSize = 0;
    for (let at = turn.from; at <= turn.to; at++) turnSize += sizeOf(at);
    if (size + turnSize > SLACK && size >= MIN_FILL) close(turn.from - 1);
    const fitsWhole = size + turnSize <= SLACK;
    const safe = fitsWhole ? undefined : safeCuts(messages, turn.from, turn.to);
    for (let at = turn.from; at <= turn.to; at++) {
      sum += tokens[at]!;
      size += sizeOf(at);
      if (size >= 1 && (at === turn.to || safe?.has(at))) close(at);
    }
  }
  const last = segments.at(-1);
  if (start <= to && last && sum < Math.max(MIN_SEGMENT_TOKENS, minLast)) {
    segments[segments.length - 1] = { from: last.from, to, tokens: last.tokens + sum };
  } else if (start <= to) close(to);
  return segments;
}

/** Turns, each starting at a user message. Messages before the first one are a turn, too. */
function* turns(messages: readonly SourceMessage[]): Generator<MessageRange> {
  let from = 0;
  for (const [at, message] of messages.entries()) {
    if (at === from || !startsTurn(message)) continue;
    yield { from, to: at - 1 };
    from = at;
  }
  if (from < messages.length) yield { from, to: messages.length - 1 };
}

/** Whether a turn begins here. Tool results with the role `user` don't begin a turn. */
export const startsTurn = (message: SourceMessage): boolean => message.role === 'user' && !isToolResult(message);

/**
 * Positions in `messages[from, to]` after which a cut doesn't separate a tool call from its result. A tool message
 * without a call ID answers the preceding response. A call without a result in this range doesn't prevent a cut.
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
