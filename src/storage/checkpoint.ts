import { open, rm, type FileHandle } from 'node:fs/promises';
import * as v from 'valibot';
import type { SessionEvent } from '../core/journal/schema.ts';
import { count, time } from '../core/model/fields.ts';
import { breathe, type Breather } from '../core/pace/breather.ts';
import { isKnownType } from '../core/journal/envelope.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import { nativeChecksum } from './checksum.ts';
import { errorCode, replaceFile } from './disk-errors.ts';
import { foldRecordSchema } from './fold-record.ts';
import { JournalReader } from './journal-reader.ts';
import { readRange } from './line-scanner.ts';
import { JournalBodies } from './message-bodies.ts';

const CHECKPOINT_VERSION = 2;
/** The head of a checkpoint is a few hundred bytes and a title. */
const HEAD_BYTES = 16 * 1024;
/** So many bytes before the checkpoint's offset must be those that were there when it was made. */
const MARK_BYTES = 4096;

const checkpointSchema = v.object({
  v: v.literal(CHECKPOINT_VERSION),
  id: v.pipe(v.string(), v.transform(sessionId)),
  /** Bytes of the journal that are folded into the rest. */
  offset: count,
  /** Checksum of the bytes before `offset`. */
  mark: v.string(),
  title: v.string(),
  workspace: v.string(),
  createdAt: time,
  updatedAt: time,
  messages: count,
  archived: v.boolean(),
  pinned: v.boolean(),
  deleted: v.boolean(),
});

/**
 * The head of a journal's checkpoint: what a list of sessions shows, folded up to a place in the journal, so that only
 * what follows has to be read. On the line after it stands the whole fold up to there, texts of messages left out.
 */
export type Checkpoint = v.InferOutput<typeof checkpointSchema>;

export function checkpointPath(journal: string): string {
  return journal.replace(/\.jsonl$/, '.checkpoint.json');
}

/** Writes a journal's checkpoint. It can always be made again, so a disk that refuses is no fault. */
export async function saveCheckpoint(
  journal: string,
  file: FileHandle,
  id: SessionId,
  reader: JournalReader,
): Promise<void> {
  const { offset, state } = reader;
  const { title, workspace, createdAt, updatedAt, archived, pinned, deleted, counters } = state;
  const shown = { title, workspace, createdAt, updatedAt, archived, pinned, deleted, messages: counters.messagesEver };
  const fold = reader.export();
  // At once, before anything more is folded.
  const tail = fold ? sealed(JSON.stringify(fold)) : '';
  try {
    const checkpoint: Checkpoint = { v: CHECKPOINT_VERSION, id, offset, mark: await markAt(file, offset), ...shown };
    await replaceFile(checkpointPath(journal), `${sealed(JSON.stringify(checkpoint))}${tail}`);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}

/** For a checkpoint that has been found to be wrong. */
export async function dropCheckpoint(journal: string): Promise<void> {
  await rm(checkpointPath(journal), { force: true }).catch(() => undefined);
}

/** The head of this very journal's checkpoint; undefined when there is none that can be trusted. */
export async function loadCheckpoint(
  journal: string,
  file: FileHandle,
  id: SessionId,
): Promise<Checkpoint | undefined> {
  return tolerant(async () => trusted(await readHead(journal), file, id));
}

async function readHead(journal: string): Promise<Checkpoint | undefined> {
  const kept = await open(checkpointPath(journal), 'r');
  try {
    const bytes = await readRange(kept, 0, HEAD_BYTES);
    return parseHead(bytes.subarray(0, bytes.indexOf('\n')));
  } finally {
    await kept.close();
  }
}

/** Whether a journal is shorter now than when its checkpoint was made: nothing that writes here makes it so. */
export async function endsBeforeCheckpoint(journal: string, file: FileHandle, id: SessionId): Promise<boolean> {
  const head = await tolerant(() => readHead(journal));
  // A last line that lacks its newline alone is all there.
  return head?.id === id && (await file.stat()).size < head.offset - 1;
}

/**
 * A reader that stands where the checkpoint was made, with the state of that place; what its messages say is read from
 * the journal when it is asked for. Undefined when there is no checkpoint that can be trusted.
 */
export async function resumeReader(
  journal: string,
  file: FileHandle,
  id: SessionId,
  breather: Breather,
  onDamage: () => void,
): Promise<JournalReader | undefined> {
  return tolerant(async () => {
    // As bytes, in one go: the second line has some hundred for each message, and becomes a text once.
    const bytes = await wholeFile(checkpointPath(journal));
    const end = bytes.indexOf('\n');
    const checkpoint = await trusted(parseHead(bytes.subarray(0, end)), file, id);
    if (!checkpoint) return undefined;
    await breathe(breather);
    const kept = unsealed(bytes.subarray(end + 1, bytes.indexOf('\n', end + 1)));
    await breathe(breather);
    const parsed = v.safeParse(foldRecordSchema, kept);
    await breathe(breather);
    if (!parsed.success || parsed.output.unknown.some(isKnownType)) return undefined;
    const bodies = new JournalBodies(journal, file, onDamage);
    return await JournalReader.resume(file, breather, checkpoint.offset, { stored: parsed.output, bodies });
  });
}

async function wholeFile(path: string): Promise<Buffer> {
  const file = await open(path, 'r');
  try {
    return await readRange(file, 0, (await file.stat()).size);
  } finally {
    await file.close();
  }
}

function parseHead(line: Buffer): Checkpoint | undefined {
  const parsed = v.safeParse(checkpointSchema, unsealed(line));
  return parsed.success ? parsed.output : undefined;
}

/** The head, if the journal still begins with what it was made from. */
async function trusted(head: Checkpoint | undefined, file: FileHandle, id: SessionId): Promise<Checkpoint | undefined> {
  if (head?.id !== id || (await file.stat()).size < head.offset) return undefined;
  return (await markAt(file, head.offset)) === head.mark ? head : undefined;
}

/** A line with its checksum in front. */
const sealed = (json: string): string => `${nativeChecksum(json)} ${json}\n`;

/** What a line says; undefined when its checksum is wrong. Throws `SyntaxError`. */
function unsealed(line: Buffer): unknown {
  const json = line.subarray(9);
  return line.toString('latin1', 0, 8) === nativeChecksum(json) ? JSON.parse(json.toString()) : undefined;
}

async function tolerant<T>(load: () => Promise<T>): Promise<T | undefined> {
  try {
    return await load();
  } catch (error) {
    if (errorCode(error) === undefined && !(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

/** Events that give a new state what the checkpoint shows, but for the number of messages. */
export function checkpointEvents(checkpoint: Checkpoint): { readonly at: number; readonly body: SessionEvent }[] {
  const { id, title, workspace, createdAt, updatedAt, archived, pinned, deleted } = checkpoint;
  return [
    { at: createdAt, body: { type: 'session_created', id, title, workspace } },
    { at: updatedAt, body: { type: 'session_archived', archived } },
    { at: updatedAt, body: { type: 'session_pinned', pinned } },
    { at: updatedAt, body: { type: 'session_deleted', deleted } },
  ];
}

async function markAt(file: FileHandle, offset: number): Promise<string> {
  const from = Math.max(0, offset - MARK_BYTES);
  return nativeChecksum(await readRange(file, from, offset - from));
}
