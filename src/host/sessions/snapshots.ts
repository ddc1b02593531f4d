import type { Memento } from 'vscode';
import type { SessionSummary } from '../../app/ports.ts';
import type { SessionSnapshots } from '../../app/sessions.ts';
import type { SessionEvent } from '../../core/journal/schema.ts';
import type { SessionId } from '../../core/model/ids.ts';
import type { SessionState } from '../../core/state/session-state.ts';
import {
  bytesOf,
  hasFullNames,
  snapshotEvents,
  snapshotSession,
  type SessionSnapshot,
} from '../../storage/snapshot.ts';
import { loadSnapshots, SnapshotWriter } from '../../storage/snapshot-writer.ts';

/** Copies of limited size in `globalState`, written after turns, to list and restore sessions whose files are lost. */
export class Snapshots implements SessionSnapshots {
  readonly #memento: Memento;
  readonly #workspace: string;
  readonly #writer: SnapshotWriter;
  #listed: readonly SessionSummary[] = [];

  constructor(
    memento: Memento,
    workspace: string,
    current: () => SessionState | undefined,
    warn: (message: string) => void,
  ) {
    this.#memento = memento;
    this.#workspace = workspace;
    const collect = () => {
      const state = current();
      const live = state && snapshotSession(state);
      return { workspace, index: this.#listed, live: live ? [live] : [] };
    };
    this.#writer = new SnapshotWriter(memento, collect, (error) => {
      warn(`The session snapshot could not be saved: ${String(error)}`);
    });
  }

  /** Sets the list of sessions that the next snapshot contains. */
  setList(sessions: readonly SessionSummary[]): void {
    this.#listed = sessions;
  }

  /** The stored list, without sessions whose title or workspace was truncated. */
  storedList(): readonly SessionSummary[] {
    const loaded = loadSnapshots(this.#memento);
    return loaded.kind === 'valid' ? loaded.snapshots.index.filter(hasFullNames) : [];
  }

  schedule(): void {
    this.#writer.schedule();
  }

  flush(): Promise<void> {
    return this.#writer.dispose();
  }

  entries(): readonly SessionSummary[] {
    return this.#live()
      .filter((one) => one.workspace === this.#workspace)
      .map((one) => ({
        id: one.id,
        title: one.title,
        workspace: one.workspace,
        createdAt: one.createdAt,
        updatedAt: one.updatedAt,
        messages: one.bodies.length,
        archived: one.archived,
        pinned: one.pinned,
        deleted: one.deleted,
        bytes: bytesOf(one),
      }));
  }

  events(id: SessionId): readonly SessionEvent[] | undefined {
    const snapshot = this.#live().find((one) => one.id === id);
    return snapshot && snapshotEvents(snapshot);
  }

  #live(): readonly SessionSnapshot[] {
    const loaded = loadSnapshots(this.#memento);
    return loaded.kind === 'valid' ? loaded.snapshots.live : [];
  }
}
