export interface Disposable {
  dispose(): void;
}

/** Calls listeners. If one throws, the error is passed to `onError`, and the others are still called. */
export class Emitter<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: (error: unknown) => void;

  constructor(onError: (error: unknown) => void) {
    this.#onError = onError;
  }

  on(listener: (value: T) => void): Disposable {
    this.#listeners.add(listener);
    return { dispose: () => this.#listeners.delete(listener) };
  }

  clear(): void {
    this.#listeners.clear();
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        this.#onError(error);
      }
    }
  }
}
