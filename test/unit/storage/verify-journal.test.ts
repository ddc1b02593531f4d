import assert from 'node:assert/strict';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { verifyJournal } from '../../../src/storage/verify-journal.ts';
import { inFolder, messageAdded, inStore } from './test-store.ts';

describe('journal verification', () => {
  const verified = (edit: (lines: string[]) => string) =>
    inStore(async (store, folder) => {
      const journal = await store.create('Build', '');
      await journal.append(messageAdded(0), messageAdded(1), messageAdded(2), messageAdded(3));
      await store.close();
      const path = join(folder, `${journal.id}.jsonl`);
      await writeFile(path, edit((await readFile(path, 'utf8')).trimEnd().split('\n')));
      return verifyJournal(path);
    });
  const file = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

  it('counts the events of an intact journal', async () => {
    assert.deepEqual(await verified(file), { ok: true, events: 5 });
  });

  it('reports the first line with a wrong checksum', async () => {
    assert.deepEqual(await verified((lines) => file(lines).replace('message 1', 'message 7')), {
      ok: false,
      line: 3,
      fault: 'the checksum does not match',
    });
  });

  it('reports a missing line', async () => {
    assert.deepEqual(await verified((lines) => file(lines.toSpliced(1, 1))), {
      ok: false,
      line: 2,
      fault: 'sequence number 3 where 2 was expected',
    });
  });

  it('reports a duplicate line', async () => {
    const result = await verified((lines) => file([...lines, lines[2]!]));
    assert.deepEqual(result, { ok: false, line: 6, fault: 'duplicate sequence number 3' });
  });

  it('reports an incomplete last line', async () => {
    const result = await verified((lines) => file(lines) + '{"v":1');
    assert.deepEqual(result, { ok: false, line: 6, fault: 'the last line is incomplete (6 bytes)' });
  });

  it('fails for a missing file, but accepts an empty one', () =>
    inFolder(async (folder) => {
      await assert.rejects(verifyJournal(join(folder, 'none.jsonl')), { code: 'ENOENT' });
      await appendFile(join(folder, 'empty.jsonl'), '');
      assert.deepEqual(await verifyJournal(join(folder, 'empty.jsonl')), { ok: true, events: 0 });
    }));
});
