import assert from 'node:assert/strict';
import { changeSession } from '../../../src/host/platform/session-changes.ts';
import { appendingWith, diskError } from '../../support/failing-files.ts';
import { inFolder, storeIn } from '../storage/test-store.ts';

describe('a change of a session that is not open', () => {
  it('is reported as not saved on a full disk', () =>
    inFolder(async (folder) => {
      let isFull = false;
      const mayBeFull = appendingWith((file) => ({
        write: (bytes) => (isFull ? Promise.reject(diskError('ENOSPC')) : file.write(bytes)),
      }));
      const store = storeIn(folder, 'a', { openForAppend: mayBeFull });
      const journal = await store.create('Ports', '');
      await journal.close();
      const sessions = { current: undefined, listChanged: () => undefined };
      const rename = (title: string) =>
        changeSession({ sessions, store } as never, journal.id, { type: 'session_renamed', title });
      isFull = true;
      await assert.rejects(rename('Hosts'), { reason: 'full' });
      isFull = false;
      await rename('Keys');
      assert.deepEqual(
        (await store.list()).map(({ title }) => title),
        ['Keys'],
      );
      await store.close();
    }));
});
