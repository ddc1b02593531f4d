import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, readFile, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFault, type SessionJournal } from '../../../src/app/ports.ts';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { nativeChecksum } from '../../../src/storage/checksum.ts';
import { FileSessionStore } from '../../../src/storage/session-store.ts';
import { createJournal } from '../../../src/storage/journal-writer.ts';
import { appendingWith, diskError, withFileSystem } from '../../support/failing-files.ts';
import { inFolder, messageAdded, noticeText, inStore, storeIn, testClock, HEARTBEAT_MS } from './test-store.ts';
import { until } from '../../support/until.ts';
import { alwaysDue } from '../../support/yielders.ts';

/** A session with a message, opened by a writer and a follower. */
async function followed(folder: string) {
  const journal = await storeIn(folder).create('Build', '');
  await journal.append(messageAdded(0));
  return { journal, following: await storeIn(folder, 'w2').open(journal.id) };
}

describe('session on disk', () => {
  it('is restored from its checkpoint when it is long', () =>
    inStore(async (store, folder) => {
      const { id } = await store.create('Build', '');
      const LENGTH = 2_500;
      for (const end of [LENGTH - 1, LENGTH]) {
        const journal = await store.open(id);
        const from = journal.state.path.length;
        await journal.append(...Array.from({ length: end - from }, (_, n) => messageAdded(from + n)));
        await store.close();
      }
      const [, fold = ''] = (await readFile(join(folder, `${id}.checkpoint.json`), 'utf8')).split('\n');
      const { pieces } = JSON.parse(fold.slice(9)) as { pieces: string[] };
      const lengths = pieces.map((piece) => (JSON.parse(piece) as unknown[]).length);
      assert.deepEqual(lengths, [1_000, 1_000, 501]);
      const { state } = await store.open(id);
      const expected = Array.from({ length: LENGTH }, (_, n) => `m${n}`);
      assert.deepEqual(state.path, expected);
      for (const n of [0, 1_700, LENGTH - 1])
        assert.equal(messageText(state.messages.get(messageId(`m${n}`))!), `message ${n}`);
    }));

  it('stores a message of megabytes in more steps than a short one', () =>
    inFolder(async (folder) => {
      let steps = 0;
      const clock = {
        ...testClock(),
        yielder: alwaysDue(() => {
          steps++;
        }),
      };
      const journal = await storeIn(folder, 'w1', { clock }).create('Build', '');
      const stepsOf = async (n: number, text: string): Promise<number> => {
        steps = 0;
        await journal.append(messageAdded(n, text));
        return steps;
      };
      const [short, long] = [await stepsOf(0, 'short'), await stepsOf(1, 'x'.repeat(2_000_000))];
      // The JSON, its bytes, and the line that is read back.
      assert.ok(long >= 4 && long > short, `${long} and ${short} steps`);
    }));

  it('can be read only by its user', function () {
    if (process.platform === 'win32') this.skip();
    return inFolder(async (base) => {
      const folder = join(base, 'sessions');
      const journal = await storeIn(folder).create('Build', 'file:///a');
      await journal.append(messageAdded(0));
      await journal.close();
      for (const path of [folder, ...(await readdir(folder)).map((name) => join(folder, name))])
        assert.equal((await stat(path)).mode & 0o077, 0, path);
    });
  });

  it('is shared when opened twice in a window', () =>
    inStore(async (store) => {
      const journal = await store.create('Build', 'file:///home/sam');
      const same = await store.open(journal.id);
      await journal.close();
      await same.append(messageAdded(0));
      assert.equal(same.state.messages.size, 1);
      await same.close();
      await assert.rejects(same.append(messageAdded(1)), (error) => StoreFault.is(error, 'read_only'));
    }));

  it('is writable when opened again while it is still being closed', () =>
    inStore(async (store) => {
      const journal = await store.create('Build', '');
      await journal.append(messageAdded(0));
      const closing = journal.close();
      const [again, shared] = await Promise.all([store.open(journal.id), store.open(journal.id)]);
      assert.equal(again.readOnly, undefined);
      assert.equal(again, shared);
      await closing;
      await again.append(messageAdded(1));
      assert.deepEqual(again.state.path, ['m0', 'm1']);
    }));

  it('is listed with its title, workspace and message count, most recently changed first', () =>
    inStore(async (store) => {
      assert.deepEqual(await store.list(), []);
      const one = await store.create('One', 'file:///a');
      await one.append(messageAdded(0));
      await store.create('Two', 'file:///b');
      const listed = (await store.list()).map(({ title, workspace, messages }) => [title, workspace, messages]);
      assert.deepEqual(listed, [
        ['Two', 'file:///b', 0],
        ['One', 'file:///a', 1],
      ]);
      await one.append(messageAdded(1));
      assert.deepEqual(
        (await store.list()).map(({ title, messages }) => [title, messages]),
        [
          ['One', 2],
          ['Two', 0],
        ],
      );
    }));

  it('is still listed as pinned after it was closed', () =>
    inStore(async (store, folder) => {
      const one = await store.create('One', 'file:///a');
      await one.append({ type: 'session_pinned', pinned: true });
      await one.close();
      const later = storeIn(folder, 'w2');
      const listed = (await later.list()).map(({ title, pinned }) => [title, pinned]);
      assert.deepEqual(listed, [['One', true]]);
    }));

  it('is reported as missing if its ID is unknown or leads out of the folder', () =>
    inStore(async (store) => {
      for (const id of ['nobody', '../nobody', 'a/b', ''])
        await assert.rejects(store.open(sessionId(id)), (error) => StoreFault.is(error, 'missing'));
    }));

  it('reports an access error, not a failed save, when it cannot be read', () =>
    inStore(async (store, folder) => {
      await mkdir(join(folder, 's1.jsonl'));
      await assert.rejects(store.open(sessionId('s1')), (error) => {
        assert.ok(StoreFault.is(error));
        assert.match(noticeText(error.phrase), /^Couldn’t access this session \(E/);
        return true;
      });
    }));

  it('leaves no lock behind when it cannot be read', () =>
    inFolder(async (folder) => {
      await mkdir(join(folder, 's1.jsonl'));
      const store = storeIn(folder);
      await assert.rejects(store.open(sessionId('s1')), StoreFault);
      assert.deepEqual(await readdir(folder), ['s1.jsonl']);
    }));

  it('is closed with the store even if closing another one fails', () =>
    inFolder(async (folder) => {
      const failing = appendingWith((file, path) =>
        path.endsWith('s1.jsonl') ? { close: () => file.close().then(() => Promise.reject(new Error('EIO'))) } : {},
      );
      const store = storeIn(folder, 'w1', { openForAppend: failing });
      await store.create('Build', '');
      const other = await store.create('Test', '');
      await assert.rejects(store.close(), /EIO/);
      await assert.rejects(other.append(messageAdded(0)), /session was closed/);
      const reopened = storeIn(folder, 'w2');
      assert.equal((await reopened.open(sessionId('s1'))).readOnly, undefined, 'it is locked');
    }));

  it('notifies a listener of appended events until it is disposed', () =>
    inStore(async (store) => {
      const journal = await store.create('Build', '');
      const heard: string[] = [];
      const listening = journal.onDidChange((events) => heard.push(...events.map((event) => event.type)));
      await journal.append(messageAdded(0), { type: 'session_renamed', title: 'New' });
      listening.dispose();
      await journal.append(messageAdded(1));
      assert.deepEqual(heard, ['message_added', 'session_renamed']);
    }));
});

describe('damaged journal', () => {
  async function withDamage(
    spoil: (path: string) => Promise<void>,
    check: (journal: SessionJournal, folder: string, reopen: () => Promise<SessionJournal>) => Promise<void>,
  ): Promise<void> {
    await inStore(async (store, folder) => {
      const journal = await store.create('Build', '');
      for (let n = 0; n < 6; n++) await journal.append(messageAdded(n));
      await journal.close();
      await spoil(join(folder, `${journal.id}.jsonl`));
      const reopen = (): Promise<SessionJournal> => store.open(journal.id);
      await check(await reopen(), folder, reopen);
    });
  }

  it('has each incomplete last line moved to a file of its own, even if two are moved at the same time', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder, 'w1', { clock: { ...testClock(), now: () => 17 } });
      const { id } = await store.create('Build', '');
      for (const tail of ['{"v":1,"seq":2', '{"v":1,"seq":2,"at"']) {
        await store.close();
        await appendFile(join(folder, `${id}.jsonl`), tail);
        await store.open(id);
      }
      await store.close();
      const torn = (await readdir(folder)).filter((name) => name.includes('.torn-')).sort();
      assert.deepEqual(torn, ['s1.jsonl.torn-17', 's1.jsonl.torn-17-1']);
      const tails = await Promise.all(torn.map((name) => readFile(join(folder, name), 'utf8')));
      assert.deepEqual(tails, ['{"v":1,"seq":2', '{"v":1,"seq":2,"at"']);
    }));

  it('has an incomplete last line moved to a separate file, and reports it once', () =>
    withDamage(
      (path) => appendFile(path, '{"v":1,"seq":8,"at"'),
      async (journal, folder, reopen) => {
        const torn = (await readdir(folder)).find((name) => name.includes('.torn-'));
        assert.ok(torn);
        assert.equal(await readFile(join(folder, torn), 'utf8'), '{"v":1,"seq":8,"at"');
        assert.match(noticeText(journal.notice), /only partly written and was moved to s1\.jsonl\.torn-/);
        await journal.append(messageAdded(6));
        await journal.close();
        const again = await reopen();
        assert.equal(again.notice, undefined);
        assert.equal(again.state.path.length, 7);
      },
    ));

  it('keeps a complete last line that only lacks its newline', () =>
    withDamage(
      async (path) => writeFile(path, (await readFile(path, 'utf8')).slice(0, -1)),
      async (journal, _, reopen) => {
        assert.equal(journal.notice, undefined);
        assert.equal(journal.state.path.length, 6);
        await journal.append(messageAdded(6));
        await journal.close();
        assert.equal((await reopen()).state.path.length, 7);
      },
    ));

  it('is read past a damaged line, which is copied once and stays in place', () =>
    withDamage(
      async (path) => writeFile(path, (await readFile(path, 'utf8')).replace('message 2', 'massage 2')),
      async (journal, folder, reopen) => {
        assert.match(noticeText(journal.notice), /1 damaged line was copied to s1\.jsonl\.damaged; 1 entry is missing/);
        assert.deepEqual([...journal.state.messages.keys()], ['m0', 'm1', 'm3', 'm4', 'm5']);
        await journal.close();
        const again = await reopen();
        assert.equal(again.notice, undefined);
        const copies = (await readFile(join(folder, 's1.jsonl.damaged'), 'utf8')).trim().split('\n');
        assert.equal(copies.length, 2);
        assert.match(copies[0]!, /massage 2/);
        assert.match(copies[1]!, /missing 1/);
        assert.match(await readFile(join(folder, 's1.jsonl'), 'utf8'), /massage 2/);
      },
    ));

  it('has a damaged line copied once after a copy that was only partly written', () =>
    withDamage(
      async (path) => {
        await writeFile(path, (await readFile(path, 'utf8')).replace('message 2', 'massage 2'));
        await writeFile(`${path}.damaged`, '{"offset":400,"by');
      },
      async (journal, _, reopen) => {
        assert.match(noticeText(journal.notice), /1 damaged line was copied/);
        await journal.close();
        assert.equal((await reopen()).notice, undefined);
      },
    ));

  it('counts a duplicate line once', () =>
    withDamage(
      async (path) => writeFile(path, (await readFile(path, 'utf8')).replace(/(.*message 2.*\n)/, '$1$1')),
      (journal) => {
        assert.equal(journal.state.counters.messagesEver, 6);
        return Promise.resolve();
      },
    ));

  it('opens read-only when a newer version wrote it, with a hint to update', () =>
    withDamage(
      async (path) => {
        const line = JSON.stringify({ v: 2, seq: 8, at: 1, writer: 'later', body: messageAdded(6) }).slice(0, -1);
        await appendFile(path, `${line},"sum":"${nativeChecksum(line)}"}\n`);
      },
      async (journal) => {
        assert.match(noticeText(journal.readOnly?.phrase), /newer version.*Update/);
        assert.equal(journal.readOnly?.reason, 'newer', 'no other window is there to take over from');
        assert.equal(journal.state.path.length, 6);
        await assert.rejects(journal.append(messageAdded(7)), (error) => StoreFault.is(error, 'newer'));
        await assert.rejects(journal.takeOver(), (error) => StoreFault.is(error, 'newer'));
      },
    ));

  it('keeps events of unknown types', () =>
    withDamage(
      async (path) => {
        const line = '{"v":1,"seq":8,"at":5,"writer":"later","body":{"type":"mood_set","mood":"good"}';
        await appendFile(path, `${line},"sum":"${nativeChecksum(line)}"}\n`);
      },
      async (journal, folder, reopen) => {
        assert.equal(journal.readOnly, undefined);
        await journal.append(messageAdded(6));
        await journal.close();
        assert.equal((await reopen()).state.path.length, 7);
        assert.match(await readFile(join(folder, 's1.jsonl'), 'utf8'), /mood_set/);
      },
    ));
});

describe('session with a lost journal', () => {
  const fallback = (id: string) =>
    [
      { type: 'session_created', id: sessionId(id), title: 'Saved', workspace: 'w' } as const,
      messageAdded(0),
      messageAdded(1),
    ] as const;

  it('is restored from the snapshot and reports it', () =>
    inStore(async (store) => {
      const journal = await store.open(sessionId('lost'), fallback('lost'));
      assert.match(noticeText(journal.notice), /snapshot/);
      assert.equal(journal.state.title, 'Saved');
      assert.equal(journal.state.path.length, 2);
      await store.close();
      assert.equal((await store.open(sessionId('lost'))).state.path.length, 2);
    }));

  it('is restored completely if the window was killed while it restored the session', () =>
    inFolder(async (folder) => {
      const killed = appendingWith((file) => ({
        write: async (bytes) => {
          await file.write(bytes.subarray(0, (bytes.length * 3) / 4));
          return new Promise(() => undefined);
        },
      }));
      const store = new FileSessionStore({ folder, clock: testClock(), writer: 'w1', openForAppend: killed });
      void store.open(sessionId('lost'), fallback('lost'));
      const path = join(folder, 'lost.jsonl');
      await until(async () => ((await stat(path).catch(() => undefined))?.size ?? 0) > 0);
      // The same window after a reload.
      const again = storeIn(folder, 'w1');
      const journal = await again.open(sessionId('lost'), fallback('lost'));
      assert.deepEqual(journal.state.path, ['m0', 'm1']);
    }));

  it('is not replaced if another window has restored it meanwhile', () =>
    inFolder(async (folder) => {
      const path = join(folder, 'lost.jsonl');
      await writeFile(path, 'restored');
      const create = () => createJournal(path, fallback('lost'), 'w1', testClock());
      await create();
      assert.equal(await readFile(path, 'utf8'), 'restored');
      // A file system without links.
      await withFileSystem({ link: () => Promise.reject(diskError('EPERM')) }, async () => {
        await create();
        assert.equal(await readFile(path, 'utf8'), 'restored');
        await rm(path);
        await create();
        assert.match(await readFile(path, 'utf8'), /Saved/);
      });
      assert.deepEqual(await readdir(folder), ['lost.jsonl']);
    }));

  it('sets an unreadable journal file aside', () =>
    inFolder(async (folder) => {
      await writeFile(join(folder, 'bad.jsonl'), Buffer.alloc(5_000));
      const store = storeIn(folder);
      const journal = await store.open(sessionId('bad'), fallback('bad'));
      assert.equal(journal.state.path.length, 2);
      const names = await readdir(folder);
      const kept = names.filter((name) => name.includes('.torn-') || name.includes('.unreadable-'));
      const sizes = await Promise.all(kept.map(async (name) => (await readFile(join(folder, name))).length));
      assert.equal(Math.max(...sizes), 5_000);
    }));
});

describe('journal deleted while its session is open', () => {
  it('is rewritten with the next message', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', '');
      await journal.append(messageAdded(0), messageAdded(1));
      await rm(join(folder, `${journal.id}.jsonl`));
      await journal.append(messageAdded(2));
      assert.deepEqual(journal.state.path, ['m0', 'm1', 'm2']);
      await store.close();
      assert.deepEqual((await store.open(journal.id)).state.path, ['m0', 'm1', 'm2']);
    }));

  it('is rewritten with the next message if its folder was deleted, too', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', '');
      await journal.append(messageAdded(0), messageAdded(1));
      await rm(folder, { recursive: true });
      await journal.append(messageAdded(2));
      assert.deepEqual([journal.state.path, journal.readOnly], [['m0', 'm1', 'm2'], undefined]);
      await store.close();
      assert.deepEqual((await store.open(journal.id)).state.path, ['m0', 'm1', 'm2']);
    }));

  it('still provides messages that had not been loaded', () =>
    inStore(async (store, folder) => {
      const { id } = await store.create('Build', '');
      await (await store.open(id)).append(messageAdded(0), messageAdded(1));
      await store.close();
      const journal = await store.open(id);
      await rm(join(folder, `${id}.jsonl`));
      assert.equal(messageText(journal.state.messages.get(messageId('m1'))!), 'message 1');
    }));

  it('is not recreated by a window that only follows', () =>
    inFolder(async (folder) => {
      const { journal, following } = await followed(folder);
      for (const end of ['jsonl', 'lock']) await rm(join(folder, `${journal.id}.${end}`));
      await new Promise((resolve) => setTimeout(resolve, 10 * HEARTBEAT_MS));
      assert.deepEqual(following.state.path, ['m0']);
      await following.close();
      assert.equal((await readdir(folder)).includes(`${journal.id}.jsonl`), false);
    }));

  it('is followed by other windows again once its writer has rewritten it', () =>
    inFolder(async (folder) => {
      const { journal, following } = await followed(folder);
      await rm(join(folder, `${journal.id}.jsonl`));
      await journal.append(messageAdded(1));
      await until(() => following.state.path.length === 2);
      await following.takeOver();
      await following.append(messageAdded(2));
      assert.deepEqual(following.state.path, ['m0', 'm1', 'm2']);
    }));

  it('is rewritten as soon as possible, and reports until then that it could not be restored', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder);
      const journal = await store.create('Build', '');
      await journal.append(messageAdded(0), messageAdded(1));
      const path = join(folder, `${journal.id}.jsonl`);
      await rm(path);
      await mkdir(path);
      for (const message of [messageAdded(2), messageAdded(2)])
        await assert.rejects(
          journal.append(message),
          /^StoreFault: The session file was deleted and couldn’t be restored\./,
        );
      assert.equal(
        messageText(journal.state.messages.get(messageId('m1'))!),
        messageText(messageAdded(1).message),
        'can be exported',
      );
      await rmdir(path);
      await journal.append(messageAdded(2));
      assert.equal(journal.readOnly, undefined);
      await store.close();
      assert.deepEqual((await store.open(journal.id)).state.path, ['m0', 'm1', 'm2']);
    }));
});

describe('journal that cannot be appended to', () => {
  it('reports once that it is read-only', () =>
    inStore(async (store, folder) => {
      const { id } = await store.create('Build', '');
      await store.close();
      const barred = storeIn(folder, 'w2', { openForAppend: () => Promise.reject(diskError('EACCES')) });
      const journal = await barred.open(id);
      assert.equal(journal.readOnly?.reason, 'read_only');
      let changes = 0;
      journal.onDidChange(() => changes++);
      await new Promise((resolve) => setTimeout(resolve, 10 * HEARTBEAT_MS));
      assert.equal(changes, 0);
    }));

  it('closes its file after a failed append', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', '');
      await journal.append(messageAdded(0));
      await store.close();
      const path = join(folder, `${journal.id}.jsonl`);
      await appendFile(path, 'damaged\n');
      // Damaged lines can't be copied.
      await mkdir(`${path}.damaged`);
      let open = 0;
      const counting = appendingWith((file) => {
        open++;
        return { close: () => file.close().finally(() => open--) };
      });
      const barred = storeIn(folder, 'w2', { openForAppend: counting });
      await assert.rejects((await barred.open(journal.id)).append(messageAdded(1)), StoreFault);
      assert.equal(open, 0);
    }));
});
