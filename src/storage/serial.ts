import { deferred, type Deferred } from '../core/pace/deferred.ts';

/** Runs asynchronous work one piece after the other, in the order of the calls. */
export class Serial {
  #last: Promise<unknown> = Promise.resolve();

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work, work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}

/** Collects what arrives while a commit is under way and commits it together: one flush to disk for many callers. */
export class GroupCommit<T> {
  readonly #commit: (items: readonly T[]) => Promise<void>;
  #waiting: { readonly item: T; readonly done: Deferred<undefined> }[] = [];
  #running = false;

  constructor(commit: (items: readonly T[]) => Promise<void>) {
    this.#commit = commit;
  }

  /** Settles as the commit that holds this item does. */
  async add(item: T): Promise<void> {
    const done = deferred<undefined>();
    this.#waiting.push({ item, done });
    if (!this.#running) void this.#run();
    await done.promise;
  }

  async #run(): Promise<void> {
    this.#running = true;
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#waiting = [];
      try {
        await this.#commit(group.map(({ item }) => item));
        for (const { done } of group) done.resolve(undefined);
      } catch (error) {
        for (const { done } of group) done.reject(error);
      }
    }
    this.#running = false;
  }
}
