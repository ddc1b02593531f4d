import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { StoreFault, type SessionJournal } from '../../../src/app/ports.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import type { StoreOptions } from '../../../src/storage/session-store.ts';
import { inFolder, messageAdded, newerLine, testClock, noticeText, storeIn, HEARTBEAT_MS } from './test-store.ts';
import { openForAppend, type AppendFile } from '../../../src/storage/journal-writer.ts';
import { appendingWith } from '../../support/failing-files.ts';
import { until } from '../../support/until.ts';

const WRITER = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
const TURNS = process.env['THREADKEEPER_LONG'] ? 200 : 40;

interface Windows {
  readonly folder: string;
  readonly a: SessionJournal;
  readonly b: SessionJournal;
  readonly reopen: () => Promise<SessionJournal>;
}

/** For a window that takes over from one that can't answer. */
const SHORT_TIMEOUT = { heartbeatMs: HEARTBEAT_MS, timeoutMs: 50 };

/** Two windows with the same session open. The first one is the writer. */
function twoWindows(
  work: (windows: Windows) => Promise<void>,
  { a: ofA, b: ofB }: { readonly a?: Partial<StoreOptions>; readonly b?: Partial<StoreOptions> } = {},
) {
  return inFolder(async (folder) => {
    const a = await storeIn(folder, 'a', ofA).create('Both', '');
    const b = await storeIn(folder, 'b', ofB).open(a.id);
    await work({ folder, a, b, reopen: () => storeIn(folder, 'c').open(a.id) });
  });
}

/** How a window answers requests for the lock. */
interface Answers {
  isPresent: boolean;
  beforeHandover?: () => Promise<void>;
}
const answering = (answers: Answers): Partial<StoreOptions> => ({
  handover: () => ({
    isPresent: () => Promise.resolve(answers.isPresent),
    beforeHandover: async () => answers.beforeHandover?.(),
  }),
});

describe('two windows with the same session', () => {
  it('one writes, and the other follows live and shows that it is read-only', () =>
    twoWindows(async ({ a, b }) => {
      assert.equal(a.readOnly, undefined);
      assert.match(noticeText(b.readOnly?.phrase), /Take over/);
      await assert.rejects(b.append(messageAdded(0)), (error) => StoreFault.is(error, 'not_writer'));
      const heard: string[] = [];
      b.onDidChange((events) => heard.push(...events.map(({ type }) => type)));
      await a.append(messageAdded(0), messageAdded(1));
      await until(() => heard.length > 0);
      assert.equal(b.state.path.length, 2);
      assert.deepEqual(heard, ['message_added', 'message_added']);
    }));

  it('switch roles when the follower takes over', () =>
    twoWindows(async ({ a, b }) => {
      await a.append(messageAdded(0));
      let told = 0;
      a.onDidChange(() => told++);
      await b.takeOver();
      assert.deepEqual(b.state.path, ['m0']);
      await b.append(messageAdded(1));
      await assert.rejects(a.append(messageAdded(1)), (error) => StoreFault.is(error, 'not_writer'));
      assert.match(noticeText(a.readOnly?.phrase), /Take over/);
      await until(() => a.state.path.length === 2);
      await until(() => told >= 2);
      await a.takeOver();
      await a.append(messageAdded(2));
      await until(() => b.state.path.length === 3);
    }));

  it('the follower becomes the writer when the other window is closed', () =>
    twoWindows(async ({ a, b }) => {
      await a.append(messageAdded(0));
      await a.close();
      await until(() => b.readOnly === undefined);
      await b.append(messageAdded(1));
      assert.equal(b.state.path.length, 2);
    }));

  it('a window that was killed does not block the session', () =>
    inFolder(async (folder) => {
      const store = storeIn(folder, 'b');
      const made = await store.create('Both', '');
      await made.close();
      const child = spawn(process.execPath, [WRITER, folder, made.id, 'a', '0', '-1'], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      await new Promise((resolve) => child.stdout.once('data', resolve));
      const follower = await store.open(made.id);
      assert.match(noticeText(follower.readOnly?.phrase), /Take over/);
      child.stdout.resume();
      child.kill('SIGKILL');
      await new Promise((resolve) => child.on('close', resolve));
      await follower.append(messageAdded(0));
      assert.equal(follower.readOnly, undefined);
    }));

  it('a closed window with a live process hands over on request after storing its partial reply', () => {
    const left: Answers = { isPresent: true };
    return twoWindows(
      async ({ a, b }) => {
        left.beforeHandover = () => a.append(messageAdded(1, 'what had come of the reply'));
        await a.append(messageAdded(0));
        await assert.rejects(b.append(messageAdded(2)), (error) => StoreFault.is(error, 'not_writer'));
        left.isPresent = false;
        await b.append(messageAdded(2));
        assert.deepEqual(b.state.path, ['m0', 'm1', 'm2']);
        assert.match(noticeText(a.readOnly?.phrase), /Take over/);
      },
      { a: answering(left) },
    );
  });

  it('the follower notices by itself that the writer’s window is gone, and becomes the writer', () =>
    twoWindows(({ b }) => until(() => b.readOnly === undefined), { a: answering({ isPresent: false }) }));

  it('a follower that is closed withdraws its request', () =>
    twoWindows(async ({ folder, b }) => {
      const requests = async () => (await readdir(folder)).filter((name) => name.endsWith('.request')).length;
      assert.equal(await requests(), 1);
      await b.close();
      assert.equal(await requests(), 0);
    }));

  it('a take-over waits until the writer has stored its partial reply', () => {
    const writer: Answers = { isPresent: true };
    return twoWindows(
      async ({ folder, a, b }) => {
        writer.beforeHandover = () => a.append(messageAdded(1, 'all that had come'));
        await a.append(messageAdded(0));
        await b.takeOver();
        assert.deepEqual(b.state.path, ['m0', 'm1']);
        // The window that is now the follower requests it in turn, once.
        await until(async () => (await readdir(folder)).every((name) => !name.endsWith('.request')));
      },
      { a: answering(writer) },
    );
  });

  it('a window stops writing once a newer version has written to the session', () =>
    twoWindows(async ({ folder, a, b }) => {
      await a.append(messageAdded(0));
      await until(() => b.state.path.length === 1);
      await a.close();
      await appendFile(join(folder, `${a.id}.jsonl`), newerLine(3));
      await assert.rejects(b.append(messageAdded(1)), (error) => StoreFault.is(error, 'newer'));
      assert.equal(b.readOnly?.reason, 'newer');
      const names = await readdir(folder);
      assert.ok(!names.some((name) => name.endsWith('.lock')), 'the lock is free');
    }));

  it('the follower reports that a newer version has written', () =>
    twoWindows(async ({ folder, a, b }) => {
      const reported: (string | undefined)[] = [];
      b.onDidChange(() => reported.push(b.readOnly?.reason));
      await appendFile(join(folder, `${a.id}.jsonl`), newerLine(2));
      await until(() => b.readOnly?.reason === 'newer');
      assert.deepEqual(reported, ['newer']);
    }));

  it('a write that comes too late after a take-over is refused and ignored by every window', async () => {
    let late: (() => Promise<void>) | undefined;
    const a = appendingWith((file) => ({
      write: async (bytes) => {
        const before = late;
        late = undefined;
        await before?.();
        return file.write(bytes);
      },
    }));
    await twoWindows(
      async ({ a, b, reopen }) => {
        await a.append(messageAdded(0));
        late = async () => {
          await b.takeOver();
          await b.append(messageAdded(1, 'from b'));
        };
        await assert.rejects(a.append(messageAdded(1, 'from a')), (error) => StoreFault.is(error, 'not_writer'));
        await b.append(messageAdded(2));
        const c = await reopen();
        for (const journal of [a, b, c]) {
          await until(() => journal.state.path.length === 3);
          const [block] = journal.state.messages.get(messageId('m1'))!.content;
          assert.deepEqual(block, { type: 'text', text: 'from b' });
        }
      },
      { a: { openForAppend: a }, b: { times: SHORT_TIMEOUT } },
    );
  });

  it('a write in progress during a take-over is kept, and the new writer continues after it', async () => {
    const gate = Promise.withResolvers<undefined>();
    let holding = false;
    const a = appendingWith((file) => ({
      write: async (bytes) => {
        if (holding) await gate.promise;
        return file.write(bytes);
      },
    }));
    let first: Promise<void> | undefined;
    const b = appendingWith((file) => ({
      write: async (bytes) => {
        gate.resolve(undefined);
        await first;
        return file.write(bytes);
      },
    }));
    await twoWindows(
      async ({ folder, a, b, reopen }) => {
        await a.append(messageAdded(0));
        holding = true;
        first = a.append(messageAdded(1));
        await b.takeOver();
        await b.append(messageAdded(2), messageAdded(3));
        await first;
        const c = await reopen();
        assert.deepEqual(b.state.path, ['m0', 'm1', 'm2', 'm3']);
        assert.deepEqual([...c.state.messages.keys()], ['m0', 'm1', 'm2', 'm3']);
        assert.equal(c.state.counters.messagesEver, 4);
        const file = await readFile(join(folder, `${a.id}.jsonl`), 'utf8');
        assert.ok(file.endsWith('\n'));
        for (const line of file.trimEnd().split('\n')) JSON.parse(line);
      },
      { a: { openForAppend: a }, b: { openForAppend: b, times: SHORT_TIMEOUT } },
    );
  });

  it('a window that loses the lock while it opens a torn journal cuts off nothing that the new writer wrote', () =>
    inFolder(async (folder) => {
      const clock = testClock('x');
      const made = await storeIn(folder, 'maker', { clock }).create('Both', '');
      await made.append({ type: 'session_renamed', title: 'before the crash' });
      await made.close();
      await appendFile(join(folder, `${made.id}.jsonl`), '{"v":1,"seq":3,"at":1,"wri');
      const dead = JSON.stringify({ token: 'dead:1', pid: 999_999, host: hostname() });
      await writeFile(join(folder, `${made.id}.lock`), dead);
      const isOpening = Promise.withResolvers<undefined>();
      const released = Promise.withResolvers<undefined>();
      const slow = async (path: string): Promise<AppendFile> => {
        isOpening.resolve(undefined);
        await released.promise;
        return openForAppend(path);
      };
      const a = storeIn(folder, 'a', { openForAppend: slow });
      const opening = a.open(made.id);
      await isOpening.promise;
      const b = storeIn(folder, 'b', { times: SHORT_TIMEOUT });
      const journal = await b.open(made.id);
      await journal.takeOver();
      await journal.append({ type: 'session_renamed', title: 'after the takeover' });
      released.resolve(undefined);
      assert.equal((await opening).readOnly?.reason, 'not_writer');
      const c = storeIn(folder, 'c');
      assert.equal((await c.open(made.id)).state.title, 'after the takeover');
    }));
});

describe('two processes that take over from each other', function () {
  it(`neither lose nor duplicate messages (${TURNS} turns each)`, () =>
    inFolder(async (folder) => {
      const made = await storeIn(folder, 'maker').create('Both', '');
      await made.close();
      const said = await Promise.all(['a', 'b'].map((window) => runWriter(folder, made.id, window)));
      const store = storeIn(folder, 'reader');
      const journal = await store.open(made.id);
      const kept = [...journal.state.messages.keys()];
      assert.equal(journal.notice, undefined);
      for (const [index, window] of ['a', 'b'].entries()) {
        const keptHere = kept.filter((id) => id.startsWith(window));
        assert.deepEqual(keptHere, said[index], 'what was acknowledged, in order, and nothing that was refused');
      }
      assert.equal(journal.state.counters.messagesEver, said.flat().length);
      const changes = kept.filter((id, index) => index > 0 && id[0] !== kept[index - 1]?.[0]).length;
      console.log(`      messages ${kept.length}, changes of the writer ${changes}`);
      assert.ok(changes > 0, 'they did take over');
    }));
});

function runWriter(folder: string, id: string, window: string): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const args = [WRITER, folder, id, window, '0', String(TURNS), 'take-over'];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output.trim().split('\n'));
      else reject(new Error(`a writer ended with ${code}`));
    });
  });
}
