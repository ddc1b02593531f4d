import assert from 'node:assert/strict';
import { appendFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FolderWatcher } from '../../../src/worker/folder-watcher.ts';
import { folderForEachTest } from '../../support/per-test.ts';

describe('folder watcher', () => {
  let home: string;
  folderForEachTest((made) => (home = made));

  it('reports a change during a read once that read ends', async () => {
    const file = path.join(home, 'chat.jsonl');
    await writeFile(file, '1\n');
    let calls = 0;
    let endRead: (durationMs: number) => void = () => undefined;
    let called: () => void = () => undefined;
    const nextCall = (): Promise<void> => new Promise((resolve) => (called = resolve));
    const watcher = new FolderWatcher(home, () => {
      calls++;
      called();
      return new Promise((resolve) => (endRead = resolve));
    });
    try {
      const first = nextCall();
      watcher.watch('codex', [{ tool: 'codex', path: file, bytes: 2, modifiedAt: 0, facts: {} }]);
      await appendFile(file, '2\n');
      await first;
      await appendFile(file, '3\n');
      // Longer than changes are collected.
      await pause(1_000);
      assert.equal(calls, 1);
      const second = nextCall();
      endRead(1);
      await second;
    } finally {
      watcher.keepOnly([]);
    }
  });
});
