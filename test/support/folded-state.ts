import type { SessionEvent } from '../../src/core/journal/schema.ts';
import { SessionState } from '../../src/core/state/session-state.ts';

/** The state after events, of which each has its index as its time. */
export function foldedState(events: readonly SessionEvent[]): SessionState {
  const state = new SessionState();
  for (const [at, event] of events.entries()) state.apply(event, at);
  return state;
}
