/** A value that is created on first use, because it's expensive. Its code is only loaded then. */
export class Lazy<T extends { close(): Promise<void> }> {
  readonly #create: () => Promise<T>;
  readonly #describe: (error: unknown) => string;
  #created: Promise<T> | undefined;
  #hasEnded = false;

  /** @param describe returns the message for the user if `create` fails */
  constructor(create: () => Promise<T>, describe: (error: unknown) => string) {
    this.#create = create;
    this.#describe = describe;
  }

  /** Creates the value for the first caller. Rejects with a message for the user; the next caller tries again. */
  get(): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new Error('the extension has ended'));
    this.#created ??= this.#create().catch((error: unknown) => {
      this.#created = undefined;
      throw new Error(this.#describe(error), { cause: error });
    });
    return this.#created;
  }

  /** Whether the value has been created, or is being created. */
  get hasStarted(): boolean {
    return this.#created !== undefined;
  }

  /** Closes the value, even if it's still being created. */
  async close(): Promise<void> {
    this.#hasEnded = true;
    // The caller of `get` has already received the error.
    const created = await this.#created?.catch(() => undefined);
    await created?.close();
  }
}
