import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';
import type { SessionId } from '../../core/model/ids.ts';
import { errorCode } from '../../core/text/error-details.ts';
import { tryParse } from '../../core/text/json-value.ts';
import { OWNER_ONLY, renameFileNow } from '../../storage/disk-errors.ts';
import { journalPath } from '../../storage/session-store.ts';

export interface SessionFileDeps {
  /** The folder of the journals. */
  readonly folder: string;
  readonly warn: (message: string) => void;
}

/**
 * A JSON file next to each session's journal. It's written synchronously: VS Code's own storage is written later, and
 * would lose the latest change if the window were reloaded at once. Errors are only logged.
 */
export class SessionFile<T> {
  readonly #deps: SessionFileDeps;
  readonly #kind: string;
  readonly #schema: v.GenericSchema<unknown, T>;

  /** @param kind part of the file's name */
  constructor(deps: SessionFileDeps, kind: 'queue' | 'draft' | 'attachments', schema: v.GenericSchema<unknown, T>) {
    this.#deps = deps;
    this.#kind = kind;
    this.#schema = schema;
  }

  /** Undefined if there is no valid file. */
  read(session: SessionId): T | undefined {
    const file = this.#path(session);
    if (file === undefined) return undefined;
    try {
      const parsed = v.safeParse(this.#schema, tryParse(readFileSync(file, 'utf8')));
      return parsed.success ? parsed.output : undefined;
    } catch (error) {
      if (errorCode(error) !== 'ENOENT')
        this.#deps.warn(`A session’s ${this.#kind} could not be read: ${String(error)}`);
      return undefined;
    }
  }

  /** Writes a value, or deletes the file if it's undefined. Returns false if that fails. */
  write(session: SessionId, value: T | undefined): boolean {
    const file = this.#path(session);
    if (file === undefined) return false;
    try {
      if (value === undefined) rmSync(file, { force: true });
      else replaceFileNow(file, JSON.stringify(value));
      return true;
    } catch (error) {
      this.#deps.warn(`A session’s ${this.#kind} could not be stored: ${String(error)}`);
      return false;
    }
  }

  #path(session: SessionId): string | undefined {
    return journalPath(this.#deps.folder, session)?.replace(/jsonl$/, `${this.#kind}.json`);
  }
}

/** Replaces a file atomically and synchronously. Throws the file system's error. */
export function replaceFileNow(file: string, data: string | readonly Uint8Array[]): void {
  // Several windows may write at the same time.
  const temporary = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const pieces = typeof data === 'string' ? [Buffer.from(data)] : data;
    for (const piece of pieces) writeFileSync(temporary, piece, { mode: OWNER_ONLY, flag: 'a' });
    renameFileNow(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
