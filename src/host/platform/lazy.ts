/** Something expensive that is created on first use. None of its code is loaded before. */
export class Lazy<T extends { close(): Promise<void> }> {
  readonly #make: () => Promise<T>;
  readonly #describe: (error: unknown) => string;
  #made: Promise<T> | undefined;
  #hasEnded = false;

  /** `describe` returns the message for a failure. */
  constructor(make: () => Promise<T>, describe: (error: unknown) => string) {
    this.#make = make;
    this.#describe = describe;
  }

  /** Creates it once for all callers. Rejects with a message for the user; the next caller tries again. */
  get(): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new Error('the extension has ended'));
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw new Error(this.#describe(error), { cause: error });
    });
    return this.#made;
  }

  /** Whether it was ever requested. */
  get hasBegun(): boolean {
    return this.#made !== undefined;
  }

  /** Closes it, even if it's still being created. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    // The caller has already received the error.
    const made = await this.#made?.catch(() => undefined);
    await made?.close();
  }
}
