import { mkdir, open, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** A lock file without an owner's id in it is a crash's remains once it is this old. */
const OWNERLESS_AFTER_MS = 10_000;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs, under another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const owner = (await readFile(lock, 'utf8')).trim();
    if (owner !== '') return !isRunning(Number(owner));
    return Date.now() - (await stat(lock)).mtimeMs > OWNERLESS_AFTER_MS;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Runs `body` while no other process holds `lock`, a file that names its owner; a dead owner's lock is taken over.
 * `onWait` is called once if another process has to be waited for.
 */
export async function withLock<T>(lock: string, onWait: () => void, body: () => Promise<T>): Promise<T> {
  await mkdir(path.dirname(lock), { recursive: true });
  for (let waited = false; ;) {
    try {
      const file = await open(lock, 'wx');
      await file.writeFile(String(process.pid));
      await file.close();
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    if (await isAbandoned(lock)) {
      await rm(lock, { force: true });
      continue;
    }
    if (!waited) onWait();
    waited = true;
    await sleep(500);
  }
  try {
    return await body();
  } finally {
    await rm(lock, { force: true });
  }
}
