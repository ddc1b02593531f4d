import { joinSnapshots, readSnapshots, type OwnPart, type ReadSnapshots } from './snapshot.ts';

/** The part of VS Code's `Memento` that snapshots need. */
export interface MementoLike {
  get(key: string): unknown;
  update(key: string, value: unknown): PromiseLike<void>;
}

/** The one key under which the snapshots of all workspaces stand. */
export const SNAPSHOTS_KEY = 'threadkeeper.snapshots';
/** Updates of two windows that are closer together than this (ms) lose one of them; measured in VS Code 1.139. */
const PAUSE_MS = 150;

/** Reads the snapshots from the editor's state. Never throws. */
export function loadSnapshots(memento: MementoLike): ReadSnapshots {
  return readSnapshots(memento.get(SNAPSHOTS_KEY));
}

/** Writes snapshots to the editor's state: at a turn's end, never closer together than 150 ms, and once more at the end. */
export class SnapshotWriter {
  readonly #memento: MementoLike;
  readonly #collect: () => OwnPart;
  readonly #onFault: (error: unknown) => void;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();
  #due = false;
  #disposed = false;

  /** `collect` gives this window's part at the moment of writing; `onFault` hears of updates that failed. */
  constructor(memento: MementoLike, collect: () => OwnPart, onFault: (error: unknown) => void) {
    this.#memento = memento;
    this.#collect = collect;
    this.#onFault = onFault;
  }

  /** To be called at a turn's end. */
  schedule(): void {
    if (this.#disposed) return;
    this.#due = true;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.flush();
    }, PAUSE_MS);
  }

  /** Writes what is due, now; resolves when the editor has taken it. */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#due) {
      this.#due = false;
      this.#writing = this.#writing.then(() => this.#write());
    }
    return this.#writing;
  }

  /** Writes what is due and nothing after that. */
  dispose(): Promise<void> {
    this.#disposed = true;
    return this.flush();
  }

  async #write(): Promise<void> {
    try {
      const before = loadSnapshots(this.#memento);
      // A later version's snapshots are not ours to replace; the journals hold everything anyway.
      if (before.kind === 'newer') return;
      const snapshots = joinSnapshots(this.#collect(), before.kind === 'sound' ? before.snapshots : undefined);
      await this.#memento.update(SNAPSHOTS_KEY, snapshots);
    } catch (error) {
      this.#onFault(error);
    }
  }
}
