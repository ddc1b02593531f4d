import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { openForAppend, type AppendFile, type OpenForAppend } from '../../src/storage/journal-writer.ts';

/** An error of the file system with this code. */
export const diskError = (code: string): Error => Object.assign(new Error('refused'), { code });

/** Runs `work` while functions of `node:fs/promises` are replaced. */
export async function withFileSystem<T>(replaced: Partial<typeof fs>, work: () => Promise<T>): Promise<T> {
  const real = { ...fs };
  Object.assign(fs, replaced);
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, real);
    syncBuiltinESMExports();
  }
}

/** Opens journals with some operations replaced, for each file by those that `replace` returns. */
export const appendingWith =
  (replace: (file: AppendFile, path: string) => Partial<AppendFile>): OpenForAppend =>
  async (path) => {
    const file = await openForAppend(path);
    return { ...file, ...replace(file, path) };
  };
