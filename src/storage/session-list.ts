import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionSummary } from '../app/ports.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import type { Breather } from '../core/pace/breather.ts';
import { checkpointEvents, loadCheckpoint, saveCheckpoint } from './checkpoint.ts';
import { errorCode, ifThere } from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';

const EXTENSION = '.jsonl';
// What may stand in a file name on every system; ids that do not fit never become a path.
const FILE_NAME_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The path of a session's journal; undefined for an id that cannot be a file's name. */
export function journalPath(folder: string, id: SessionId): string | undefined {
  return FILE_NAME_ID.test(id) ? join(folder, `${id}${EXTENSION}`) : undefined;
}

/** How many files are looked at together: enough to keep the disk busy, few enough to leave it to others. */
const AT_ONCE = 32;

// From the journal's checkpoint and what was written since, or from the whole journal where there is none.
async function summarizeFile(
  path: string,
  file: FileHandle,
  id: SessionId,
  bytes: number,
  breather: Breather,
): Promise<SessionSummary> {
  const checkpoint = await loadCheckpoint(path, file, id);
  const reader = new JournalReader(file, breather, checkpoint);
  if (checkpoint) for (const { body, at } of checkpointEvents(checkpoint)) reader.state.apply(body, at);
  await reader.readOn();
  const { title, workspace, createdAt, updatedAt, archived, pinned, deleted, counters } = reader.state;
  const messages = (checkpoint?.messages ?? 0) + counters.messagesEver;
  if (!checkpoint && bytes >= CHECKPOINT_FROM_BYTES && reader.damage.length === 0) {
    await saveCheckpoint(path, file, id, reader);
  }
  return { id, title, workspace, createdAt, updatedAt, messages, archived, pinned, deleted, bytes };
}

/** Shorter journals are read as fast as their checkpoints. */
const CHECKPOINT_FROM_BYTES = 64 * 1024;

/** Lists a folder's sessions from their journals, and reads again only those that have changed since the last call. */
export class SessionList {
  readonly #folder: string;
  readonly #breather: Breather;
  readonly #known = new Map<SessionId, { readonly mtimeMs: number; readonly summary: SessionSummary }>();
  readonly #remembered: () => readonly SessionSummary[];
  #before: ReadonlyMap<SessionId, SessionSummary> | undefined;

  /** `remembered`: what an earlier run has listed. A journal only grows, so one of the same size is the same. */
  constructor(folder: string, breather: Breather, remembered: () => readonly SessionSummary[] = () => []) {
    this.#folder = folder;
    this.#breather = breather;
    this.#remembered = remembered;
  }

  /** Newest first. A folder that is not there yet has no sessions. */
  async read(): Promise<readonly SessionSummary[]> {
    this.#before ??= new Map(this.#remembered().map((summary) => [summary.id, summary]));
    const names = ((await ifThere(readdir(this.#folder))) ?? []).filter((name) => name.endsWith(EXTENSION));
    const ids = names.map((name) => sessionId(name.slice(0, -EXTENSION.length)));
    const found: SessionSummary[] = [];
    for (let from = 0; from < ids.length; from += AT_ONCE) {
      const some = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => this.#summary(id)));
      for (const summary of some) if (summary) found.push(summary);
    }
    return found.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async #summary(id: SessionId): Promise<SessionSummary | undefined> {
    const path = journalPath(this.#folder, id);
    if (!path) return undefined;
    try {
      const found = await stat(path);
      // A pipe by this name would never end.
      if (!found.isFile()) return undefined;
      const { size, mtimeMs } = found;
      const known = this.#known.get(id);
      if (known?.mtimeMs === mtimeMs && known.summary.bytes === size) return known.summary;
      const before = known ? undefined : this.#before?.get(id);
      if (before?.bytes === size) {
        this.#known.set(id, { mtimeMs, summary: before });
        return before;
      }
      const file = await open(path, 'r');
      try {
        const summary = await summarizeFile(path, file, id, size, this.#breather);
        this.#known.set(id, { mtimeMs, summary });
        return summary;
      } finally {
        await file.close();
      }
    } catch (error) {
      // One that is gone by now, or that cannot be read, does not keep the others from being listed.
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }
}
