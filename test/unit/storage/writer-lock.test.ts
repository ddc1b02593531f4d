import assert from 'node:assert/strict';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WriterLock } from '../../../src/storage/writer-lock.ts';
import { inFolder } from './support.ts';

/** So long after a change a file is known by its times alone. */
const settled = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 150));

/** A lock that one window has had for a while and has looked at, as before each write. */
function longHeld(work: (lock: WriterLock, path: string) => Promise<void>): () => Promise<void> {
  return () =>
    inFolder(async (folder) => {
      const path = join(folder, 's.lock');
      const lock = new WriterLock(path, 'a');
      assert.deepEqual(await lock.acquire(), { held: true, alone: true });
      await settled();
      for (let looks = 0; looks < 3; looks++) assert.equal(await lock.check(), 'held');
      await work(lock, path);
    });
}

/** What the lock says when another window of this process has it: as long as it is. */
const another = async (path: string): Promise<string> => (await readFile(path, 'utf8')).replace('"a:', '"b:');

describe('a lock that a window has had for a while', () => {
  for (const [when, pause] of [
    ['at once', () => Promise.resolve()],
    ['and later', settled],
  ] as const) {
    it(
      `is lost when another file takes its place, ${when}`,
      longHeld(async (lock, path) => {
        await writeFile(`${path}.draft`, await another(path));
        await rename(`${path}.draft`, path);
        await pause();
        assert.equal(await lock.check(), 'lost');
        assert.equal(await lock.beat(), false);
      }),
    );

    it(
      `is lost when another name is written into it, ${when}`,
      longHeld(async (lock, path) => {
        const own = await readFile(path, 'utf8');
        await writeFile(path, await another(path));
        await pause();
        assert.equal(await lock.check(), 'lost');
        await writeFile(path, own);
        await pause();
        assert.equal(await lock.check(), 'held');
      }),
    );

    it(
      `is kept under a new name, and not under the old one, ${when}`,
      longHeld(async (lock, path) => {
        const old = await readFile(path, 'utf8');
        await lock.renew();
        await pause();
        assert.equal(await lock.check(), 'held');
        await writeFile(path, old);
        await pause();
        assert.equal(await lock.check(), 'lost');
      }),
    );
  }

  it(
    'is put back when somebody has deleted it',
    longHeld(async (lock, path) => {
      const own = await readFile(path, 'utf8');
      await rm(path);
      assert.equal(await lock.check(), 'held');
      assert.equal(await readFile(path, 'utf8'), own);
    }),
  );
});
