import assert from 'node:assert/strict';
import fs, { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { mock } from 'node:test';
import { StoreFault, type SessionJournal } from '../../../src/app/ports.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { openForAppend, type AppendFile } from '../../../src/storage/journal-writer.ts';
import type { FileSessionStore } from '../../../src/storage/session-store.ts';
import { verifyJournal } from '../../../src/storage/verify-journal.ts';
import { WriterLock } from '../../../src/storage/writer-lock.ts';
import { appendingWith, diskError, withFileSystem } from '../../support/failing-files.ts';
import { SmallDisk } from '../../support/small-disk.ts';
import { inFolder, messageAdded, noticeText, inStore, storeIn } from './test-store.ts';
import { until } from '../../support/until.ts';

interface Opened {
  readonly store: FileSessionStore;
  readonly journal: SessionJournal;
  readonly folder: string;
  readonly path: string;
}

/** Opens a session of the window `a` in a folder where some operations of journals are replaced. */
const withFiles = (
  replace: (file: AppendFile) => Partial<AppendFile>,
  work: (opened: Opened) => Promise<void>,
): Promise<void> =>
  inFolder(async (folder) => {
    const store = storeIn(folder, 'a', { openForAppend: appendingWith(replace) });
    const journal = await store.create('Fault', '');
    await work({ store, journal, folder, path: join(folder, `${journal.id}.jsonl`) });
  });

/** The same on a disk that rejects writes with this error code while `disk.fails` is set. */
const onDisk = (
  code: string,
  work: (opened: Opened & { readonly disk: { fails: boolean } }) => Promise<void>,
): Promise<void> => {
  const disk = { fails: false };
  const write = (file: AppendFile, bytes: Uint8Array): Promise<number> =>
    disk.fails ? Promise.reject(diskError(code)) : file.write(bytes);
  return withFiles(
    (file) => ({ write: (bytes) => write(file, bytes) }),
    (opened) => work({ ...opened, disk }),
  );
};

const isRejected = (work: Promise<void>): Promise<boolean> =>
  work.then(
    () => false,
    () => true,
  );

interface FullDisk {
  readonly store: FileSessionStore;
  /** Can't write to the disk until `free` is called. */
  readonly late: FileSessionStore;
  /** A session of `store`, opened in `late`. */
  readonly journal: SessionJournal;
  readonly free: () => void;
}

/** Opens a session on a disk that is already full. */
const onFullDisk = (work: (disk: FullDisk) => Promise<void>): Promise<void> =>
  inStore(async (store, folder) => {
    const { id } = await store.create('Full', '');
    await store.close();
    let isFull = true;
    const late = storeIn(folder, 'w2', {
      openForAppend: (path) => (isFull ? Promise.reject(diskError('ENOSPC')) : openForAppend(path)),
    });
    await work({ store, late, journal: await late.open(id), free: () => (isFull = false) });
  });

/** Runs `work` while no file can be truncated, as if they could only be appended to. */
const withoutTruncate = (work: () => Promise<void>): Promise<void> =>
  withFileSystem({ truncate: () => Promise.reject(diskError('EPERM')) }, work);

describe('session on a failing disk', () => {
  it('continues in memory when the disk is full, reports it at once, and writes everything once there is room', function () {
    return inFolder(async (folder) => {
      using disk = SmallDisk.mount(folder, 1);
      if (!disk) return this.skip();
      const store = storeIn(folder);
      const journal = await store.create('Full', '');
      await journal.append(messageAdded(0));
      await disk.fill(100 * 1024);
      const warnings: string[] = [];
      journal.onDidChange(() => warnings.push(noticeText(journal.unsaved)));
      const long = 'x'.repeat(200 * 1024);
      await journal.append(messageAdded(1, long));
      assert.match(warnings.at(-1) ?? '', /disk is full.*in RAM only.*Free up disk space/);
      await journal.append(messageAdded(2));
      assert.deepEqual(journal.state.path, ['m0', 'm1', 'm2']);
      assert.deepEqual(await verifyJournal(join(folder, `${journal.id}.jsonl`)), { ok: true, events: 2 });
      assert.equal(journal.readOnly, undefined);
      await disk.clear();
      // Automatically, without further messages.
      await until(() => warnings.at(-1) === '');
      assert.deepEqual(await verifyJournal(join(folder, `${journal.id}.jsonl`)), { ok: true, events: 4 });
      await journal.append(messageAdded(3));
      await store.close();
      const again = await store.open(journal.id);
      assert.deepEqual(again.state.path, ['m0', 'm1', 'm2', 'm3']);
      assert.deepEqual(again.state.messages.get(messageId('m1'))?.content, [{ type: 'text', text: long }]);
      assert.equal(again.state.counters.messagesEver, 4);
      await store.close();
    });
  });

  it('opens for reading on a read-only disk and explains why nothing can be written', function () {
    return inFolder(async (folder) => {
      using disk = SmallDisk.mount(folder, 1);
      if (!disk) return this.skip();
      const store = storeIn(folder);
      const journal = await store.create('Locked', '');
      await journal.append(messageAdded(0));
      await store.close();
      disk.makeReadOnly();
      const again = await store.open(journal.id);
      assert.deepEqual(again.state.path, ['m0']);
      assert.match(noticeText(again.readOnly?.phrase), /isn’t writable.*permissions/);
      assert.equal(again.readOnly?.reason, 'read_only');
      await assert.rejects(again.append(messageAdded(1)), (error) => StoreFault.is(error, 'read_only'));
      await assert.rejects(store.create('New', ''), (error) => StoreFault.is(error, 'read_only'));
      await store.close();
      const first = storeIn(join(folder, 'not/yet'), 'w2');
      await assert.rejects(first.create('New', ''), (error) => StoreFault.is(error, 'read_only'));
    });
  });

  for (const fails of ['write', 'half', 'flush'] as const) {
    it(`leaves no partial line on disk when writing fails (${fails}), and keeps the messages in memory`, () => {
      let failing = false;
      const faulty = (file: AppendFile): Partial<AppendFile> => {
        let halves = 0;
        return {
          write: async (bytes) => {
            if (!failing || fails === 'flush') return file.write(bytes);
            if (fails === 'half' && halves++ === 0) return file.write(bytes.subarray(0, bytes.length / 2));
            throw diskError('ENOSPC');
          },
          flush: () => (failing ? Promise.reject(diskError('ENOSPC')) : file.flush()),
        };
      };
      return withFiles(faulty, async ({ store, journal, path }) => {
        await journal.append(messageAdded(0));
        failing = true;
        await Promise.all([journal.append(messageAdded(1)), journal.append(messageAdded(2), messageAdded(3))]);
        assert.match(noticeText(journal.unsaved), /in RAM only/);
        assert.deepEqual(journal.state.path, ['m0', 'm1', 'm2', 'm3']);
        assert.deepEqual(await verifyJournal(path), { ok: true, events: 2 });
        failing = false;
        await until(() => journal.unsaved === undefined);
        assert.deepEqual(await verifyJournal(path), { ok: true, events: 5 });
        await store.close();
        const again = await store.open(journal.id);
        assert.deepEqual(again.state.path, ['m0', 'm1', 'm2', 'm3']);
        assert.equal(again.state.counters.messagesEver, 4);
      });
    });
  }

  for (const code of ['ENOSPC', 'EIO']) {
    it(`writes each message once if the write that failed cannot be removed at first: ${code}`, () => {
      let failing = false;
      const { truncate } = fs;
      const orFail = (work: () => Promise<void>) => (failing ? Promise.reject(diskError(code)) : work());
      return withFiles(
        (file) => ({ flush: () => orFail(() => file.flush()) }),
        ({ store, journal, path }) =>
          withFileSystem({ truncate: (...args) => orFail(() => truncate(...args)) }, async () => {
            await journal.append(messageAdded(0));
            failing = true;
            const wasRejected = await isRejected(journal.append(messageAdded(1)));
            failing = false;
            await until(() => journal.unsaved === undefined);
            await journal.append(messageAdded(wasRejected ? 1 : 2));
            await store.close();
            const written = (await readFile(path, 'utf8')).matchAll(/"id":"(m\d)"/g);
            assert.deepEqual(
              Array.from(written, ([, id]) => id),
              wasRejected ? ['m0', 'm1'] : ['m0', 'm1', 'm2'],
            );
          }),
      );
    });
  }

  it('continues after a partial line if the file can only be appended to, also once it was opened again', () => {
    let failing = false;
    const faulty = (file: AppendFile): Partial<AppendFile> => {
      let isHalf = false;
      const write = async (bytes: Uint8Array): Promise<number> => {
        if (!failing) return file.write(bytes);
        isHalf = !isHalf;
        if (isHalf) return file.write(bytes.subarray(0, bytes.length / 2));
        throw diskError('EIO');
      };
      return { write };
    };
    return withFiles(faulty, ({ store, journal, folder }) =>
      withoutTruncate(async () => {
        failing = true;
        await assert.rejects(journal.append(messageAdded(0)));
        failing = false;
        await journal.append(messageAdded(0));
        failing = true;
        await assert.rejects(journal.append(messageAdded(1)));
        failing = false;
        await store.close();
        const again = await store.open(journal.id);
        await again.append(messageAdded(1));
        assert.deepEqual(again.state.path, ['m0', 'm1']);
        await store.close();
        const last = await store.open(journal.id);
        assert.deepEqual(last.state.path, ['m0', 'm1']);
        assert.match(noticeText(last.notice), /damaged lines? (was|were) copied/);
        assert.ok(!(await fs.readdir(folder)).some((name) => name.includes('.torn-')));
      }),
    );
  });

  it('does not complete a rejected line that lacks only its newline if the file cannot be truncated', () => {
    let room = Infinity;
    const write = (file: AppendFile, bytes: Uint8Array): Promise<number> => {
      if (room === 0) return Promise.reject(diskError('EIO'));
      const part = bytes.subarray(0, Math.min(room, bytes.length - (room === Infinity ? 0 : 1)));
      if (room !== Infinity) room = 0;
      return file.write(part);
    };
    return withFiles(
      (file) => ({ write: (bytes) => write(file, bytes) }),
      ({ journal }) =>
        withoutTruncate(async () => {
          room = 1_000_000;
          await assert.rejects(journal.append(messageAdded(0)));
          room = Infinity;
          await assert.rejects(journal.append({ type: 'session_renamed', title: 'Later' }));
          assert.deepEqual([journal.state.path, journal.state.title], [[], 'Fault']);
        }),
    );
  });

  for (const reads of [0, 2]) {
    it(`writes each message once if reading it back fails: after ${reads} reads`, () => {
      let failRead: (() => void) | undefined;
      const flush = async (file: AppendFile): Promise<void> => {
        await file.flush();
        failRead?.();
      };
      return withFiles(
        (file) => ({ flush: () => flush(file) }),
        async ({ journal, path }) => {
          const file = await fs.open(path, 'r');
          const handles = Object.getPrototypeOf(file) as typeof file;
          await file.close();
          failRead = () =>
            mock.method(handles, 'read').mock.mockImplementationOnce(() => Promise.reject(diskError('EIO')), reads);
          const wasRejected = await isRejected(journal.append(messageAdded(0)));
          failRead = undefined;
          mock.restoreAll();
          assert.equal(journal.state.path.length, wasRejected ? 0 : 1);
          if (wasRejected) await journal.append(messageAdded(0));
          assert.deepEqual(journal.state.path, ['m0']);
          assert.deepEqual(await verifyJournal(path), { ok: true, events: 2 });
        },
      );
    });
  }

  it('can be opened again in the same window if opening it failed and the lock could not be removed', () =>
    inStore(async (store, folder) => {
      const { id } = await store.create('Fault', '');
      await store.close();
      await withFileSystem({ rm: () => Promise.reject(diskError('EACCES')) }, () =>
        assert.rejects(storeIn(folder, 'w2').open(id)),
      );
      const later = storeIn(folder, 'w2');
      assert.equal((await later.open(id)).readOnly, undefined);
    }));

  it('rejects a message on any other disk error and keeps none of it', () =>
    onDisk('EIO', async ({ disk, journal, path }) => {
      await journal.append(messageAdded(0));
      disk.fails = true;
      await assert.rejects(journal.append(messageAdded(1)), (error) => StoreFault.is(error, 'other'));
      assert.deepEqual(journal.state.path, ['m0']);
      disk.fails = false;
      await journal.append(messageAdded(1));
      assert.deepEqual(await verifyJournal(path), { ok: true, events: 3 });
    }));

  it('rejects an invalid message while the disk is full, and writes the other messages once there is room', () =>
    onDisk('ENOSPC', async ({ disk, journal }) => {
      disk.fails = true;
      await journal.append(messageAdded(0));
      const { message } = messageAdded(1);
      await assert.rejects(journal.append({ type: 'message_added', message: { ...message, role: 'nobody' as never } }));
      await journal.append(messageAdded(1));
      disk.fails = false;
      await until(() => journal.unsaved === undefined);
      assert.deepEqual(journal.state.path, ['m0', 'm1']);
    }));

  it('shows every message at any time while it writes them because there is room again', () =>
    onDisk('ENOSPC', async ({ disk, journal }) => {
      disk.fails = true;
      await journal.append(messageAdded(0), messageAdded(1));
      disk.fails = false;
      let isWritten = false;
      journal.onDidChange(() => (isWritten = journal.unsaved === undefined));
      while (!isWritten) {
        assert.deepEqual(journal.state.path, ['m0', 'm1']);
        await new Promise((resolve) => setImmediate(resolve));
      }
    }));

  it('can be closed with unsaved messages on a full disk after another window has taken it over', () =>
    onDisk('ENOSPC', async ({ disk, journal, folder }) => {
      await journal.append(messageAdded(0));
      disk.fails = true;
      await journal.append(messageAdded(1));
      await new WriterLock(join(folder, `${journal.id}.lock`), 'b').seize();
      await journal.close();
      await assert.rejects(journal.append(messageAdded(2)), /session was closed/);
    }));

  it('refuses a take-over while it has messages that are unsaved because the disk is full', () =>
    onDisk('ENOSPC', async ({ disk, journal, folder }) => {
      const other = storeIn(folder, 'b');
      await journal.append(messageAdded(0));
      const follower = await other.open(journal.id);
      disk.fails = true;
      await journal.append(messageAdded(1));
      await assert.rejects(follower.takeOver(), /has unsaved messages. Free up disk space/);
      disk.fails = false;
      await until(() => journal.unsaved === undefined);
      await follower.takeOver();
      await follower.append(messageAdded(2));
      assert.deepEqual(follower.state.path, ['m0', 'm1', 'm2']);
    }));

  it('keeps new messages in memory if the disk is already full when it is opened', () =>
    onFullDisk(async ({ store, late, journal, free }) => {
      assert.equal(journal.readOnly, undefined);
      await journal.append(messageAdded(0));
      assert.match(noticeText(journal.unsaved), /in RAM only/);
      free();
      await until(() => journal.unsaved === undefined);
      await late.close();
      assert.deepEqual((await store.open(journal.id)).state.path, ['m0']);
    }));

  it('writes messages on closing if there is room by then, even if the disk was full since the session was opened', () =>
    onFullDisk(async ({ store, late, journal, free }) => {
      await journal.append(messageAdded(0));
      free();
      await journal.close();
      await late.close();
      assert.deepEqual((await store.open(journal.id)).state.path, ['m0']);
    }));
});
