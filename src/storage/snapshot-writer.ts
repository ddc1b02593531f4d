import { joinSnapshots, readSnapshots, type OwnPart, type ReadSnapshots } from './snapshot.ts';

/** The part of VS Code's `Memento` that snapshots use. */
export interface MementoLike {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The key of all workspaces' snapshots. */
export const SNAPSHOTS_KEY = 'threadkeeper.snapshots';
/** If two windows update the state within this time (ms), one update is lost; measured in VS Code 1.139. */
const PAUSE_MS = 150;

/** Reads the snapshots from VS Code's global state. Never throws. */
export function loadSnapshots(memento: MementoLike): ReadSnapshots {
  return readSnapshots(memento.get(SNAPSHOTS_KEY));
}

/** Writes snapshots to VS Code's global state after turns, at most every 150 ms, and when it's disposed. */
export class SnapshotWriter {
  readonly #memento: MementoLike;
  readonly #collect: () => OwnPart;
  readonly #onFault: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #due = false;
  #disposed = false;

  /** `collect` is called for this window's part at each write, `onFault` for failed writes. */
  constructor(memento: MementoLike, collect: () => OwnPart, onFault: (error: unknown) => void) {
    this.#memento = memento;
    this.#collect = collect;
    this.#onFault = onFault;
  }

  /** Must be called after each turn. */
  schedule(): void {
    if (this.#disposed) return;
    this.#due = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, PAUSE_MS);
  }

  /** Writes pending changes now; resolves when VS Code has stored them. */
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
      const before = loadSnapshots(this.#memento);
      // Snapshots of a later version must not be replaced. The journals contain everything anyway.
      if (before.kind === 'newer') return;
      const snapshots = joinSnapshots(this.#collect(), before.kind === 'valid' ? before.snapshots : undefined);
      await this.#memento.update(SNAPSHOTS_KEY, snapshots);
    } catch (error) {
      this.#onFault(error);
    }
  }
}
