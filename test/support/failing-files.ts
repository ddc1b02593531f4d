import fsNow, { type PathLike } from 'node:fs';
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

/** Runs `work` on a platform on which renaming a file fails `refusals` times. Resolves to the number of tries. */
export async function refusingRenames(
  platform: string,
  code: string,
  refusals: number,
  work: () => unknown,
): Promise<number> {
  const { rename } = fs;
  const { renameSync } = fsNow;
  const real = Object.getOwnPropertyDescriptor(process, 'platform')!;
  let tries = 0;
  const refuse = (): void => {
    if (++tries <= refusals) throw diskError(code);
  };
  const renameOrFail = async (from: PathLike, to: PathLike): Promise<void> => {
    refuse();
    await rename(from, to);
  };
  fsNow.renameSync = (from, to) => {
    refuse();
    renameSync(from, to);
  };
  Object.defineProperty(process, 'platform', { ...real, value: platform });
  try {
    await withFileSystem({ rename: renameOrFail }, async () => await work());
  } finally {
    Object.defineProperty(process, 'platform', real);
    fsNow.renameSync = renameSync;
    syncBuiltinESMExports();
  }
  return tries;
}

/** Opens journals with some operations replaced, for each file by those that `replace` returns. */
export const appendingWith =
  (replace: (file: AppendFile, path: string) => Partial<AppendFile>): OpenForAppend =>
  async (path) => {
    const file = await openForAppend(path);
    return { ...file, ...replace(file, path) };
  };
