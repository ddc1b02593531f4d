import { open, readFile, stat } from 'node:fs/promises';
import zlib from 'node:zlib';
import { isFileSystemError } from '../app/library/source.ts';
import { errorCode } from '../core/text/error-details.ts';
import { phrase } from '../core/text/phrase.ts';
import { isObject, tryParse, type JsonObject } from '../core/text/json-value.ts';
import { checkDocumentSize, TranscriptError } from '../core/transcript/transcript-message.ts';

export async function ifExists<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

/** The bytes of a file from `from` to `to` (exclusive), fewer at its end. */
export async function readSlice(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(to - from), 0, to - from, from);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The functions for zstd. Throws `TranscriptError` if Node.js is too old. */
export function zstd(): Pick<typeof zlib, 'zstdDecompress' | 'createZstdDecompress'> {
  // Missing before Node.js 22.15, although their types aren't optional.
  if ('zstdDecompress' in zlib) return zlib;
  throw new TranscriptError(
    phrase('Reading this file requires Node.js 22.15 or later. Update VS Code or Node.js and try again.'),
  );
}

/** Reads a whole document. Throws `TranscriptError`. */
export async function readDocument(file: string): Promise<string> {
  checkDocumentSize((await stat(file)).size);
  const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
  if (text.trim() === '') throw new TranscriptError(phrase('The file is empty.'));
  return text;
}

/** Reads a whole JSON document. Throws `TranscriptError`. */
export async function readJson(file: string): Promise<unknown> {
  const value = tryParse(await readDocument(file));
  if (value === undefined) throw damagedFile();
  return value;
}

/** Reads a small file with facts about a session, such as its title. Returns '' if it can't be read. */
export async function readOptionalText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (isFileSystemError(error)) return '';
    throw error;
  }
}

/** Like `readOptionalText`, for a JSON object; empty if it isn't one. */
export const readOptionalFields = async (file: string): Promise<JsonObject> =>
  fieldsOf(tryParse(await readOptionalText(file)));

/** A value's fields; empty if it isn't an object. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

export const damagedFile = (): TranscriptError =>
  new TranscriptError(phrase('The file is damaged or still being written.'));

export function unknownFormat(tool: string): TranscriptError {
  return new TranscriptError(phrase('The file isn’t in a known {0} format.', tool));
}
