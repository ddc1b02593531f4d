import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { textHash } from '../../core/text/hash.ts';
import type { LibraryEntry } from './read-session.ts';

/** How a session stands to another one of the same tool. */
export interface Relation {
  /**
   * `copy`: the same session in a second file. `subagent`: works for the other. `continued`: holds all of the other
   * and goes on. `fork`: shares its beginning.
   */
  readonly kind: 'copy' | 'subagent' | 'continued' | 'fork';
  readonly of: string;
  /** How many messages both begin with; 0 for a subagent. */
  readonly shared: number;
}

/** Two sessions that only begin with the same “hello” are not related. */
const MIN_SHARED = 2;

/** Fingerprints of a session's messages, for comparing sessions without keeping their texts. */
export function fingerprints(messages: readonly TranscriptMessage[]): Float64Array {
  return Float64Array.from(messages, ({ role, text, at }) => Number.parseInt(textHash([role, String(at), text]), 16));
}

/** Finds how sessions stand to each other. The original of a family is the one that was updated first. */
export class Relations {
  readonly #families = new Map<string, { readonly entry: LibraryEntry; readonly prints: Float64Array }[]>();

  add(entry: LibraryEntry, prints: Float64Array): void {
    const key = `${entry.tool} ${prints[0] ?? ''}`;
    const family = this.#families.get(key);
    if (family) family.push({ entry, prints });
    else this.#families.set(key, [{ entry, prints }]);
  }

  /** The relation of each entry that has one. */
  all(): ReadonlyMap<LibraryEntry, Relation> {
    const found = new Map<LibraryEntry, Relation>();
    for (const family of this.#families.values()) {
      const oldest = [...family].sort(
        (a, b) => a.entry.updatedAt - b.entry.updatedAt || a.prints.length - b.prints.length,
      );
      for (const [index, one] of oldest.entries()) {
        const relation = subagentOf(one.entry) ?? nearest(one, oldest.slice(0, index));
        if (relation) found.set(one.entry, relation);
      }
    }
    return found;
  }
}

function subagentOf({ parent, id }: LibraryEntry): Relation | undefined {
  return parent !== undefined && parent !== id ? { kind: 'subagent', of: parent, shared: 0 } : undefined;
}

interface Printed {
  readonly entry: LibraryEntry;
  readonly prints: Float64Array;
}

/** The earlier session that shares the most. */
function nearest(one: Printed, earlier: readonly Printed[]): Relation | undefined {
  let best: Relation | undefined;
  for (const other of earlier) {
    const shared = commonLength(one.prints, other.prints);
    const isSame = one.entry.id === other.entry.id;
    if (!isSame && shared < MIN_SHARED) continue;
    if (best && best.shared >= shared) continue;
    const kind = isSame ? 'copy' : shared === other.prints.length ? 'continued' : 'fork';
    best = { kind, of: other.entry.id, shared };
  }
  return best;
}

function commonLength(a: Float64Array, b: Float64Array): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
