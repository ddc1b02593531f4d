import { open, readFile, rm, truncate, type FileHandle } from 'node:fs/promises';
import { isUtf8 } from 'node:buffer';
import * as v from 'valibot';
import { nativeChecksum } from './checksum.ts';
import { errorCode, ifThere, OWNER_ONLY } from './disk-errors.ts';
import { readRange, type Damage } from './line-scanner.ts';

/** Lines longer than this (bytes) are named in the file of damaged lines but not copied: they stay in the journal. */
const COPIED_LINE_BYTES = 16 * 1024 * 1024;

/**
 * Moves what stands after the last newline into `<journal>.torn-<time>` and cuts it from the journal. Only for a
 * window that is sure to write alone. `time` is milliseconds since the epoch. Returns the new file's path.
 */
export async function cutTornTail(journal: string, from: number, time: number): Promise<string> {
  const file = await open(journal, 'r');
  try {
    const copy = await createNew(`${journal}.torn-${time}`);
    await copyBytes(file, from, copy.file);
    await truncate(journal, from);
    return copy.path;
  } finally {
    await file.close();
  }
}

/** Writes all that `file` holds to a new file at `path`. Throws `EEXIST` when there is one. */
export async function writeAnew(path: string, file: FileHandle): Promise<void> {
  const target = await open(path, 'wx', OWNER_ONLY);
  try {
    await copyBytes(file, 0, target);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  }
}

async function copyBytes(source: FileHandle, from: number, target: FileHandle): Promise<void> {
  try {
    for (let at = from; ;) {
      const piece = await readRange(source, at, COPY_BYTES);
      if (piece.length === 0) break;
      await target.appendFile(piece);
      at += piece.length;
    }
    await target.datasync();
  } finally {
    await target.close();
  }
}

const COPY_BYTES = 1024 * 1024;

/**
 * Copies damaged lines into `<journal>.damaged`, one JSON object a line (`offset`, `bytes`, `sum`, `reason`, and the
 * content as `text` or `base64`). The journal keeps them, so each is copied once: returns those that are new.
 */
export async function copyDamaged(journal: string, file: FileHandle, damage: readonly Damage[]): Promise<Damage[]> {
  if (damage.length === 0) return [];
  const path = `${journal}.damaged`;
  const known = await knownDamage(path);
  const fresh: Damage[] = [];
  const lines: string[] = [];
  for (const item of damage) {
    const bytes = item.length > COPIED_LINE_BYTES ? undefined : await readRange(file, item.offset, item.length);
    const sum = bytes ? nativeChecksum(bytes) : '';
    if (known.has(`${item.offset} ${item.length} ${sum}`)) continue;
    fresh.push(item);
    const content = !bytes ? {} : isUtf8(bytes) ? { text: bytes.toString() } : { base64: bytes.toString('base64') };
    lines.push(
      `${JSON.stringify({ offset: item.offset, bytes: item.length, sum, reason: item.reason, ...content })}\n`,
    );
  }
  if (lines.length > 0) await appendTo(path, lines.join(''));
  return fresh;
}

/** Writes down in the file of damaged lines how many entries are missing; false when that is known. */
export async function noteMissing(journal: string, missing: number): Promise<boolean> {
  const path = `${journal}.damaged`;
  const note = { offset: 0, bytes: 0, sum: `missing ${missing}` };
  if ((await knownDamage(path)).has(`${note.offset} ${note.bytes} ${note.sum}`)) return false;
  await appendTo(path, `${JSON.stringify(note)}\n`);
  return true;
}

async function appendTo(path: string, text: string): Promise<void> {
  const file = await open(path, 'a', OWNER_ONLY);
  try {
    await file.appendFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
}

const entrySchema = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ offset: v.number(), bytes: v.number(), sum: v.string() }),
);

async function knownDamage(path: string): Promise<ReadonlySet<string>> {
  const text = (await ifThere(readFile(path, 'utf8'))) ?? '';
  const known = new Set<string>();
  for (const line of text.split('\n')) {
    // A damaged entry in this file costs no more than a second copy of the same line.
    const { success, output } = v.safeParse(entrySchema, line);
    if (success) known.add(`${output.offset} ${output.bytes} ${output.sum}`);
  }
  return known;
}

// Two cuts within one millisecond must not end in one file.
async function createNew(path: string): Promise<{ readonly path: string; readonly file: FileHandle }> {
  for (let n = 0; ; n++) {
    const candidate = n === 0 ? path : `${path}-${n}`;
    try {
      return { path: candidate, file: await open(candidate, 'wx', OWNER_ONLY) };
    } catch (error) {
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}
