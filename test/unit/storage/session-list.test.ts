import assert from 'node:assert/strict';
import { appendFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageId, type SessionId } from '../../../src/core/model/ids.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { inFolder, messageAdded, newerLine, testClock, noticeText, inStore, storeIn } from './test-store.ts';

/** Creates and closes a session so long that its first messages aren't read when it's opened from its checkpoint. */
async function longSession(folder: string): Promise<{ id: SessionId; path: string }> {
  const store = storeIn(folder);
  const journal = await store.create('Long', 'w');
  for (let n = 0; n < 40; n++) await journal.append(messageAdded(n, `${n} `.repeat(500)));
  await journal.close();
  return { id: journal.id, path: join(folder, 's1.jsonl') };
}

describe('session list', () => {
  const checkpointsIn = async (folder: string) =>
    (await readdir(folder)).filter((name) => name.endsWith('.checkpoint.json'));

  it('reads only journal lines that a checkpoint does not cover', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Long', 'w');
      for (let n = 0; n < 10; n++) await journal.append(messageAdded(n, 'x'.repeat(1_000)));
      await journal.close();
      assert.deepEqual(await checkpointsIn(folder), ['s1.checkpoint.json']);
      const path = join(folder, 's1.jsonl');
      // Damages a covered line, so that reading it would fail.
      const whole = await readFile(path, 'utf8');
      await writeFile(path, whole.replace('"title":"Long"', '"title":"Loud"'));
      const again = storeIn(folder, 'w2');
      const listed = (await again.list()).map(({ title, messages }) => [title, messages]);
      assert.deepEqual(listed, [['Long', 10]]);
      await writeFile(path, whole);
      const more = await again.open(journal.id);
      await more.append(messageAdded(10), { type: 'session_renamed', title: 'Longer' });
      const listedAgain = (await again.list()).map(({ title, messages }) => [title, messages]);
      assert.deepEqual(listedAgain, [['Longer', 11]]);
    }));

  it('has the sessions of a folder that were created at an address of a server', () =>
    inStore(async (store) => {
      const keys = ['localhost:8080!folder:file:///a', 'wsl!folder:file:///a', 'folder:file:///a.b:c!empty'];
      for (const key of keys) await (await store.create('', key)).close();
      assert.deepEqual((await store.list()).map(({ workspace }) => workspace).sort(), [
        'folder:file:///a',
        'folder:file:///a.b:c!empty',
        'wsl!folder:file:///a',
      ]);
    }));

  it('keeps a session whose first line is damaged in its workspace, also after it was opened', () =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', 'w');
      await journal.append(messageAdded(0));
      await journal.close();
      const list = await store.list();
      const path = join(folder, 's1.jsonl');
      const text = await readFile(path, 'utf8');
      await writeFile(path, text.replace('"title":"Build"', '"title":"Guild"'));
      const again = storeIn(folder, 'w2', { previousList: () => list });
      const named = async (): Promise<unknown> =>
        (await again.list()).map(({ title, workspace }) => [title, workspace]);
      assert.deepEqual(await named(), [['Build', 'w']]);
      const opened = await again.open(journal.id);
      assert.deepEqual(opened.state.path, ['m0']);
      assert.deepEqual(await named(), [['Build', 'w']]);
      await opened.append(messageAdded(1));
      await again.close();
      const listed = (await storeIn(folder, 'w3').list()).map(({ title, workspace }) => [title, workspace]);
      assert.deepEqual(listed, [['Build', 'w']]);
    }));

  it('does not reread a session that is open in this window', () =>
    inFolder(async (folder) => {
      let reads = 0;
      const countRead = (): void => {
        reads++;
      };
      const clock = { ...testClock(), yielder: alwaysDue(countRead) };
      const store = storeIn(folder, 'w1', { clock });
      const journal = await store.create('Long', 'w');
      for (let n = 0; n < 10; n++) await journal.append(messageAdded(n, 'x'.repeat(1_000)));
      reads = 0;
      const [listed] = await store.list();
      assert.equal(reads, 0);
      const [read] = await storeIn(folder, 'w2').list();
      assert.deepEqual(listed, read);
    }));

  it('uses a session’s entry in the last run’s index while its file has the same size', () =>
    inFolder(async (folder) => {
      const { id, path } = await longSession(folder);
      const [listed] = await storeIn(folder, 'w2').list();
      const previousList = () => [{ ...listed!, title: 'As in the index' }];
      const titles = async () => {
        const store = storeIn(folder, 'w3', { previousList });
        return (await store.list()).map(({ title }) => title);
      };
      assert.deepEqual(await titles(), ['As in the index']);
      const store = storeIn(folder, 'w4');
      await (await store.open(id)).append(messageAdded(40));
      await store.close();
      assert.notEqual((await readFile(path)).length, listed!.bytes);
      assert.deepEqual(await titles(), ['Long']);
    }));

  it('marks sessions to which a newer version has written, without a checkpoint that it would take for current', () =>
    inStore(async (store, folder) => {
      const { id: open } = await store.create('Title', 'w');
      await store.close();
      const checkpoint = (): Promise<string> => readFile(join(folder, 's1.checkpoint.json'), 'utf8');
      const before = await checkpoint();
      await writeFile(join(folder, 's0.jsonl'), newerLine(1, 'x'.repeat(100_000)));
      await appendFile(join(folder, 's1.jsonl'), newerLine(2));
      const listed = async () => (await store.list()).map(({ id, isNewer }) => [id, isNewer]).sort();
      assert.equal((await store.open(open)).readOnly?.reason, 'newer');
      assert.deepEqual(await listed(), [
        ['s0', true],
        ['s1', true],
      ]);
      await store.close();
      assert.deepEqual(await checkpointsIn(folder), ['s1.checkpoint.json']);
      assert.equal(await checkpoint(), before);
    }));

  it('opens a session from its checkpoint and reads earlier lines lazily', () =>
    inFolder(async (folder) => {
      const { id, path } = await longSession(folder);
      const whole = await readFile(path, 'utf8');
      await writeFile(path, whole.replace('"title":"Long"', '"title":"Loud"').replace('7 7 7', '8 8 8'));

      const again = storeIn(folder, 'w2');
      const opened = await again.open(id);
      assert.equal(opened.state.title, 'Long');
      assert.equal(opened.state.path.length, 40);
      assert.equal(opened.notice, undefined);
      assert.deepEqual(opened.state.messages.get(messageId('m30')), messageAdded(30, '30 '.repeat(500)).message);
      await opened.append(messageAdded(40));
      assert.equal(opened.state.path.length, 41);
      assert.equal(opened.readOnly, undefined);
    }));

  it('loses only a damaged message before the checkpoint, and reports it when the message is accessed', () =>
    inFolder(async (folder) => {
      const { id, path } = await longSession(folder);
      await writeFile(path, (await readFile(path, 'utf8')).replace('7 7 7', '8 8 8'));

      const again = storeIn(folder, 'w2');
      const opened = await again.open(id);
      const told = new Promise((resolve) => opened.onDidChange(resolve));
      assert.equal(opened.state.messages.get(messageId('m7')), undefined);
      await told;
      assert.match(noticeText(opened.notice), /1 damaged line was copied to/);
      assert.equal(opened.state.path.length, 39, 'what comes before the gap is still on the branch');
      assert.equal(opened.readOnly, undefined);
      await opened.append(messageAdded(40));
      await again.close();
      const third = await storeIn(folder, 'w3').open(id);
      assert.equal(third.notice, undefined, 'told once');
      assert.equal(third.state.path.length, 40);
    }));
});
