import * as v from 'valibot';
import { count, type Read } from '../../core/model/fields.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { textHash } from '../../core/text/hash.ts';
import type { LibraryEntry } from './read-session.ts';

/**
 * How a session relates to another one of the same tool. `copy`: the same session in a second file. `subagent`: started
 * by the other. `continued`: contains all messages of the other and more. `fork`: has the same first messages.
 */
export const relationSchema = v.object({
  kind: v.picklist(['copy', 'subagent', 'continued', 'fork']),
  of: v.string(),
  /** Number of messages that both have in common at the start; 0 for a subagent. */
  shared: count,
});
export type Relation = Read<typeof relationSchema>;

/** Two sessions that share only a “hello” aren't related. */
const MIN_SHARED = 2;

/** Fingerprints of a session's messages, for comparing sessions without keeping their texts. */
export function fingerprints(messages: readonly TranscriptMessage[]): Float64Array {
  return Float64Array.from(messages, ({ role, text, at }) => Number.parseInt(textHash([role, String(at), text]), 16));
}

/** Finds the relations between sessions. The original of a family is the one with the oldest update. */
export class Relations {
  readonly #all: FingerprintedEntry[] = [];

  add(entry: LibraryEntry, prints: Float64Array): void {
    this.#all.push({ entry, prints });
  }

  /** The relation of each entry that has one. */
  all(): ReadonlyMap<LibraryEntry, Relation> {
    const found = new Map<LibraryEntry, Relation>();
    const oldest = this.#all.toSorted(
      (a, b) => a.entry.updatedAt - b.entry.updatedAt || a.prints.length - b.prints.length,
    );
    const earlier = new Map<string, FingerprintedEntry[]>();
    for (const one of oldest) {
      const keys = relationKeys(one.entry, one.prints[0]);
      const relation = subagentOf(one.entry) ?? nearest(one, new Set(keys.flatMap((key) => earlier.get(key) ?? [])));
      if (relation) found.set(one.entry, relation);
      for (const key of keys) earlier.set(key, [...(earlier.get(key) ?? []), one]);
    }
    return found;
  }
}

/** Only sessions that share one of these keys can be related: the first message or the ID. */
export function relationKeys({ tool, id }: LibraryEntry, first: number | undefined): readonly string[] {
  return [`${tool} ${first ?? ''}`, `${tool} #${id}`];
}

/** Whether the file's path contains the session's ID. IDs in databases are unique only within their database. */
export function isNamedAfter({ path, id }: Pick<LibraryEntry, 'path' | 'id'>): boolean {
  return path.includes(id);
}

function subagentOf({ parent, id }: LibraryEntry): Relation | undefined {
  return parent !== undefined && parent !== id ? { kind: 'subagent', of: parent, shared: 0 } : undefined;
}

interface FingerprintedEntry {
  readonly entry: LibraryEntry;
  readonly prints: Float64Array;
}

/** The relation to the earlier session that is the same one or shares the most messages. */
function nearest(one: FingerprintedEntry, earlier: Iterable<FingerprintedEntry>): Relation | undefined {
  const others = Array.from(earlier, ({ entry, prints }) => ({
    entry,
    length: prints.length,
    shared: commonLength(one.prints, prints),
  }));
  const same = others.filter(
    ({ entry, shared }) =>
      entry.id === one.entry.id && (shared > 0 || (isNamedAfter(entry) && isNamedAfter(one.entry))),
  );
  const alike = same.length > 0 ? same : others.filter(({ shared }) => shared >= MIN_SHARED);
  const [best] = alike.toSorted((a, b) => b.shared - a.shared);
  if (!best) return undefined;
  const kind = same.length > 0 ? 'copy' : best.shared === best.length ? 'continued' : 'fork';
  return { kind, of: best.entry.id, shared: best.shared };
}

function commonLength(a: Float64Array, b: Float64Array): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
