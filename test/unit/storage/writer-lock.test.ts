import assert from 'node:assert/strict';
import type { PathLike } from 'node:fs';
import fs from 'node:fs/promises';
import { readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WriterLock } from '../../../src/storage/writer-lock.ts';
import { diskError, refusingRenames, withFileSystem } from '../../support/failing-files.ts';
import { inFolder } from './test-store.ts';

/**
 * Runs a test with a held lock. `own` is the content of its file, and `another` what another window of this process
 * would write.
 */
const withLock = (work: (lock: WriterLock, path: string, own: string, another: string) => Promise<void>) => () =>
  inFolder(async (folder) => {
    const path = join(folder, 's.lock');
    const lock = new WriterLock(path, 'a');
    assert.deepEqual(await lock.acquire(), { held: true, alone: true });
    assert.equal(await lock.isHeld(), true);
    const own = await readFile(path, 'utf8');
    await work(lock, path, own, own.replace('"a:', '"b:'));
  });

describe('writer lock held by a window', () => {
  it(
    'is lost when another file replaces it',
    withLock(async (lock, path, _, another) => {
      await writeFile(`${path}.draft`, another);
      await rename(`${path}.draft`, path);
      assert.equal(await lock.isHeld(), false);
      assert.equal(await lock.beat(), false);
    }),
  );

  it(
    'is lost while its file contains another window’s token',
    withLock(async (lock, path, own, another) => {
      await writeFile(path, another);
      assert.equal(await lock.isHeld(), false);
      await writeFile(path, own);
      assert.equal(await lock.isHeld(), true);
    }),
  );

  it(
    'is held with its renewed token, but not with the old one',
    withLock(async (lock, path, own) => {
      await lock.renew();
      assert.equal(await lock.isHeld(), true);
      await writeFile(path, own);
      assert.equal(await lock.isHeld(), false);
    }),
  );

  it(
    'is restored when its file is deleted',
    withLock(async (lock, path, own) => {
      await rm(path);
      assert.equal(await lock.isHeld(), true);
      assert.equal(await readFile(path, 'utf8'), own);
    }),
  );
});

describe('writer lock that cannot be replaced', () => {
  for (const code of ['EPERM', 'EACCES', 'EBUSY']) {
    it(
      `because another program has it open on Windows, is replaced as soon as that has closed it: ${code}`,
      withLock(async (lock, path, own) => {
        await refusingRenames('win32', code, 3, () => lock.renew());
        assert.notEqual(await readFile(path, 'utf8'), own);
        assert.equal(await lock.isHeld(), true);
      }),
    );
  }

  for (const platform of ['linux', 'darwin']) {
    it(
      `because its folder isn’t writable, is reported at once: ${platform}`,
      withLock(async (lock) => {
        const tries = await refusingRenames(platform, 'EACCES', Infinity, () =>
          assert.rejects(lock.renew(), { code: 'EACCES' }),
        );
        assert.equal(tries, 1);
      }),
    );
  }
});

describe('incomplete writer lock', () => {
  it('is replaced after a second, because a crash has left it, but not while another window may be writing it', () =>
    inFolder(async (folder) => {
      const path = join(folder, 's.lock');
      await writeFile(path, '{"token":"');
      const writtenAgo = (ms: number): Promise<void> => utimes(path, new Date(), new Date(Date.now() - ms));
      const lock = new WriterLock(path, 'a');
      // In the future, because the test may be interrupted here.
      await writtenAgo(-3_600_000);
      assert.equal((await lock.acquire()).held, false);
      await writtenAgo(1_100);
      assert.deepEqual(await lock.acquire(), { held: true, alone: false });
    }));
});

describe('writer lock that is released while another window tries to acquire it', () => {
  it('is not taken from a third window that acquires it meanwhile', () =>
    inFolder(async (folder) => {
      const [first, second, third] = ['a', 'b', 'c'].map((window) => new WriterLock(join(folder, 's.lock'), window));
      await first!.acquire();
      const { stat } = fs;
      const handOver = async (path: PathLike): Promise<unknown> => {
        await first!.release();
        const age = await stat(path).catch((error: unknown) => error);
        await third!.acquire();
        if (age instanceof Error) throw age;
        return age;
      };
      const acquired = await withFileSystem({ stat: handOver as typeof stat }, () => second!.acquire());
      assert.equal(acquired.held, false);
      assert.equal(await third!.isHeld(), true);
    }));
});

describe('writer lock on a full disk', () => {
  for (const code of ['ENOSPC', 'EDQUOT']) {
    it(`leaves no empty file, which would lock every window out: ${code}`, () =>
      inFolder(async (folder) => {
        const write = fs.writeFile;
        const writeNothing: typeof write = async (path) => {
          await write(path, '');
          throw diskError(code);
        };
        await withFileSystem({ writeFile: writeNothing }, () =>
          assert.rejects(new WriterLock(join(folder, 's.lock'), 'a').acquire(), { code }),
        );
        assert.deepEqual(await readdir(folder), []);
      }));
  }
});
