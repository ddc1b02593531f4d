import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { inFolder, storeIn } from './test-store.ts';

describe('a test in a folder', () => {
  const failing = (folder: string): void => {
    storeIn(folder).close = () => Promise.reject(new Error('closing failed'));
  };

  it('reports its own error even if closing fails as well, and removes the folder', async () => {
    let folder = '';
    const fails = (made: string): Promise<void> => {
      failing((folder = made));
      return Promise.reject(new Error('the test failed'));
    };
    await assert.rejects(inFolder(fails), /the test failed/);
    assert.equal(existsSync(folder), false);
  });

  it('fails if only closing fails, after closing all other stores', async () => {
    let closed = 0;
    await assert.rejects(
      inFolder((folder) => {
        failing(folder);
        storeIn(folder).close = () => {
          closed++;
          return Promise.resolve();
        };
        return Promise.resolve();
      }),
      /closing failed/,
    );
    assert.equal(closed, 1);
  });
});
