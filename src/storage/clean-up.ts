import { randomBytes } from 'node:crypto';
import { lstat, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import { ALONE, type Breather } from '../core/pace/breather.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { phrase } from '../core/text/phrase.ts';
import { readJournal } from './checkpoint.ts';
import { accessFault, ifThere } from './disk-errors.ts';
import { journalPath } from './session-store.ts';
import { WriterLock } from './writer-lock.ts';

/** A deleted session can be had back for this long, in ms. */
const KEPT_AFTER_DELETION_MS = 7 * 24 * 3_600_000;

/** A file that is written and renamed at once is a leftover when it is older than this, in ms. */
const LEFTOVER_AFTER_MS = 10 * 60_000;

const LOCK_DRAFT = /^.+\.(?:(?:lock|request)\.[0-9a-f]{12}|request)$/;
const DERIVED = /^(.+)\.(?:counts|checkpoint)\.json(?:\.[0-9a-f]{12}|\.\d+\.new)?$/;
/** A session's files. The lock is not among them: whoever holds it removes it. */
const OWNED = /^(.+)\.(?:jsonl(?:\.damaged|\.torn-[\d-]+|\.unreadable-\d+)?|(?:counts|checkpoint)\.json)$/;

interface PlainFile {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** How many bytes the sessions' files take, all that lies beside a journal included. */
export async function sizesOfSessions(folder: string, ids: readonly SessionId[]): Promise<Map<SessionId, number>> {
  const sizes = new Map(ids.map((id) => [id, 0]));
  for (const { name, bytes } of await filesIn(folder, (one) => OWNED.test(one))) {
    const id = sessionId(OWNED.exec(name)?.[1] ?? '');
    const known = sizes.get(id);
    if (known !== undefined) sizes.set(id, known + bytes);
  }
  return sizes;
}

/**
 * What can go without anybody missing it: drafts of locks and requests for them that a crash has left, and counts and
 * checkpoints whose journal is gone. Files younger than ten minutes may still be in use. Set-aside lines are never among
 * them: they hold what was said. `now` is milliseconds since the epoch.
 */
export async function findOrphans(folder: string, now: number): Promise<readonly PlainFile[]> {
  const files = await filesIn(folder, (name, all) => {
    const id = DERIVED.exec(name)?.[1];
    return LOCK_DRAFT.test(name) || (id !== undefined && !all.has(`${id}.jsonl`));
  });
  return files.filter(({ modifiedAt }) => now - modifiedAt > LEFTOVER_AFTER_MS);
}

/** Removes what `findOrphans` finds; returns how many bytes were freed. Rejects with `StoreFault`. */
export async function removeOrphans(folder: string, now: number): Promise<number> {
  return removeFiles(folder, await findOrphans(folder, now));
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
    const isJournal = (name: string): boolean => name === `${id}.jsonl`;
    if ((await filesIn(folder, isJournal)).length === 0) return { kind: 'kept' };
    if (!(await lock.acquire()).held) return { kind: 'in_use' };
    try {
      const state = await readSession(folder, id, ALONE);
      if (!state || !isWanted(state)) return { kind: 'kept' };
      const files = await filesIn(folder, (name) => OWNED.exec(name)?.[1] === id);
      // The journal goes last: should the rest fail, the session is still in the list and can be removed again.
      files.sort((a, b) => Number(isJournal(a.name)) - Number(isJournal(b.name)));
      return { kind: 'removed', bytes: await removeFiles(folder, files) };
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
    const file = path === undefined ? undefined : await ifThere(open(path, 'r'));
    if (path === undefined || !file) return undefined;
    return await readJournal(path, file, id, breather)
      .then(({ reader }) => reader.state)
      .finally(() => file.close());
  } catch (error) {
    throw accessFault(error, phrase('this session'));
  }
}

async function removeFiles(folder: string, files: readonly PlainFile[]): Promise<number> {
  let freed = 0;
  try {
    for (const { name, bytes } of files) {
      await rm(join(folder, name), { force: true });
      freed += bytes;
    }
  } catch (error) {
    throw accessFault(error, phrase('the session files'));
  }
  return freed;
}

/** The plain files of a folder whose name is wanted; none where there is no folder. Rejects with `StoreFault`. */
async function filesIn(
  folder: string,
  isWanted: (name: string, all: ReadonlySet<string>) => boolean,
): Promise<PlainFile[]> {
  try {
    const names = new Set((await ifThere(readdir(folder))) ?? []);
    const files: PlainFile[] = [];
    for (const name of names) {
      const found = isWanted(name, names) ? await ifThere(lstat(join(folder, name))) : undefined;
      if (found?.isFile()) files.push({ name, bytes: found.size, modifiedAt: found.mtimeMs });
    }
    return files;
  } catch (error) {
    throw accessFault(error, phrase('the session files'));
  }
}
