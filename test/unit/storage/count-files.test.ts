import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { countFiles } from '../../../src/storage/count-files.ts';

describe('token counts beside a session', () => {
  let folder: string;
  const warnings: string[] = [];
  const id = sessionId('s1');
  before(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'counts-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));
  const store = () => countFiles(folder, (warning) => warnings.push(warning));

  it('come back as they were kept, attachments and CJK text too', async () => {
    const counts = [
      [messageId('a'), 6, 3400, 2],
      [messageId('b'), 12, 0, 0],
    ] as const;
    await store().save(id, { encoding: 'o200k_base', counts });
    assert.deepEqual(await store().load(id), { encoding: 'o200k_base', counts });
  });

  it('are made anew where there are none, without a word', async () => {
    assert.equal(await store().load(sessionId('other')), undefined);
    assert.deepEqual(warnings, []);
  });

  it('are left out where they make no sense', async () => {
    const counts = [['a', 5], ['b'], ['c', -1], ['d', 1.5], [7, 7], 'e', ['f', 1, 2, 3, 4]];
    await writeFile(path.join(folder, 's1.counts.json'), JSON.stringify({ encoding: 'x', counts }));
    assert.deepEqual((await store().load(id))?.counts, [[messageId('a'), 5, 0, 0]]);
    await writeFile(path.join(folder, 's1.counts.json'), '{"enc');
    assert.equal(await store().load(id), undefined);
    assert.equal(warnings.length, 1);
  });
});
