import { randomBytes } from 'node:crypto';
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import { NEVER_YIELDS } from '../core/pace/yielder.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { phrase } from '../core/text/phrase.ts';
import { withAccessFaults, ifExists } from './disk-errors.ts';
import { journalPath, readStoredSession } from './session-store.ts';
import { WriterLock } from './writer-lock.ts';

/** Time during which a deleted session can be restored, in ms. */
const RETENTION_MS = 7 * 24 * 3_600_000;

/** Minimum age of an orphaned file, in ms. */
const MIN_ORPHAN_AGE_MS = 10 * 60_000;

const TEMPORARY_FILE =
  /^.+\.(?:(?:lock|request)(?:\.[0-9a-f]{12})?|jsonl?\.[0-9a-f]{12}|attachment-[^.]+\.[0-9a-f]{12}|(?:counts|checkpoint)\.json\.\d+\.new|(?:queue|draft)\.json\.new)$/;
const DERIVED = /^(.+)\.(?:counts|checkpoint)\.json$/;
/** A session's files, except for its lock, which its holder removes. After a crash, it's orphaned. */
const SESSION_FILE =
  /^(.+)\.(?:jsonl(?:\.damaged|\.torn-[\d-]+|\.unreadable-\d+)?|(?:counts|checkpoint|queue|draft|attachments)\.json|attachment-[^.]+)$/;

const SESSION_FILES = phrase('the session files');

interface PlainFile {
  readonly name: string;
  readonly bytes: number;
  readonly modifiedAt: number;
}

/** For each session, the size in bytes of its journal and the files next to it. */
export async function sizesOfSessions(folder: string, ids: readonly SessionId[]): Promise<Map<SessionId, number>> {
  const sizes = new Map(ids.map((id) => [id, 0]));
  for (const { name, bytes } of await filesIn(folder, (one) => SESSION_FILE.test(one))) {
    const id = sessionId(SESSION_FILE.exec(name)?.[1] ?? '');
    const known = sizes.get(id);
    if (known !== undefined) sizes.set(id, known + bytes);
  }
  return sizes;
}

/**
 * Finds orphaned files in the folder of the journals or of the workspace memory: temporary files, locks, requests, and
 * empty journals that a crash has left, and counts and checkpoints without a journal. Files younger than ten minutes are
 * excluded, because they may still be in use (a lock is touched every second), and so are quarantined lines, because they
 * contain messages. `now` is in milliseconds since the epoch.
 */
export async function findOrphans(folder: string, now: number): Promise<readonly PlainFile[]> {
  const files = await filesIn(folder, (name, all) => {
    const id = DERIVED.exec(name)?.[1];
    return TEMPORARY_FILE.test(name) || isJournal(name) || (id !== undefined && !all.has(`${id}.jsonl`));
  });
  const isOld = ({ modifiedAt }: PlainFile): boolean => now - modifiedAt > MIN_ORPHAN_AGE_MS;
  const locks = new Set(files.filter((one) => one.name.endsWith('.lock') && !isOld(one)).map(({ name }) => name));
  return files.filter(
    (one) =>
      isOld(one) && (!isJournal(one.name) || (one.bytes === 0 && !locks.has(one.name.replace(/jsonl$/, 'lock')))),
  );
}

const isJournal = (name: string): boolean => name.endsWith('.jsonl');

/** Deletes orphaned files (see `findOrphans`); returns the number of freed bytes. Rejects with `StoreFault`. */
export async function removeOrphans(folder: string, now: number): Promise<number> {
  return removeFiles(folder, await findOrphans(folder, now));
}

type Removal =
  | { readonly kind: 'removed'; readonly bytes: number }
  /** Open in a window. */
  | { readonly kind: 'in_use' }
  /** It's already gone, a newer version has written to it, or `mayRemove` returned false for its current state. */
  | { readonly kind: 'kept' };

/** Deletes a session's files. `mayRemove` is called with the lock held. Rejects with `StoreFault`. */
export async function removeSession(
  folder: string,
  id: SessionId,
  mayRemove: (state: SessionState) => boolean,
): Promise<Removal> {
  const path = journalPath(folder, id);
  if (!path) return { kind: 'kept' };
  const lock = new WriterLock(path.replace(/\.jsonl$/, '.lock'), `clean-up-${randomBytes(4).toString('hex')}`);
  return withAccessFaults(SESSION_FILES, async () => {
    if ((await filesIn(folder, (name) => name === `${id}.jsonl`)).length === 0) return { kind: 'kept' };
    if (!(await lock.acquire()).held) return { kind: 'in_use' };
    try {
      const journal = await readStoredSession(folder, id, NEVER_YIELDS);
      // A newer version may have restored it with an event that this version can't read.
      if (!journal || journal.newer || !mayRemove(journal.state)) return { kind: 'kept' };
      const files = await filesIn(folder, (name) => SESSION_FILE.exec(name)?.[1] === id);
      // The journal is deleted last. If deleting the others fails, the session is still listed and can be removed
      // again.
      files.sort((a, b) => Number(isJournal(a.name)) - Number(isJournal(b.name)));
      return { kind: 'removed', bytes: await removeFiles(folder, files) };
    } finally {
      await lock.release();
    }
  });
}

/** Whether a deleted session's retention is over. Each later event restarts it. */
export function isRetentionOver(session: Pick<SessionState, 'deleted' | 'updatedAt'>, now: number): boolean {
  return session.deleted && now - session.updatedAt > RETENTION_MS;
}

async function removeFiles(folder: string, files: readonly PlainFile[]): Promise<number> {
  await withAccessFaults(SESSION_FILES, async () => {
    for (const { name } of files) await rm(join(folder, name), { force: true });
  });
  return files.reduce((freed, { bytes }) => freed + bytes, 0);
}

/** The plain files in a folder with the wanted names; empty if the folder doesn't exist. Rejects with `StoreFault`. */
async function filesIn(
  folder: string,
  isWanted: (name: string, all: ReadonlySet<string>) => boolean,
): Promise<PlainFile[]> {
  return withAccessFaults(SESSION_FILES, async () => {
    const names = new Set((await ifExists(readdir(folder))) ?? []);
    const files: PlainFile[] = [];
    for (const name of names) {
      const found = isWanted(name, names) ? await ifExists(lstat(join(folder, name))) : undefined;
      if (found?.isFile()) files.push({ name, bytes: found.size, modifiedAt: found.mtimeMs });
    }
    return files;
  });
}
