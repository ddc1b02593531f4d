import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { Databases } from '../../../src/sources/sqlite-databases.ts';
import { folderForEachTest } from '../per-test.ts';

/** Makes a home folder and a reader of databases for each test. The reader must remove its copies when it's closed. */
export function homeForEachTest(take: (home: string, databases: Databases) => void): void {
  let home = '';
  let scratch = '';
  let databases: Databases;
  folderForEachTest((made) => (home = made));
  folderForEachTest((made) => (scratch = made));
  beforeEach(() => take(home, (databases = new Databases(scratch))));
  afterEach(async () => {
    await databases.close();
    assert.deepEqual(readdirSync(scratch), [], 'copies of databases are removed');
  });
}
