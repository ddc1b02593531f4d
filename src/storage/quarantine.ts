import { isUtf8 } from 'node:buffer';
import { appendFile, readFile, rm, truncate, writeFile, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import { errorCode } from '../core/text/error-details.ts';
import { nativeChecksum } from './checksum.ts';
import { ifExists, OWNER_ONLY, unlessDiskFails } from './disk-errors.ts';
import { readRange } from './journal-lines.ts';
import type { Damage } from './journal-reader.ts';

/** Longer lines are listed in the file of damaged lines without their content, which stays in the journal. */
const MAX_COPIED_LINE_BYTES = 16 * 1024 * 1024;

/** Copies a file's bytes from `from` on to a new file, and returns the file's size. Throws `EEXIST`. */
export async function copyTo(path: string, file: FileHandle, from = 0): Promise<number> {
  const { size } = await file.stat();
  const bytes = await readRange(file, from, size - from);
  try {
    await writeFile(path, bytes, { flag: 'wx', mode: OWNER_ONLY, flush: true });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') await rm(path, { force: true });
    throw error;
  }
  return size;
}

/**
 * Moves everything after the last newline to `<journal>.torn-<time>` and truncates the journal. `time` is in
 * milliseconds since the epoch. Returns the new file's path; `overtaken` if this window isn't the writer anymore or the
 * journal has grown; `kept` if the journal can't be truncated.
 */
export async function quarantineTail(
  journal: string,
  file: FileHandle,
  from: number,
  time: number,
  isWriter: () => Promise<boolean>,
): Promise<{ readonly copy: string } | 'overtaken' | 'kept'> {
  for (let number = 0; ; number++) {
    const copy = `${journal}.torn-${time}${number === 0 ? '' : `-${number}`}`;
    try {
      const size = await copyTo(copy, file, from);
      const isAlone = (await isWriter()) && (await file.stat()).size === size;
      if (isAlone && (await unlessDiskFails(() => truncate(journal, from).then(() => true)))) return { copy };
      await rm(copy, { force: true });
      return isAlone ? 'kept' : 'overtaken';
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

const noteSchema = v.object({ offset: v.number(), bytes: v.number(), sum: v.string() });
type Note = v.InferOutput<typeof noteSchema>;
const keyOf = ({ offset, bytes, sum }: Note): string => `${offset} ${bytes} ${sum}`;

/**
 * Copies damaged lines to `<journal>.damaged`, one JSON object per line (`offset`, `bytes`, `sum`, `reason`, and the
 * content as `text` or `base64`), and records how many entries are `missing`. The lines stay in the journal, and each
 * is copied only once. Returns the number of newly copied lines, and whether the number of missing entries is new.
 */
export async function quarantineLines(
  journal: string,
  file: FileHandle,
  damage: readonly Damage[],
  missing: number,
): Promise<{ readonly lines: number; readonly isMissing: boolean }> {
  const notes: Note[] = [];
  for (const { offset, length, reason } of damage) {
    const bytes = length > MAX_COPIED_LINE_BYTES ? undefined : await readRange(file, offset, length);
    const note = { offset, bytes: length, sum: bytes ? nativeChecksum(bytes) : '', reason };
    if (bytes) Object.assign(note, isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') });
    notes.push(note);
  }
  const gap: Note = { offset: 0, bytes: 0, sum: `missing ${missing}` };
  if (missing > 0) notes.push(gap);
  if (notes.length === 0) return { lines: 0, isMissing: false };
  const path = `${journal}.damaged`;
  const known = new Set<string>();
  const copied = (await ifExists(readFile(path, 'utf8'))) ?? '';
  for (const line of copied.split('\n')) {
    // If an entry of this file is damaged, its line is copied again.
    const { success, output } = v.safeParse(v.pipe(v.string(), v.parseJson(), noteSchema), line);
    if (success) known.add(keyOf(output));
  }
  const newNotes = notes.filter((note) => !known.has(keyOf(note)));
  const text = newNotes.map((note) => `${JSON.stringify(note)}\n`).join('');
  // The last line may have been written only partly.
  const separator = copied === '' || copied.endsWith('\n') ? '' : '\n';
  if (text !== '') await appendFile(path, `${separator}${text}`, { mode: OWNER_ONLY, flush: true });
  const isMissing = newNotes.includes(gap);
  return { lines: newNotes.length - Number(isMissing), isMissing };
}
