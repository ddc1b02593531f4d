import * as v from 'valibot';
import type { SessionListEntry } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionId } from '../core/model/ids.ts';
import { sessionListEntrySchema } from '../core/model/session-list-entry.ts';
import type { SessionState } from '../core/state/session-state.ts';
import {
  bytesOf,
  hasFullNames,
  joinSnapshots,
  readSnapshots,
  snapshotEvents,
  snapshotSession,
  type ReadSnapshots,
  type Snapshots,
} from './snapshot.ts';
import { withoutAddress } from './workspace-key.ts';

/** The part of VS Code's `Memento` that snapshots use. */
export interface MementoLike {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The key of all workspaces' snapshots. */
export const SNAPSHOTS_KEY = 'threadkeeper.snapshots';
/** Minimum interval between updates, in ms. If two windows update within this time, VS Code 1.139 loses one update. */
const PAUSE_MS = 150;

export type StoredSnapshots = ReturnType<typeof storedSnapshots>;

/**
 * Small copies in VS Code's global state for sessions whose files are lost. Written at most every 150 ms.
 *
 * @param current returns this window's open session at each write
 * @param onFault called for failed writes
 */
export function storedSnapshots(
  memento: MementoLike,
  workspace: string,
  current: () => SessionState | undefined,
  onFault: (error: unknown) => void,
) {
  let listed: readonly SessionListEntry[] = [];
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> = Promise.resolve();
  let isDue = false;
  let isDisposed = false;

  const read = (): ReadSnapshots => readSnapshots(memento.get(SNAPSHOTS_KEY));
  const valid = (): Snapshots | undefined => {
    const stored = read();
    return stored.kind === 'valid' ? stored.snapshots : undefined;
  };

  const write = async (): Promise<void> => {
    try {
      const before = read();
      // Snapshots of a later version must not be replaced. The journals contain everything anyway.
      if (before.kind === 'newer') return;
      const state = current();
      const live = state && snapshotSession(state);
      const own = { workspace, index: listed, live: live ? [live] : [] };
      const others = before.kind === 'valid' ? before.snapshots : undefined;
      await memento.update(SNAPSHOTS_KEY, joinSnapshots(own, others));
    } catch (error) {
      onFault(error);
    }
  };

  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (isDue) {
      isDue = false;
      writing = writing.then(write);
    }
    return writing;
  };

  return {
    /**
     * Sets the list of sessions that the next snapshot contains, without those of which a newer version may know more:
     * it would take the entry for current, because the journal hasn't changed.
     */
    setList(sessions: readonly SessionListEntry[]): void {
      listed = sessions.filter(({ isNewer }) => isNewer !== true);
    },

    /** The stored list, without sessions whose title or workspace was truncated. */
    storedList: (): readonly SessionListEntry[] => valid()?.index.filter(hasFullNames) ?? [],

    entries(): readonly SessionListEntry[] {
      const here = (valid()?.live ?? []).filter((one) => withoutAddress(one.workspace) === workspace);
      return here.map((one) =>
        v.parse(sessionListEntrySchema, { ...one, workspace, messages: one.bodies.length, bytes: bytesOf(one) }),
      );
    },

    events(id: SessionId): readonly SessionEvent[] | undefined {
      const snapshot = valid()?.live.find((one) => one.id === id);
      return snapshot && snapshotEvents(snapshot);
    },

    /** Removes the snapshots of sessions that were deleted permanently. */
    async forget(sessions: ReadonlySet<SessionId>): Promise<void> {
      const snapshots = valid();
      if (!snapshots || sessions.size === 0) return;
      const others = <T extends { readonly id: SessionId }>(list: readonly T[]): T[] =>
        list.filter(({ id }) => !sessions.has(id));
      const { index, live } = snapshots;
      await memento.update(SNAPSHOTS_KEY, { ...snapshots, index: others(index), live: others(live) });
    },

    /** The state and the size, in bytes, of the stored snapshots. Never throws. */
    status: () => ({ kind: read().kind, bytes: bytesOf(memento.get(SNAPSHOTS_KEY) ?? '') }),

    schedule(): void {
      if (isDisposed) return;
      isDue = true;
      timer ??= setTimeout(() => void flush(), PAUSE_MS);
    },

    flush,

    /** Writes pending changes, and nothing after that. */
    dispose(): Promise<void> {
      isDisposed = true;
      return flush();
    },
  };
}
