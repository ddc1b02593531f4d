import type { SessionEvent } from '../../core/journal/schema.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import type { HostApp } from '../platform/host-app.ts';

/**
 * Appends an event to a session, open or not. If the event deletes the current session, another one is shown. Rejects
 * with `StoreFault`.
 */
export async function changeSession(
  { sessions, store }: Pick<HostApp, 'sessions' | 'store'>,
  id: SessionId,
  event: SessionEvent,
): Promise<void> {
  const current = sessions.current;
  if (current?.journal.id === id) {
    await current.journal.append(event);
    if (current.state.deleted) {
      await sessions.close(current);
      await sessions.currentOrLatest();
    }
  } else {
    const journal = await store.open(id);
    await journal.append(event).finally(() => journal.close());
  }
  sessions.listChanged();
}

/** The event that selects this session's model in a new session, as a list; empty if the session has no model. */
export function modelSelectedEvents({
  provider,
  model,
}: Partial<Pick<SessionState, 'provider' | 'model'>> = {}): SessionEvent[] {
  return provider === undefined || model === undefined ? [] : [{ type: 'model_selected', provider, model }];
}
