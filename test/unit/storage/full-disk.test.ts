import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'mocha';
import { StoreFault } from '../../../src/app/ports.ts';
import { openForAppend, type OpenForAppend } from '../../../src/storage/append-file.ts';
import { openSessionStore } from '../../../src/storage/session-store.ts';
import { verifyJournal } from '../../../src/storage/verify-journal.ts';
import { inFolder, said, testClock, wordsOf } from './support.ts';

/** Mounts a file system of 256 KiB in the folder; false where that is not allowed. */
function mountSmall(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256k', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

describe('a disk that fails', () => {
  it('when full, refuses the message in one sentence, keeps the session whole, and goes on when there is room', function () {
    return inFolder(async (folder) => {
      if (!mountSmall(folder)) {
        console.log('      skipped: a small file system cannot be mounted here');
        this.skip();
      }
      try {
        const store = openSessionStore({ folder, clock: testClock(), writer: 'w1' });
        const journal = await store.create('Full', '');
        await journal.append(said(0));
        await writeFile(join(folder, 'ballast'), Buffer.alloc(150 * 1024));
        await assert.rejects(journal.append(said(1, 'x'.repeat(200 * 1024))), (error) => {
          return StoreFault.is(error, 'full') && /disk is full.*free some space/.test(error.message);
        });
        assert.deepEqual(journal.state.path, ['m0']);
        assert.deepEqual(await verifyJournal(join(folder, `${journal.id}.jsonl`)), { ok: true, events: 2 });
        assert.equal(journal.readOnly, undefined);
        await rm(join(folder, 'ballast'));
        await journal.append(said(1));
        await store.close();
        assert.deepEqual((await store.open(journal.id)).state.path, ['m0', 'm1']);
        await store.close();
      } finally {
        execFileSync('umount', [folder]);
      }
    });
  });

  it('when read-only, opens sessions for reading and says why nothing can be written', function () {
    return inFolder(async (folder) => {
      if (!mountSmall(folder)) {
        console.log('      skipped: a small file system cannot be mounted here');
        this.skip();
      }
      try {
        const store = openSessionStore({ folder, clock: testClock(), writer: 'w1' });
        const journal = await store.create('Locked', '');
        await journal.append(said(0));
        await store.close();
        execFileSync('mount', ['-o', 'remount,ro', folder]);
        const again = await store.open(journal.id);
        assert.deepEqual(again.state.path, ['m0']);
        assert.match(wordsOf(again.readOnly), /cannot be written to.*permissions/);
        await assert.rejects(again.append(said(1)), (error) => StoreFault.is(error, 'read_only'));
        await assert.rejects(store.create('New', ''), (error) => StoreFault.is(error, 'read_only'));
        await store.close();
      } finally {
        execFileSync('umount', [folder]);
      }
    });
  });

  for (const fails of ['write', 'half', 'flush'] as const) {
    it(`in the middle of a line (${fails}) leaves no part of it behind`, () =>
      inFolder(async (folder) => {
        let failing = false;
        const fault = (): Error => Object.assign(new Error('no space'), { code: 'ENOSPC' });
        const faulty: OpenForAppend = async (path) => {
          const file = await openForAppend(path);
          let halves = 0;
          return {
            ...file,
            write: async (bytes) => {
              if (!failing || fails === 'flush') return file.write(bytes);
              if (fails === 'half' && halves++ === 0) return file.write(bytes.subarray(0, bytes.length / 2));
              throw fault();
            },
            flush: () => (failing ? Promise.reject(fault()) : file.flush()),
          };
        };
        const store = openSessionStore({ folder, clock: testClock(), writer: 'w1', openForAppend: faulty });
        const journal = await store.create('Fault', '');
        await journal.append(said(0));
        failing = true;
        const results = await Promise.allSettled([journal.append(said(1)), journal.append(said(2), said(3))]);
        for (const result of results) {
          assert.ok(result.status === 'rejected' && StoreFault.is(result.reason, 'full'));
        }
        assert.deepEqual(journal.state.path, ['m0']);
        assert.deepEqual(await verifyJournal(join(folder, `${journal.id}.jsonl`)), { ok: true, events: 2 });
        failing = false;
        await journal.append(said(1));
        assert.deepEqual(await verifyJournal(join(folder, `${journal.id}.jsonl`)), { ok: true, events: 3 });
        await store.close();
      }));
  }
});
