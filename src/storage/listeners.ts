/** Those who want to hear of changes. */
export class Listeners<T> {
  readonly #all = new Set<(news: T) => void>();

  add(listener: (news: T) => void): { dispose(): void } {
    this.#all.add(listener);
    return { dispose: () => void this.#all.delete(listener) };
  }

  clear(): void {
    this.#all.clear();
  }

  /** Calls everyone. A listener that throws harms neither the others nor the caller: its error is thrown on its own. */
  tell(news: T): void {
    for (const listener of [...this.#all]) {
      try {
        listener(news);
      } catch (error) {
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}
