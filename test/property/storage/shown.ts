import type { SessionState } from '../../../src/core/state/session-state.ts';
import { openForAppend, type OpenForAppend } from '../../../src/storage/journal-writer.ts';
import { compressed } from '../promises/checks.ts';

/** Flushing would take most of the time, and no power fails here. */
export const unflushed: OpenForAppend = async (path) => ({
  ...(await openForAppend(path)),
  flush: () => Promise.resolve(),
});

/**
 * Everything that a state shows, but for times, as it comes back from JSON: undefined members and lone surrogates are
 * not there any more.
 */
export function shown(state: SessionState): unknown {
  const all = {
    path: state.path,
    messages: [...state.messages.values()],
    deleted: [...state.messages.keys()].filter((id) => state.isDeleted(id)),
    ...compressed(state),
    partials: state.partials.map(({ id, text }) => [id, text]),
    stale: [...state.stale],
    counters: state.counters,
    task: state.task,
    title: state.title,
  };
  return JSON.parse(JSON.stringify(all));
}
