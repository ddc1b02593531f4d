import { StoreFault, type SessionJournal } from '../../app/ports.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { phrase } from '../../core/text/phrase.ts';
import type { HostApp } from './host-app.ts';

const NOT_SAVED = phrase(
  'Couldn’t save {0} because the disk is full. Free up disk space and try again.',
  phrase('this session'),
);

/** An event, or a function that returns the events for a session's state. */
type SessionChange = SessionEvent | ((state: SessionState) => readonly SessionEvent[]);

/**
 * Appends a change to a session, open or not. If it deletes the current session, another one is shown. Rejects with
 * `StoreFault`.
 */
export async function changeSession(
  { sessions, store }: Pick<HostApp, 'sessions' | 'store'>,
  id: SessionId,
  change: SessionChange,
): Promise<void> {
  const append = (journal: SessionJournal): Promise<void> =>
    journal.append(...(typeof change === 'function' ? change(journal.state) : [change]));
  const current = sessions.current;
  if (current?.journal.id === id) {
    await append(current.journal);
    if (current.state.deleted) {
      await sessions.close(current);
      await sessions.currentOrLatest();
    }
  } else {
    const journal = await store.open(id);
    await append(journal).finally(() => journal.close());
    if (journal.unsaved) throw new StoreFault('full', NOT_SAVED);
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
