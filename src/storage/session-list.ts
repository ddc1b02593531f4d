import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SessionSummary } from '../app/ports.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { errorCode } from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';

const EXTENSION = '.jsonl';
// What may stand in a file name on every system; ids that do not fit never become a path.
const FILE_NAME_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The path of a session's journal; undefined for an id that cannot be a file's name. */
export function journalPath(folder: string, id: SessionId): string | undefined {
  return FILE_NAME_ID.test(id) ? join(folder, `${id}${EXTENSION}`) : undefined;
}

/** What the list shows of a session. `bytes` is the size of its journal. */
export function summarize(id: SessionId, state: SessionState, bytes: number): SessionSummary {
  const { title, workspace, createdAt, updatedAt, archived, deleted, counters } = state;
  return { id, title, workspace, createdAt, updatedAt, messages: counters.messagesEver, archived, deleted, bytes };
}

/** Lists a folder's sessions from their journals, and reads again only those that have changed since the last call. */
export class SessionList {
  readonly #folder: string;
  readonly #known = new Map<SessionId, { readonly mtimeMs: number; readonly summary: SessionSummary }>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Newest first. A folder that is not there yet has no sessions. */
  async read(): Promise<readonly SessionSummary[]> {
    const found: SessionSummary[] = [];
    for (const name of await this.#names()) {
      const summary = await this.#summary(sessionId(name.slice(0, -EXTENSION.length)));
      if (summary) found.push(summary);
    }
    return found.sort((a, b) => b.updatedAt - a.updatedAt);
  }

  async #names(): Promise<string[]> {
    try {
      return (await readdir(this.#folder)).filter((name) => name.endsWith(EXTENSION));
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return [];
      throw error;
    }
  }

  async #summary(id: SessionId): Promise<SessionSummary | undefined> {
    const path = journalPath(this.#folder, id);
    if (!path) return undefined;
    try {
      const { size, mtimeMs } = await stat(path);
      const known = this.#known.get(id);
      if (known?.mtimeMs === mtimeMs && known.summary.bytes === size) return known.summary;
      const file = await open(path, 'r');
      try {
        const reader = new JournalReader(file);
        await reader.readOn();
        const summary = summarize(id, reader.state, size);
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
