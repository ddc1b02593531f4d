import type * as vscode from 'vscode';
import type { SessionJournal, SessionStore } from '../../app/ports.ts';
import type { Sessions } from '../../app/sessions.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import { loadSnapshots, SNAPSHOTS_KEY } from '../../storage/snapshot-writer.ts';

/** Changes a session of the list, which may be closed. Rejects with `StoreFault`. */
export async function changeSession(
  { sessions, store }: { readonly sessions: Sessions; readonly store: Pick<SessionStore, 'open'> },
  id: SessionId,
  event: SessionEvent,
): Promise<void> {
  const current = sessions.current;
  if (current?.journal.id === id) {
    await current.journal.append(event);
  } else {
    await appendTo(await store.open(id), event);
  }
  if (current?.journal.id === id && current.state.deleted) {
    await sessions.leave();
    await sessions.currentOrLatest();
  }
  sessions.listChanged();
}

async function appendTo(journal: SessionJournal, event: SessionEvent): Promise<void> {
  try {
    await journal.append(event);
  } finally {
    await journal.close();
  }
}

/** The initial events of a new session: it keeps the selected model. */
export function sameModel({ provider, model }: Partial<Pick<SessionState, 'provider' | 'model'>> = {}): SessionEvent[] {
  return provider === undefined || model === undefined ? [] : [{ type: 'model_selected', provider, model }];
}

/** Removes permanently deleted sessions from VS Code's global state. */
export async function forgetSessions(memento: vscode.Memento, sessions: ReadonlySet<SessionId>): Promise<void> {
  const read = loadSnapshots(memento);
  if (read.kind !== 'valid' || sessions.size === 0) return;
  const others = <T extends { readonly id: SessionId }>(list: readonly T[]): T[] =>
    list.filter(({ id }) => !sessions.has(id));
  const { index, live } = read.snapshots;
  await memento.update(SNAPSHOTS_KEY, { ...read.snapshots, index: others(index), live: others(live) });
}
