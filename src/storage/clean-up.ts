import { phrase } from '../core/text/phrase.ts';
import { randomBytes } from 'node:crypto';
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionId } from '../core/model/ids.ts';
import { ALONE, type Breather } from '../core/pace/breather.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { resumeReader } from './checkpoint.ts';
import { accessFault, ifThere } from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';
import { journalPath } from './session-list.ts';
import { WriterLock } from './writer-lock.ts';

/** A deleted session can be had back for this long, in ms. */
const KEPT_AFTER_DELETION_MS = 7 * 24 * 3_600_000;

/** A file that is written and renamed at once is a leftover when it is older than this, in ms. */
const LEFTOVER_AFTER_MS = 10 * 60_000;

const LOCK_DRAFT = /^.+\.(?:(?:lock|request)\.[0-9a-f]{12}|request)$/;
const DERIVED = /^(?<id>.+)\.(?:counts|checkpoint)\.json(?:\.[0-9a-f]{12}|\.\d+\.new)?$/;

/** A file that belongs to no session. `bytes` is its size. */
interface Orphan {
  readonly name: string;
  readonly bytes: number;
}

/** How many bytes the sessions' files take, all that lies beside a journal included. */
export async function sizesOfSessions(folder: string, ids: readonly SessionId[]): Promise<Map<SessionId, number>> {
  const names = await namesIn(folder);
  const sizes = new Map<SessionId, number>();
  const owned = ownership(ids);
  for (const name of names) {
    const id = owned(name);
    if (id !== undefined) sizes.set(id, (sizes.get(id) ?? 0) + ((await plainFile(folder, name))?.bytes ?? 0));
  }
  return sizes;
}

/**
 * What can go without anybody missing it: drafts of locks and requests for them that a crash has left, and counts and checkpoints whose
 * journal is gone. Files younger than ten minutes may still be in use. Set-aside lines are never among them: they
 * hold what was said. `now` is milliseconds since the epoch.
 */
export async function findOrphans(folder: string, now: number): Promise<Orphan[]> {
  const names = await namesIn(folder);
  const present = new Set(names);
  const orphans: Orphan[] = [];
  for (const name of names) {
    const id = DERIVED.exec(name)?.groups?.['id'];
    const isOrphan = LOCK_DRAFT.test(name) || (id !== undefined && !present.has(`${id}.jsonl`));
    const file = isOrphan ? await plainFile(folder, name) : undefined;
    if (file && now - file.modifiedAt > LEFTOVER_AFTER_MS) orphans.push({ name, bytes: file.bytes });
  }
  return orphans;
}

/** Removes what `findOrphans` finds; returns how many bytes were freed. Rejects with `StoreFault`. */
export async function removeOrphans(folder: string, now: number): Promise<number> {
  let freed = 0;
  try {
    for (const { name, bytes } of await findOrphans(folder, now)) {
      await rm(join(folder, name), { force: true });
      freed += bytes;
    }
  } catch (error) {
    throw accessFault(error, phrase('the session files'));
  }
  return freed;
}

type Removal =
  | { readonly kind: 'removed'; readonly bytes: number }
  /** A window has it open. */
  | { readonly kind: 'in_use' }
  /** It is no longer what was to be removed: it is gone, or `isWanted` refused what is in it now. */
  | { readonly kind: 'kept' };

/**
 * Deletes a session for good: its journal and all that lies beside it. It is looked at once more with its lock held, so
 * that one which somebody has opened or put back meanwhile stays. Rejects with `StoreFault`.
 */
export async function removeSession(
  folder: string,
  id: SessionId,
  isWanted: (state: SessionState) => boolean,
): Promise<Removal> {
  const path = journalPath(folder, id);
  if (!path) return { kind: 'kept' };
  const lock = new WriterLock(path.replace(/\.jsonl$/, '.lock'), `clean-up-${randomBytes(4).toString('hex')}`);
  try {
    if (!(await plainFile(folder, `${id}.jsonl`))) return { kind: 'kept' };
    if (!(await lock.acquire()).held) return { kind: 'in_use' };
    try {
      const state = await readStored(path, id, ALONE);
      if (!state || !isWanted(state)) return { kind: 'kept' };
      return { kind: 'removed', bytes: await removeFiles(folder, id) };
    } finally {
      await lock.release();
    }
  } catch (error) {
    throw accessFault(error, phrase('the session files'));
  }
}

/**
 * True for a session that was deleted longer ago than it is kept. The last thing that happened to a deleted session is
 * its deletion or something after it, so it is never taken for older than it is.
 */
export function isPastKeeping(session: Pick<SessionState, 'deleted' | 'updatedAt'>, now: number): boolean {
  return session.deleted && now - session.updatedAt > KEPT_AFTER_DELETION_MS;
}

/** A session's state as its journal gives it, without lock or repair; undefined when there is no such file. */
export async function readSession(
  folder: string,
  id: SessionId,
  breather: Breather,
): Promise<SessionState | undefined> {
  const path = journalPath(folder, id);
  try {
    return path === undefined ? undefined : await readStored(path, id, breather);
  } catch (error) {
    throw accessFault(error, phrase('this session'));
  }
}

async function readStored(path: string, id: SessionId, breather: Breather): Promise<SessionState | undefined> {
  const file = await ifThere(open(path, 'r'));
  if (!file) return undefined;
  try {
    const known = await resumeReader(path, file, id, breather, () => undefined);
    const reader = known ?? new JournalReader(file, breather);
    await reader.readOn();
    return reader.state;
  } finally {
    await file.close();
  }
}

// The journal goes last: should the rest fail, the session is still in the list and can be removed again.
async function removeFiles(folder: string, id: SessionId): Promise<number> {
  const owned = ownership([id]);
  const names = (await namesIn(folder)).filter((name) => owned(name) === id && name !== `${id}.jsonl`);
  let freed = 0;
  for (const name of [...names, `${id}.jsonl`]) {
    const file = await plainFile(folder, name);
    if (!file) continue;
    await rm(join(folder, name), { force: true });
    freed += file.bytes;
  }
  return freed;
}

const BESIDE = /^(?:jsonl(?:\.damaged|\.torn-[\d-]+|\.unreadable-\d+)?|(?:counts|checkpoint)\.json)$/;

/** Tells whose file a name is. The lock is not among them: whoever holds it removes it. */
function ownership(ids: readonly SessionId[]): (name: string) => SessionId | undefined {
  const known = new Map<string, SessionId>(ids.map((id) => [id, id]));
  return (name) => {
    const cut = /\.(?:jsonl|counts\.json|checkpoint\.json)(?=\.(?:damaged|torn-[\d-]+|unreadable-\d+)$|$)/.exec(name);
    if (!cut || !BESIDE.test(name.slice(cut.index + 1))) return undefined;
    return known.get(name.slice(0, cut.index));
  };
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await ifThere(readdir(folder))) ?? [];
  } catch (error) {
    throw accessFault(error, phrase('the session files'));
  }
}

async function plainFile(
  folder: string,
  name: string,
): Promise<{ readonly bytes: number; readonly modifiedAt: number } | undefined> {
  const found = await ifThere(lstat(join(folder, name)));
  return found?.isFile() ? { bytes: found.size, modifiedAt: found.mtimeMs } : undefined;
}
