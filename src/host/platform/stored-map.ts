import * as v from 'valibot';
import type { Memento } from 'vscode';

/** A map in VS Code's state that keeps the entries that were set last. */
export class StoredMap<T> {
  readonly #memento: Memento;
  readonly #key: string;
  readonly #max: number;
  readonly #entries: Map<string, T>;

  /** @param valueSchema if the stored content is invalid, the map is empty */
  constructor(memento: Memento, key: string, valueSchema: v.GenericSchema<unknown, T>, max: number) {
    this.#memento = memento;
    this.#key = key;
    this.#max = max;
    const parsed = v.safeParse(v.array(v.tuple([v.string(), valueSchema])), memento.get(key));
    this.#entries = new Map(parsed.success ? parsed.output : []);
  }

  get(name: string): T | undefined {
    return this.#entries.get(name);
  }

  set(name: string, value: T): void {
    this.#entries.delete(name);
    this.#entries.set(name, value);
  }

  /** Rejects if the entries can't be stored. This window still has them. */
  async save(): Promise<void> {
    await this.#memento.update(this.#key, [...this.#entries].slice(-this.#max));
  }
}
