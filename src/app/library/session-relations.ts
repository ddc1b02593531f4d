import * as v from 'valibot';
import { countSchema, type ReadonlyOutput } from '../../core/model/field-schemas.ts';
import type { TranscriptMessage } from '../../core/transcript/transcript-message.ts';
import { textHash } from '../../core/text/hash.ts';
import type { LibraryEntry } from './read-session.ts';

/**
 * The relation of a session to another one of the same tool. `copy`: it's the same session in another file. `subagent`:
 * the other one started it. `continued`: it contains all messages of the other one. `fork`: both begin with the same
 * messages.
 */
export const relationSchema = v.object({
  kind: v.picklist(['copy', 'subagent', 'continued', 'fork']),
  of: v.string(),
  /** Number of messages that both begin with; 0 for a subagent. */
  shared: countSchema,
});
export type Relation = ReadonlyOutput<typeof relationSchema>;

/** Minimum number of shared first messages. Unrelated sessions may both begin with a “hello”. */
const MIN_SHARED = 2;

/** Fingerprints of messages, to compare sessions without their texts. */
export function fingerprints(messages: readonly TranscriptMessage[]): number[] {
  return messages.map(({ role, text, at }) => Number.parseInt(textHash([role, String(at), text]), 16));
}

export interface FingerprintedEntry {
  readonly entry: LibraryEntry;
  readonly prints: readonly number[];
}

/** The relation of each session to one that was last changed before it. */
export function relationsBetween(sessions: readonly FingerprintedEntry[]): ReadonlyMap<LibraryEntry, Relation> {
  const found = new Map<LibraryEntry, Relation>();
  const oldest = sessions.toSorted(
    (a, b) => a.entry.updatedAt - b.entry.updatedAt || a.prints.length - b.prints.length,
  );
  const earlier = new Map<string, FingerprintedEntry[]>();
  for (const one of oldest) {
    const keys = relationKeys(one.entry, one.prints[0]);
    const relation = subagentOf(one.entry) ?? relationTo(one, new Set(keys.flatMap((key) => earlier.get(key) ?? [])));
    if (relation) found.set(one.entry, relation);
    for (const key of keys) earlier.set(key, [...(earlier.get(key) ?? []), one]);
  }
  return found;
}

/** Keys for the first message and the ID. Only sessions with a common key can be related. */
export function relationKeys({ tool, id }: LibraryEntry, first: number | undefined): readonly string[] {
  return [`${tool} ${first ?? ''}`, `${tool} #${id}`];
}

/** Whether the file's path contains the session's ID. Then the ID is unique; in a database, it may not be. */
export function hasIdInPath({ path, id }: Pick<LibraryEntry, 'path' | 'id'>): boolean {
  return path.includes(id);
}

function subagentOf({ parent, id }: LibraryEntry): Relation | undefined {
  return parent !== undefined && parent !== id ? { kind: 'subagent', of: parent, shared: 0 } : undefined;
}

/** The relation to the earlier session that has the same ID or shares the longest beginning. */
function relationTo(one: FingerprintedEntry, earlier: Iterable<FingerprintedEntry>): Relation | undefined {
  const others = Array.from(earlier, ({ entry, prints }) => ({
    entry,
    length: prints.length,
    shared: commonLength(one.prints, prints),
  }));
  const same = others.filter(
    ({ entry, shared }) => entry.id === one.entry.id && (shared > 0 || (hasIdInPath(entry) && hasIdInPath(one.entry))),
  );
  const candidates = same.length > 0 ? same : others.filter(({ shared }) => shared >= MIN_SHARED);
  const [best] = candidates.toSorted((a, b) => b.shared - a.shared);
  if (!best) return undefined;
  const kind = same.length > 0 ? 'copy' : best.shared === best.length ? 'continued' : 'fork';
  return { kind, of: best.entry.id, shared: best.shared };
}

/** The number of fingerprints with which both lists begin. */
export function commonLength(a: readonly number[], b: readonly number[]): number {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  return at;
}
