import type { SessionState } from '../../core/state/session-state.ts';
import type { MessageCounts } from '../../core/tokens/message-counts.ts';

/** A point of the line: `at` counts messages of the active branch, `tokens` is the size of the context. */
export interface SeriesPoint {
  readonly at: number;
  readonly tokens: number;
}

/** What happened where. `at` counts messages. */
export interface SeriesMark {
  readonly kind: 'compression' | 'event' | 'reset';
  readonly at: number;
  readonly label: string;
  /** The size of the context after it; of a compression alone. */
  readonly tokens?: number;
}

export interface ContextSeries {
  readonly messages: number;
  readonly points: readonly SeriesPoint[];
  readonly marks: readonly SeriesMark[];
}

/** The line has at most about so many points between two compressions: more cannot be told apart. */
const MAX_POINTS = 400;

/**
 * The size of the context over the session. It grows with each message by what the message takes, and falls with each
 * compression that stands to what the compression came to; what was undone has left no trace in it.
 *
 * @param fixed tokens that are sent before anything is said
 */
export function contextSeries(
  state: SessionState,
  counts: MessageCounts,
  fixed: number,
  labels: { readonly compression: (before: number, after: number) => string; readonly reset: string },
): ContextSeries {
  const { path } = state;
  const points: SeriesPoint[] = [{ at: 0, tokens: fixed }];
  const marks: SeriesMark[] = [];
  const step = Math.max(1, Math.ceil(path.length / MAX_POINTS));
  let tokens = fixed;
  let at = 0;
  const grow = (to: number): void => {
    for (; at < to; at++) {
      const known = counts.known(path[at]!);
      const message = known === undefined ? state.messages.get(path[at]!) : undefined;
      tokens += known ?? (message ? counts.total(message) : 0);
      if (at % step === 0 || at === to - 1) points.push({ at: at + 1, tokens });
    }
  };
  let covered = 0;
  for (const entry of state.compressions) {
    if (state.isCompressionUndone(entry.id)) continue;
    grow(Math.min(path.length, Math.max(at, covered + entry.messages.before)));
    covered += entry.messages.before - entry.messages.after;
    if (entry.tokens.before > 0) points.push({ at, tokens: entry.tokens.before });
    points.push({ at, tokens: entry.tokens.after });
    tokens = entry.tokens.after;
    const { before, after } = entry.tokens;
    marks.push({ kind: 'compression', at, label: labels.compression(before, after), tokens: after });
  }
  grow(path.length);
  for (const { endedAt, goal } of state.endedTasks) {
    if (endedAt === undefined) continue;
    marks.push({ kind: 'reset', at: firstAfter(state, endedAt), label: `${labels.reset}: ${goal}` });
  }
  for (const event of state.events.values()) {
    const position = state.positionOf(event.message);
    if (position === undefined || state.isRemoved(event.id)) continue;
    if (event.pinned || state.isCurrent(event))
      marks.push({ kind: 'event', at: position + 1, label: event.quote.slice(0, 120) });
  }
  return { messages: path.length, points, marks };
}

/** How many messages of the branch had been said by then (ms since the epoch). */
function firstAfter(state: SessionState, time: number): number {
  let low = 0;
  let high = state.path.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((state.messages.get(state.path[middle]!)?.at ?? 0) <= time) low = middle + 1;
    else high = middle;
  }
  return low;
}
