import type { SessionState } from '../../../src/core/state/session-state.ts';
import { appendingWith } from '../../support/failing-files.ts';
import { compressionState } from '../promises/checks.ts';

/** Flushing would take most of the time and only matters for power failures. */
export const unflushed = appendingWith(() => ({ flush: () => Promise.resolve() }));

/**
 * A state's visible content, without times, after a round trip through JSON: without undefined members and lone
 * surrogates.
 */
export function visibleState(state: SessionState): unknown {
  const all = {
    path: state.path,
    messages: [...state.messages.values()],
    deleted: [...state.messages.keys()].filter((id) => state.isDeleted(id)),
    ...compressionState(state),
    partials: state.partials.map(({ id, text }) => [id, text]),
    stale: [...state.stale],
    counters: state.counters,
    task: state.task,
    title: state.title,
  };
  return JSON.parse(JSON.stringify(all));
}
