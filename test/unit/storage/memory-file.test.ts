import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MemoryEntry } from '../../../src/core/memory/memory.ts';
import { MemoryFile } from '../../../src/storage/memory-file.ts';
import { inFolder } from './test-store.ts';

const memoryFile = (folder: string, workspace: string): MemoryFile =>
  new MemoryFile(folder, workspace, (copy) => assert.fail(copy));
const entry = (id: string): MemoryEntry => ({ id, kind: 'fact', text: `fact ${id}`, at: 1 });

describe('workspace memory file', () => {
  it('keeps the entries of two windows, and separates workspaces', () =>
    inFolder(async (folder) => {
      const one = memoryFile(folder, 'folder:file:///a');
      const other = memoryFile(folder, 'folder:file:///a');
      await one.change((entries) => [...entries, entry('1')]);
      await other.change((entries) => [...entries, entry('2')]);
      assert.deepEqual(await one.read(), [entry('1'), entry('2')]);
      assert.deepEqual(await memoryFile(folder, 'folder:file:///b').read(), []);
      assert.equal((await readdir(folder)).length, 1);
    }));

  it('begins with the entries that were stored with a server’s address', () =>
    inFolder(async (folder) => {
      await memoryFile(folder, 'localhost:8080!folder:file:///a').change(() => [entry('1')]);
      await memoryFile(folder, 'wsl!folder:file:///a').change(() => [entry('2')]);
      const file = memoryFile(folder, 'folder:file:///a');
      assert.deepEqual(await file.read(), [entry('1')]);
      await file.change(() => []);
      assert.deepEqual(await file.read(), []);
    }));

  it('looks for entries of a server’s address only once, because it reads all files', () =>
    inFolder(async (folder) => {
      const file = memoryFile(folder, 'folder:file:///a');
      assert.deepEqual(await file.read(), []);
      await memoryFile(folder, 'localhost:8080!folder:file:///a').change(() => [entry('1')]);
      assert.deepEqual(await file.read(), []);
    }));

  it('applies concurrent changes of one window in order', () =>
    inFolder(async (folder) => {
      const file = memoryFile(folder, 'w');
      const ids = ['1', '2', '3', '4'];
      await Promise.all(ids.map((id) => file.change((entries) => [...entries, entry(id)])));
      assert.deepEqual(
        (await file.read()).map(({ id }) => id),
        ids,
      );
    }));

  it('applies concurrent changes of two windows one after the other', () =>
    inFolder(async (folder) => {
      const windows = [memoryFile(folder, 'w'), memoryFile(folder, 'w')];
      const ids = Array.from({ length: 20 }, (_, index) => String(index));
      await Promise.all(ids.map((id, index) => windows[index % 2]!.change((entries) => [...entries, entry(id)])));
      assert.deepEqual((await windows[0]!.read()).map(({ id }) => id).sort(), ids.sort());
      assert.equal((await readdir(folder)).length, 1);
    }));

  it('sets a damaged file aside and continues with an empty one', () =>
    inFolder(async (folder) => {
      const copies: string[] = [];
      const file = new MemoryFile(folder, 'w', (copy) => copies.push(copy));
      await file.change(() => [entry('1')]);
      const [name = ''] = await readdir(folder);
      await writeFile(join(folder, name), '{"entries": [');
      assert.deepEqual(await file.read(), []);
      await file.change(() => [entry('2')]);
      assert.equal(copies.length, 1);
      assert.equal(await readFile(copies[0]!, 'utf8'), '{"entries": [');
      assert.deepEqual(await file.read(), [entry('2')]);
    }));

  it('keeps entries that only a newer version understands', () =>
    inFolder(async (folder) => {
      const file = memoryFile(folder, 'w');
      await file.change(() => [entry('1')]);
      const [name = ''] = await readdir(folder);
      const newer = { ...entry('2'), kind: 'habit', at: 2 };
      const stored = { workspace: 'w', entries: [entry('1'), newer] };
      await writeFile(join(folder, name), JSON.stringify(stored));
      assert.deepEqual(await file.read(), [entry('1')]);
      const latest = { ...entry('3'), at: 3 };
      await file.change((entries) => [...entries, latest]);
      const text = await readFile(join(folder, name), 'utf8');
      assert.deepEqual(JSON.parse(text), { workspace: 'w', entries: [entry('1'), newer, latest] });
    }));
});
