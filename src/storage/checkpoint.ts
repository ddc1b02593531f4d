import { open, readFile, rm, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import type { SessionListEntry } from '../app/ports.ts';
import { countSchema } from '../core/model/field-schemas.ts';
import type { SessionId } from '../core/model/ids.ts';
import { listedFields } from '../core/model/session-list-entry.ts';
import { yieldIfDue, type Yielder } from '../core/pace/yielder.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { nativeChecksum } from './checksum.ts';
import { replaceFile, unlessDiskFails } from './disk-errors.ts';
import { isKnownType } from './journal-line.ts';
import { readRange } from './journal-lines.ts';
import { foldSchema, JournalReader, type StoredFold } from './journal-reader.ts';

/**
 * Increased with each new field of an event, because an older version that has read the journal has left the field out of
 * its checkpoint.
 */
export const CHECKPOINT_VERSION = 4;
/** Maximum size of a checkpoint's first line, which is a few hundred bytes and a title. */
const HEAD_BYTES = 16 * 1024;
/** Number of bytes before the checkpoint's offset that must be unchanged. */
const MARK_BYTES = 4096;

/**
 * The first line of a journal's checkpoint: the session's list entry as of an offset in the journal, so that only the
 * rest has to be read. The second line contains the session's complete state at that offset (`StoredFold`).
 */
const headSchema = v.object({
  v: v.literal(CHECKPOINT_VERSION),
  ...listedFields,
  messages: countSchema,
  /** Size of the folded part of the journal, in bytes. */
  offset: countSchema,
  /** Checksum of the bytes before `offset`. */
  mark: v.string(),
});
type Head = v.InferOutput<typeof headSchema>;

const checkpointPath = (journal: string): string => journal.replace(/\.jsonl$/, '.checkpoint.json');

/** A session's entry in the session list, without the size of its journal. */
export function listEntryOf(id: SessionId, state: SessionState): Omit<SessionListEntry, 'bytes'> {
  const { title, workspace, createdAt, updatedAt, archived, pinned, deleted, counters } = state;
  return { id, title, workspace, createdAt, updatedAt, messages: counters.messagesEver, archived, pinned, deleted };
}

/**
 * Writes a journal's checkpoint. It can be recreated, so failing to write it isn't an error. Does nothing if a newer
 * version has written to the journal, which would take the checkpoint for current.
 */
export async function saveCheckpoint(journal: string, id: SessionId, reader: JournalReader): Promise<void> {
  if (reader.newer) return;
  const { offset, file, state } = reader;
  const entry = listEntryOf(id, state);
  const fold = reader.export();
  // Serialized before the first `await`, because the reader may then fold more lines.
  const tail = fold ? checksummedLine(fold) : '';
  await unlessDiskFails(async () => {
    const head: Head = { v: CHECKPOINT_VERSION, offset, mark: await markAt(file, offset), ...entry };
    await replaceFile(checkpointPath(journal), `${checksummedLine(head)}${tail}`);
  });
}

/** Deletes a checkpoint that doesn't match its journal. */
export async function dropCheckpoint(journal: string): Promise<void> {
  await rm(checkpointPath(journal), { force: true }).catch(() => undefined);
}

/** The first line of a journal's checkpoint; undefined if there is no valid checkpoint. */
export async function loadHead(journal: string, file: FileHandle, id: SessionId): Promise<Head | undefined> {
  const bytes = await unlessDiskFails(async () => {
    const checkpoint = await open(checkpointPath(journal), 'r');
    return readRange(checkpoint, 0, HEAD_BYTES).finally(() => checkpoint.close());
  });
  const head = bytes && parseChecksummedLine(bytes, headSchema);
  return head && (await isValid(head, file, id)) ? head : undefined;
}

/** Reads a journal from its checkpoint, or else from its beginning. Earlier messages are read on demand. */
export async function readJournal(
  journal: string,
  file: FileHandle,
  id: SessionId,
  yielder: Yielder,
  onDamage?: () => void,
): Promise<JournalReader> {
  const reader = new JournalReader(journal, file, yielder, onDamage);
  const bytes = await unlessDiskFails(() => readFile(checkpointPath(journal)));
  const head = bytes && parseChecksummedLine(bytes, headSchema);
  if (head && (await isValid(head, file, id))) {
    await yieldIfDue(yielder);
    const fold = parseChecksummedLine(bytes.subarray(bytes.indexOf('\n') + 1), foldSchema);
    if (fold && !fold.unknown.some(isKnownType)) await reader.resume(fold, head.offset);
  } else {
    // A last line that only lacks its newline is complete.
    reader.endsBeforeCheckpoint = head?.id === id && (await file.stat()).size < head.offset - 1;
  }
  reader.checkpointOffset = reader.offset;
  await reader.readNewLines();
  return reader;
}

/** Whether the part of the journal from which the checkpoint was made is unchanged at its end. */
async function isValid(head: Head, file: FileHandle, id: SessionId): Promise<boolean> {
  return head.id === id && (await file.stat()).size >= head.offset && (await markAt(file, head.offset)) === head.mark;
}

async function markAt(file: FileHandle, offset: number): Promise<string> {
  const from = Math.max(0, offset - MARK_BYTES);
  return nativeChecksum(await readRange(file, from, offset - from));
}

function checksummedLine(value: Head | StoredFold): string {
  const json = JSON.stringify(value);
  return `${nativeChecksum(json)} ${json}\n`;
}

/** The value of a line that `checksummedLine` made; undefined if it's incomplete, damaged, or of another version. */
function parseChecksummedLine<S extends v.GenericSchema>(bytes: Buffer, schema: S): v.InferOutput<S> | undefined {
  // The checksum is computed from the bytes, because converting the long second line to text and back takes time.
  const json = bytes.subarray(9, Math.max(9, bytes.indexOf('\n')));
  if (bytes.toString('latin1', 0, 8) !== nativeChecksum(json)) return undefined;
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), schema), json.toString());
  return parsed.success ? parsed.output : undefined;
}
