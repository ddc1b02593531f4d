import { readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import type { SessionEvent } from '../core/journal/event.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { nativeChecksum } from './checksum.ts';
import { errorCode } from './disk-errors.ts';
import { readRange } from './line-scanner.ts';

const CHECKPOINT_VERSION = 1;
/** So many bytes before the checkpoint's offset must be those that were there when it was made. */
const MARK_BYTES = 4096;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const checkpointSchema = v.object({
  v: v.literal(CHECKPOINT_VERSION),
  id: v.pipe(v.string(), v.transform(sessionId)),
  /** Bytes of the journal that are folded into the rest. */
  offset: count,
  /** Checksum of the bytes before `offset`. */
  mark: v.string(),
  title: v.string(),
  workspace: v.string(),
  createdAt: v.number(),
  updatedAt: v.number(),
  messages: count,
  archived: v.boolean(),
  /** Absent in checkpoints from before sessions could be pinned. */
  pinned: v.optional(v.boolean(), false),
  deleted: v.boolean(),
});

/** What a list of sessions shows, folded up to a place in the journal, so that only what follows has to be read. */
export type Checkpoint = v.InferOutput<typeof checkpointSchema>;

export function checkpointPath(journal: string): string {
  return journal.replace(/\.jsonl$/, '.checkpoint.json');
}

/** Writes a journal's checkpoint. It can always be made again, so a disk that refuses is no fault. */
export async function saveCheckpoint(
  journal: string,
  file: FileHandle,
  id: SessionId,
  state: SessionState,
  offset: number,
): Promise<void> {
  const { title, workspace, createdAt, updatedAt, archived, pinned, deleted, counters } = state;
  const shown = { title, workspace, createdAt, updatedAt, archived, pinned, deleted, messages: counters.messagesEver };
  const path = checkpointPath(journal);
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const checkpoint: Checkpoint = { v: CHECKPOINT_VERSION, id, offset, mark: await markAt(file, offset), ...shown };
    const text = JSON.stringify(checkpoint);
    await writeFile(draft, `${nativeChecksum(text)} ${text}\n`);
    await rename(draft, path);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    await rm(draft, { force: true }).catch(() => undefined);
  }
}

/** The checkpoint of this very journal; undefined when there is none that can be trusted. */
export async function loadCheckpoint(
  journal: string,
  file: FileHandle,
  id: SessionId,
): Promise<Checkpoint | undefined> {
  try {
    const text = await readFile(checkpointPath(journal), 'utf8');
    const json = text.slice(9).trimEnd();
    if (text.slice(0, 8) !== nativeChecksum(json)) return undefined;
    const parsed = v.safeParse(checkpointSchema, JSON.parse(json));
    if (!parsed.success || parsed.output.id !== id) return undefined;
    const { offset, mark } = parsed.output;
    if ((await file.stat()).size < offset || (await markAt(file, offset)) !== mark) return undefined;
    return parsed.output;
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
