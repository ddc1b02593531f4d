/** Runs asynchronous work sequentially, in the order of the calls. */
export class Sequencer {
  #last: Promise<unknown> = Promise.resolve();

  queue<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work);
    this.#last = result.catch(() => undefined);
    return result;
  }
}
