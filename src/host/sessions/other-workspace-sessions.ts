import { isUnreadable, type SessionListEntry } from '../../app/ports.ts';
import type { Elsewhere } from '../../protocol/views.ts';
import { looksMoved } from '../../storage/workspace-key.ts';

/** Sessions of other workspaces: those of workspaces with this one's name first, then the most recently used. */
export function sessionsOfOtherWorkspaces(
  sessions: readonly SessionListEntry[],
  workspace: string,
): SessionListEntry[] {
  const rank = (one: SessionListEntry): number => (looksMoved(one.workspace, workspace) ? 0 : 1);
  return sessions
    .filter((one) => one.workspace !== workspace && !one.deleted && !isUnreadable(one))
    .sort((a, b) => rank(a) - rank(b) || b.updatedAt - a.updatedAt);
}

/**
 * Whether other workspaces have sessions: `moved` if one of the same name does, or else `other`; undefined if none has a
 * session with messages.
 */
export function locateOtherSessions(sessions: readonly SessionListEntry[], workspace: string): Elsewhere | undefined {
  const [first] = sessionsOfOtherWorkspaces(sessions, workspace).filter(({ messages }) => messages > 0);
  return first && (looksMoved(first.workspace, workspace) ? 'moved' : 'other');
}
