import assert from 'node:assert/strict';
import { appendFile, mkdir, readdir, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sessionId } from '../../../src/core/model/ids.ts';
import {
  findOrphans,
  isRetentionOver,
  removeOrphans,
  removeSession,
  sizesOfSessions,
} from '../../../src/storage/clean-up.ts';
import { nativeChecksum } from '../../../src/storage/checksum.ts';
import { MemoryFile } from '../../../src/storage/memory-file.ts';
import { readStoredSession, type FileSessionStore } from '../../../src/storage/session-store.ts';
import { NEVER_YIELDS } from '../../../src/core/pace/yielder.ts';
import { inFolder, messageAdded, storeIn } from './test-store.ts';

const DAY_MS = 24 * 3_600_000;

/** Writes files that were changed long ago. */
async function put(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  const past = new Date(Date.now() - DAY_MS);
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(folder, name), text);
    await utimes(join(folder, name), past, past);
  }
}

async function storeOf(folder: string, sessions: number): Promise<FileSessionStore> {
  const store = storeIn(folder, 'w');
  for (let n = 0; n < sessions; n++) {
    const journal = await store.create(`Session ${n}`, 'folder:file:///w');
    await journal.append(messageAdded(0), messageAdded(1));
    await journal.close();
  }
  return store;
}

const names = async (folder: string): Promise<string[]> => (await readdir(folder)).sort();

describe('session folder clean-up', () => {
  it('removes temporary files and leftovers of sessions without a journal, and nothing else', () =>
    inFolder(async (folder) => {
      const store = await storeOf(folder, 1);
      const orphans = {
        's1.attachment-a1.0123456789ab': 'half',
        's1.lock.0123456789ab': 'draft',
        's1.lock': '{}',
        'gone.lock': '{}',
        'empty.jsonl': '',
        's1.checkpoint.json.0123456789ab': 'half',
        's1.counts.json.4711.new': 'half',
        's1.jsonl.0123456789ab': 'half',
        's1.queue.json.new': 'half',
        's1.draft.json.new': 'half',
        'gone.counts.json': '{}',
        'gone.checkpoint.json': '12345678 {}',
        'gone.checkpoint.json.0123456789ab': 'half',
        'gone.counts.json.4711.new': 'half',
      };
      const kept = {
        's1.counts.json': '{}',
        's1.checkpoint.json': 'x',
        's1.queue.json': '[]',
        's1.draft.json': '{}',
        's1.attachment-a1': '{}',
        's1.jsonl.damaged': 'lines',
        's1.jsonl.torn-17': 'tail',
        'gone.jsonl.unreadable-17': 'what was said',
        'gone.jsonl.damaged': 'what was said',
        's1.lock.nohex': 'x',
        'notes.txt': 'mine',
        'counts.json': 'mine',
      };
      await put(folder, { ...orphans, ...kept });
      await mkdir(join(folder, 'folder.counts.json'));
      await symlink(join(folder, 'notes.txt'), join(folder, 'link.counts.json'));
      const before = await names(folder);
      assert.equal(await removeOrphans(folder, Date.now()), Object.values(orphans).join('').length);
      const gone = new Set(Object.keys(orphans));
      const expected = before.filter((name) => !gone.has(name));
      assert.deepEqual(await names(folder), expected);
      assert.deepEqual(await findOrphans(folder, Date.now()), []);
      assert.equal((await store.list()).length, 1);
    }));

  it('removes what a crash has left of a change to the workspace memory', () =>
    inFolder(async (folder) => {
      await new MemoryFile(folder, 'w', () => assert.fail()).change(() => []);
      const before = await names(folder);
      await put(folder, { [`${before[0]}.0123456789ab`]: 'half' });
      assert.equal(await removeOrphans(folder, Date.now()), 'half'.length);
      assert.deepEqual(await names(folder), before);
    }));

  it('keeps files that may still be in use, and accepts a missing folder', () =>
    inFolder(async (folder) => {
      for (const name of ['s1.lock.0123456789ab', 's1.lock', 's1.jsonl']) await writeFile(join(folder, name), '');
      // A session that was created on a full disk.
      await put(folder, { 's2.jsonl': '' });
      await writeFile(join(folder, 's2.lock'), '{}');
      assert.deepEqual(await findOrphans(folder, Date.now()), []);
      assert.equal(await removeOrphans(join(folder, 'none'), Date.now()), 0);
    }));

  it('permanently deletes a session with all files next to its journal, and returns the bytes freed', () =>
    inFolder(async (folder) => {
      const store = await storeOf(folder, 3);
      await put(folder, {
        's2.counts.json': '{}',
        's2.queue.json': '[]',
        's2.draft.json': '{}',
        's2.attachments.json': '{}',
        's2.attachment-a1': '{}',
        's2.jsonl.damaged': 'lines',
        's2.jsonl.torn-17-1': 'tail',
        's2.jsonl.unreadable-18': 'old',
        's2.x.jsonl': 'of another',
        's22.counts.json': 'of another',
        's22.attachment-a1': 'of another',
      });
      const ids = (await store.list()).map((one) => one.id);
      const sizes = await sizesOfSessions(folder, ids);
      const before = await names(folder);
      const removal = await removeSession(folder, sessionId('s2'), () => true);
      assert.deepEqual(removal, { kind: 'removed', bytes: sizes.get(sessionId('s2')) });
      const after = await names(folder);
      const lost = before
        .filter((name) => !after.includes(name))
        .filter((name) => !/^s2\.(jsonl|counts|checkpoint|queue|draft|attachment)/.test(name));
      assert.deepEqual(lost, []);
      assert.ok(
        after.includes('s2.x.jsonl') &&
          after.includes('s22.counts.json') &&
          after.includes('s22.attachment-a1') &&
          after.includes('s1.jsonl'),
      );
      assert.ok(!after.some((name) => name.startsWith('s2.') && name !== 's2.x.jsonl'));
      assert.equal((await readStoredSession(folder, sessionId('s1'), NEVER_YIELDS))?.state.path.length, 2);
      assert.equal(await readStoredSession(folder, sessionId('s2'), NEVER_YIELDS), undefined);
    }));

  it('keeps a session that is open or no longer marked as deleted, and ignores invalid or unknown IDs', () =>
    inFolder(async (folder) => {
      const store = await storeOf(folder, 2);
      const open = await store.open(sessionId('s1'));
      const before = await names(folder);
      assert.deepEqual(await removeSession(folder, sessionId('s1'), () => true), { kind: 'in_use' });
      assert.deepEqual(await removeSession(folder, sessionId('s2'), ({ deleted }) => deleted), { kind: 'kept' });
      assert.deepEqual(await removeSession(folder, sessionId('../s2'), () => true), { kind: 'kept' });
      assert.deepEqual(await removeSession(folder, sessionId('none'), () => true), { kind: 'kept' });
      assert.deepEqual(await names(folder), before);
      await open.append(messageAdded(2));
    }));

  it('keeps a deleted session that a newer version has written to since', () =>
    inFolder(async (folder) => {
      await (await storeOf(folder, 1)).close();
      const line = JSON.stringify({ v: 2, seq: 4, at: 1, writer: 'w', body: { type: 'anything' } }).slice(0, -1);
      await appendFile(join(folder, 's1.jsonl'), `${line},"sum":"${nativeChecksum(line)}"}\n`);
      assert.deepEqual(await removeSession(folder, sessionId('s1'), () => true), { kind: 'kept' });
    }));

  it('ends the retention of a deleted session 7 days after its last change', () => {
    const now = 100 * DAY_MS;
    assert.ok(isRetentionOver({ deleted: true, updatedAt: now - 7 * DAY_MS - 1 }, now));
    assert.ok(!isRetentionOver({ deleted: true, updatedAt: now - 7 * DAY_MS }, now));
    assert.ok(!isRetentionOver({ deleted: false, updatedAt: 0 }, now));
  });
});
