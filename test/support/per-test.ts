import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** Opens something before each test, and disposes of it after the test. */
export function openForEachTest(open: () => Promise<AsyncDisposable>): void {
  let opened: AsyncDisposable | undefined;
  beforeEach(async () => {
    opened = undefined;
    opened = await open();
  });
  afterEach(() => opened?.[Symbol.asyncDispose]());
}

/** Opens something before the first test, and disposes of it after the last one. */
export function openForAllTests(open: () => Promise<AsyncDisposable>): void {
  let opened: AsyncDisposable | undefined;
  before(async () => {
    opened = await open();
  });
  after(() => opened?.[Symbol.asyncDispose]());
}

/**
 * Makes a folder whose name begins with `prefix` before each test. It's removed after the last test, because what uses
 * it is closed after the test.
 */
export function folderForEachTest(take: (folder: string) => void, prefix = 'threadkeeper-'): void {
  const folders: string[] = [];
  beforeEach(() => {
    const folder = makeFolder(prefix);
    folders.push(folder);
    take(folder);
  });
  after(() => folders.forEach(removeFolder));
}

/** Makes a folder whose name begins with `prefix` before the first test, and removes it after the last one. */
export function folderForAllTests(take: (folder: string) => void, prefix = 'threadkeeper-'): void {
  let folder: string | undefined;
  before(() => take((folder = makeFolder(prefix))));
  after(() => removeFolder(folder));
}

const makeFolder = (prefix: string): string => realpathSync(mkdtempSync(path.join(os.tmpdir(), prefix)));

function removeFolder(folder: string | undefined): void {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}
