import * as v from 'valibot';
import type { SessionListEntry } from '../app/ports.ts';
import type { SessionSnapshots } from '../app/sessions.ts';
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

/** The part of VS Code's `Memento` that snapshots use. */
export interface MementoLike {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The key of all workspaces' snapshots. */
export const SNAPSHOTS_KEY = 'threadkeeper.snapshots';
/** Minimum interval between updates, in ms. If two windows update within this time, VS Code 1.139 loses one update. */
const PAUSE_MS = 150;

/** Small copies in VS Code's global state for sessions whose files are lost. Written at most every 150 ms. */
export class StoredSnapshots implements SessionSnapshots {
  readonly #memento: MementoLike;
  readonly #workspace: string;
  readonly #current: () => SessionState | undefined;
  readonly #onFault: (error: unknown) => void;
  #listed: readonly SessionListEntry[] = [];
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #due = false;
  #disposed = false;

  /** `current` is called for this window's open session at each write, `onFault` for failed writes. */
  constructor(
    memento: MementoLike,
    workspace: string,
    current: () => SessionState | undefined,
    onFault: (error: unknown) => void,
  ) {
    this.#memento = memento;
    this.#workspace = workspace;
    this.#current = current;
    this.#onFault = onFault;
  }

  /**
   * Sets the list of sessions that the next snapshot contains, without those of which a newer version may know more: it
   * would take the entry for current, because the journal hasn't changed.
   */
  setList(sessions: readonly SessionListEntry[]): void {
    this.#listed = sessions.filter(({ isNewer }) => isNewer !== true);
  }

  /** The stored list, without sessions whose title or workspace was truncated. */
  storedList(): readonly SessionListEntry[] {
    return this.#valid()?.index.filter(hasFullNames) ?? [];
  }

  entries(): readonly SessionListEntry[] {
    const here = (this.#valid()?.live ?? []).filter((one) => one.workspace === this.#workspace);
    return here.map((one) =>
      v.parse(sessionListEntrySchema, { ...one, messages: one.bodies.length, bytes: bytesOf(one) }),
    );
  }

  events(id: SessionId): readonly SessionEvent[] | undefined {
    const snapshot = this.#valid()?.live.find((one) => one.id === id);
    return snapshot && snapshotEvents(snapshot);
  }

  /** Removes the snapshots of sessions that were deleted permanently. */
  async forget(sessions: ReadonlySet<SessionId>): Promise<void> {
    const snapshots = this.#valid();
    if (!snapshots || sessions.size === 0) return;
    const others = <T extends { readonly id: SessionId }>(list: readonly T[]): T[] =>
      list.filter(({ id }) => !sessions.has(id));
    const { index, live } = snapshots;
    await this.#memento.update(SNAPSHOTS_KEY, { ...snapshots, index: others(index), live: others(live) });
  }

  /** The state and the size, in bytes, of the stored snapshots. Never throws. */
  status(): { readonly kind: ReadSnapshots['kind']; readonly bytes: number } {
    return { kind: this.#read().kind, bytes: bytesOf(this.#memento.get(SNAPSHOTS_KEY) ?? '') };
  }

  schedule(): void {
    if (this.#disposed) return;
    this.#due = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, PAUSE_MS);
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#due) {
      this.#due = false;
      this.#writing = this.#writing.then(() => this.#write());
    }
    return this.#writing;
  }

  /** Writes pending changes, and nothing after that. */
  dispose(): Promise<void> {
    this.#disposed = true;
    return this.flush();
  }

  async #write(): Promise<void> {
    try {
      const before = this.#read();
      // Snapshots of a later version must not be replaced. The journals contain everything anyway.
      if (before.kind === 'newer') return;
      const state = this.#current();
      const live = state && snapshotSession(state);
      const own = { workspace: this.#workspace, index: this.#listed, live: live ? [live] : [] };
      const snapshots = joinSnapshots(own, before.kind === 'valid' ? before.snapshots : undefined);
      await this.#memento.update(SNAPSHOTS_KEY, snapshots);
    } catch (error) {
      this.#onFault(error);
    }
  }

  #read(): ReadSnapshots {
    return readSnapshots(this.#memento.get(SNAPSHOTS_KEY));
  }

  #valid(): Snapshots | undefined {
    const read = this.#read();
    return read.kind === 'valid' ? read.snapshots : undefined;
  }
}
