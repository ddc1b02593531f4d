import { isUnreadable, type SessionListEntry } from '../../app/ports.ts';
import type { Elsewhere } from '../../protocol/views.ts';
import { looksMoved } from '../../storage/workspace-key.ts';

/** Sessions of other workspaces: those of workspaces with this one's name first, then the most recently used. */
export function sessionsElsewhere(sessions: readonly SessionListEntry[], current: string): SessionListEntry[] {
  const rank = (one: SessionListEntry): number => (looksMoved(one.workspace, current) ? 0 : 1);
  return sessions
    .filter((one) => one.workspace !== current && !one.deleted && !isUnreadable(one))
    .sort((a, b) => rank(a) - rank(b) || b.updatedAt - a.updatedAt);
}

/** Whether other workspaces have sessions: `moved` if one of the same name does, or else `other`. */
export function findElsewhere(sessions: readonly SessionListEntry[], current: string): Elsewhere | undefined {
  const [first] = sessionsElsewhere(sessions, current).filter(({ messages }) => messages > 0);
  return first && (looksMoved(first.workspace, current) ? 'moved' : 'other');
}
