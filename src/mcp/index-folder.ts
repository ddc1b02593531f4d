import { access, constants, mkdir, mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { isFileSystemError } from '../app/library/source.ts';
import { textHash } from '../core/text/hash.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of an index. If it's temporary, it's deleted when the server ends. */
export interface IndexFolder {
  readonly path: string;
  readonly isTemporary: boolean;
}

/** The user's folder for data that programs can create again. */
function cacheFolder(env: Environment): string {
  switch (process.platform) {
    case 'darwin':
      return path.join(os.homedir(), 'Library/Caches');
    case 'win32':
      return env['LOCALAPPDATA'] || path.join(os.homedir(), 'AppData/Local');
    default:
      return env['XDG_CACHE_HOME'] || path.join(os.homedir(), '.cache');
  }
}

/**
 * Creates the folder for the index of the chats in a home folder. It's in the cache of the user who runs the server, so
 * that nothing is written to another home folder. If the cache isn't writable, it's a temporary folder.
 */
export async function createIndexFolder(home: string, env: Environment): Promise<IndexFolder> {
  const folder = path.join(cacheFolder(env), 'threadkeeper', `chats-${textHash([path.resolve(home)])}`);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await access(folder, constants.W_OK);
    return { path: folder, isTemporary: false };
  } catch (error) {
    if (!isFileSystemError(error)) throw error;
    return { path: await mkdtemp(path.join(os.tmpdir(), 'threadkeeper-chats-')), isTemporary: true };
  }
}
