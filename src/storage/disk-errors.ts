import { randomBytes } from 'node:crypto';
import { renameSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { StoreFault } from '../app/ports.ts';
import { errorCode, errorMessage } from '../core/text/error-details.ts';
import { phrase, type Phrase } from '../core/text/phrase.ts';

const REASONS: Readonly<Record<string, 'full' | 'read_only' | 'missing'>> = {
  ENOSPC: 'full',
  EDQUOT: 'full',
  EROFS: 'read_only',
  EACCES: 'read_only',
  EPERM: 'read_only',
  ENOENT: 'missing',
  // The code of VS Code's file systems.
  NoPermissions: 'read_only',
};

/** VS Code's file systems put most codes of Node.js only into the message. */
const CODE_IN_MESSAGE = /\bE[A-Z]{3,}(?=: )/;

const reasonOf = (error: unknown): (typeof REASONS)[string] | undefined =>
  REASONS[errorCode(error) ?? ''] ?? REASONS[CODE_IN_MESSAGE.exec(errorMessage(error))?.[0] ?? ''];

/** Whether there is no space left, or the user's quota is used up. */
export const isDiskFull = (error: unknown): boolean => reasonOf(error) === 'full';

/** A fault with a sentence that tells the user what to do. `subject` names the data that couldn't be written. */
export function storeFault(error: unknown, subject: Phrase | string): StoreFault {
  if (StoreFault.is(error)) return error;
  // A `TypeError` means that encoding failed, so nothing was written.
  const reason = error instanceof TypeError ? 'invalid' : (reasonOf(error) ?? 'other');
  const sentences = {
    full: phrase('Couldn’t save {0} because the disk is full. Free up disk space and try again.', subject),
    read_only: phrase(
      'Couldn’t save {0} because the folder isn’t writable. Check its permissions and try again.',
      subject,
    ),
    missing: phrase('Couldn’t access {0} because a file is missing. Reload the window and try again.', subject),
    invalid: phrase(
      'Couldn’t save {0} because the data is invalid. Nothing was written. Reload the window and try again.',
      subject,
    ),
    other: phrase('Couldn’t save {0} ({1}). Try again or reload the window.', subject, errorMessage(error)),
  };
  return new StoreFault(reason, sentences[reason], error);
}

/** Like `storeFault`, for reading and deleting. */
export function accessFault(error: unknown, subject: Phrase): StoreFault {
  const fault = storeFault(error, subject);
  if (fault === error || fault.reason === 'full' || fault.reason === 'missing') return fault;
  const message = phrase('Couldn’t access {0} ({1}). Try again or reload the window.', subject, errorMessage(error));
  return new StoreFault(fault.reason, message, error);
}

/** Runs `work`, which writes `subject` to the disk. Rejects with `StoreFault`. */
export const withWriteFaults = <T>(subject: Phrase | string, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw storeFault(error, subject);
  });

/** Runs `work`, which reads or deletes `subject`. Rejects with `StoreFault`. */
export const withAccessFaults = <T>(subject: Phrase, work: () => Promise<T>): Promise<T> =>
  work().catch((error: unknown) => {
    throw accessFault(error, subject);
  });

/** Whether `action` succeeds; false if it fails with the error code `expected`. Other errors are thrown. */
export const succeedsUnless = (action: Promise<unknown>, expected: string): Promise<boolean> =>
  action.then(
    () => true,
    (error: unknown) => {
      if (errorCode(error) === expected) return false;
      throw error;
    },
  );

export const ifExists = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return undefined;
  });

/** The result of disk work that isn't essential; undefined if the disk fails. Other errors are thrown. */
export const unlessDiskFails = <T>(work: () => Promise<T>): Promise<T | undefined> =>
  work().catch((error: unknown) => {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  });

/** Creates a folder and those around it that don't exist; by default, others can read it. */
export async function makeFolder(folder: string, mode?: number): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode });
  } catch (error) {
    if (errorCode(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    // On a read-only file system, Node.js 24 reports `ENOENT`. Creating only the first missing folder has the reason.
    await makeFolder(dirname(folder), mode);
    await mkdir(folder, { mode });
  }
}

/** File mode with which other users of the machine can't read conversations. */
export const OWNER_ONLY = 0o600;

/** Delays in ms before a file is renamed again: a virus scanner reads a new file for a moment, an indexer longer. */
const RENAME_DELAYS_MS = [10, 20, 40, 80, 160, 320, 640];

/** Renames a file and replaces an existing one. On Windows, tries again while another process has one of them open. */
export async function renameFile(from: string, to: string): Promise<void> {
  for (const delay of RENAME_DELAYS_MS) {
    try {
      return await rename(from, to);
    } catch (error) {
      throwUnlessInUse(error);
      await pause(delay);
    }
  }
  await rename(from, to);
}

/** Like `renameFile`, but synchronous. Blocks the thread for at most 30 ms, so that users don't notice it. */
export function renameFileNow(from: string, to: string): void {
  for (const delay of RENAME_DELAYS_MS.slice(0, 2)) {
    try {
      return renameSync(from, to);
    } catch (error) {
      throwUnlessInUse(error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, delay);
    }
  }
  renameSync(from, to);
}

/** What Windows reports for a file that is in use. */
const IN_USE: ReadonlySet<string> = new Set(['EPERM', 'EACCES', 'EBUSY']);

function throwUnlessInUse(error: unknown): void {
  if (process.platform !== 'win32' || !IN_USE.has(errorCode(error) ?? '')) throw error;
}

/** Replaces a file atomically. The temporary file, by default one per call, stays if the process is killed. */
export async function replaceFile(
  path: string,
  text: string,
  { temporaryPath = `${path}.${randomBytes(6).toString('hex')}`, ...options }: ReplaceOptions = {},
): Promise<void> {
  try {
    await writeFile(temporaryPath, text, { mode: OWNER_ONLY, ...options });
    await renameFile(temporaryPath, path);
  } catch (error) {
    await rm(temporaryPath, { force: true }).catch(() => undefined);
    throw error;
  }
}

interface ReplaceOptions {
  readonly temporaryPath?: string;
  /** Whether the content must survive a power failure. */
  readonly flush?: boolean;
}
