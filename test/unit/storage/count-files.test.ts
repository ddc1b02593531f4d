import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { messageId, sessionId } from '../../../src/core/model/ids.ts';
import { storedCounts } from '../../../src/core/tokens/message-counts.ts';
import { countFiles } from '../../../src/storage/count-files.ts';
import { folderForEachTest } from '../../support/per-test.ts';

describe('stored token counts', () => {
  let folder: string;
  let warnings: string[];
  const id = sessionId('s1');
  const a = messageId('a');
  const b = messageId('b');
  const c = messageId('c');
  const counts = storedCounts('o200k_base', [
    { body: 6, attachments: 3400 },
    { body: 1_200_000, attachments: 0 },
  ]);
  folderForEachTest((made) => (folder = made));
  const store = () => countFiles(folder, (warning) => warnings.push(warning));

  beforeEach(() => {
    warnings = [];
    return store().save(id, [a, b], counts);
  });

  it('are loaded as they were saved, including attachments', async () => {
    assert.deepEqual(await store().load(id, [a, b]), counts);
  });

  it('are loaded for the first messages when more have been added since', async () => {
    assert.deepEqual(await store().load(id, [a, b, c]), counts);
  });

  it('are discarded when the session’s messages differ', async () => {
    for (const messages of [[b, a], [a, c], [a], []]) assert.equal(await store().load(id, messages), undefined);
  });

  it('are missing without a warning when none were stored', async () => {
    assert.equal(await store().load(sessionId('other'), [a]), undefined);
    assert.deepEqual(warnings, []);
  });

  it('are discarded when the file is damaged or has another format', async () => {
    const file = path.join(folder, 's1.counts.json');
    const sound = await readFile(file, 'utf8');
    const { tokens } = JSON.parse(sound) as { readonly tokens: string };
    const damaged = [
      sound.replace(tokens, tokens.toLowerCase()),
      sound.replace('"messages":2', '"messages":1'),
      sound.replace('"v":3', '"v":2'),
      '[]',
    ];
    for (const text of damaged) {
      assert.notEqual(text, sound);
      await writeFile(file, text);
      assert.equal(await store().load(id, [a, b]), undefined, text);
    }
    assert.deepEqual(warnings, []);
    await writeFile(file, sound.slice(0, 20));
    assert.equal(await store().load(id, [a, b]), undefined);
    assert.equal(warnings.length, 1);
  });
});
