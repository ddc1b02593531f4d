import * as v from 'valibot';
import type { Memento } from 'vscode';

/**
 * A map in VS Code's state that keeps the `max` entries that were set last.
 *
 * @param valueSchema if the stored content is invalid, the map is empty
 */
export function storedMap<T>(memento: Memento, key: string, valueSchema: v.GenericSchema<unknown, T>, max: number) {
  const schema = v.fallback(v.array(v.tuple([v.string(), valueSchema])), []);
  const entries = new Map<string, T>(v.parse(schema, memento.get(key)));
  return {
    get: (name: string): T | undefined => entries.get(name),
    set: (name: string, value: T): void => {
      entries.delete(name);
      entries.set(name, value);
    },
    /** Rejects if the entries can't be stored. This window still has them. */
    save: async (): Promise<void> => memento.update(key, [...entries].slice(-max)),
  };
}
