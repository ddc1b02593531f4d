/** What is made when it is first needed: until then nothing of it is read from disk. */
export class Late<T extends { close(): Promise<void> }> {
  readonly #make: () => Promise<T>;
  readonly #sentence: (error: unknown) => string;
  #made: Promise<T> | undefined;
  #hasEnded = false;

  /** `sentence` says to the user that it could not be made. */
  constructor(make: () => Promise<T>, sentence: (error: unknown) => string) {
    this.#make = make;
    this.#sentence = sentence;
  }

  /**
   * Made once, however many ask. Rejects with a sentence for the user, which the editor shows where it asked; who asks
   * after that has it tried again.
   */
  get(): Promise<T> {
    if (this.#hasEnded) return Promise.reject(new Error('the extension has ended'));
    this.#made ??= this.#make().catch((error: unknown) => {
      this.#made = undefined;
      throw new Error(this.#sentence(error), { cause: error });
    });
    return this.#made;
  }

  /** Closes what was made, and what is just being made as soon as it is there. */
  async end(): Promise<void> {
    this.#hasEnded = true;
    // Whoever asked for it was told why it failed.
    const made = await this.#made?.catch(() => undefined);
    await made?.close();
  }
}
