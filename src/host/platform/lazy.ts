/** Something expensive that is made on first use; until then none of its code is read from disk. */
export class Lazy<T extends { close(): Promise<void> }> {
  readonly #make: () => Promise<T>;
  readonly #describe: (error: unknown) => string;
  #made: Promise<T> | undefined;
  #hasEnded = false;

  /** `describe` words a failure for the user. */
  constructor(make: () => Promise<T>, describe: (error: unknown) => string) {
    this.#make = make;
    this.#describe = describe;
  }

  /**
   * Made once, however many ask. Rejects with a sentence for the user, which the editor shows where it asked; the next
   * caller makes a new attempt.
   */
  get(): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new Error('the extension has ended'));
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw new Error(this.#describe(error), { cause: error });
    });
    return this.#made;
  }

  /** Whether it was asked for. */
  get hasBegun(): boolean {
    return this.#made !== undefined;
  }

  /** Closes what was made, also when it is still being made. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    // Whoever asked for it was told why it failed.
    const made = await this.#made?.catch(() => undefined);
    await made?.close();
  }
}
