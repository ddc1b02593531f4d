import { mkdir, open, readdir, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFault, type Clock, type SessionJournal, type SessionStore, type SessionSummary } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import { phrase } from '../core/text/phrase.ts';
import { loadHead, saveCheckpoint } from './checkpoint.ts';
import { accessFault, errorCode, ifThere, OWNER_ONLY, storeFault } from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';
import { openForAppend, type OpenForAppend } from './journal-writer.ts';
import { SessionJournalFile, type Handing } from './session-journal.ts';

const EXTENSION = '.jsonl';
// What may stand in a file name on every system; ids that do not fit never become a path.
const FILE_NAME_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The path of a session's journal; undefined for an id that cannot be a file's name. */
export function journalPath(folder: string, id: SessionId): string | undefined {
  return FILE_NAME_ID.test(id) ? join(folder, `${id}${EXTENSION}`) : undefined;
}

/** How many files are looked at together: enough to keep the disk busy, few enough to leave it to others. */
const AT_ONCE = 32;
/** Shorter journals are read as fast as their checkpoints. */
const CHECKPOINT_FROM_BYTES = 64 * 1024;

export interface StoreOptions {
  /** The folder of the journals; made when the first session is. */
  readonly folder: string;
  readonly clock: Clock;
  /** Names this window; two windows must not share a name. */
  readonly writer: string;
  /** What this window says when another one asks to write; without it somebody is always there. */
  readonly handing?: (id: SessionId) => Handing;
  /** What an earlier run has listed. A journal only grows, so one of the same size is the same. */
  readonly remembered?: () => readonly SessionSummary[];
  /** How bytes go to disk; for tests that let the disk fail. */
  readonly openForAppend?: OpenForAppend;
}

/** Opens the store of sessions in a folder. Nothing is read or written yet. */
export const openSessionStore = (options: StoreOptions): FileSessionStore => new FileSessionStore(options);

const ALWAYS_THERE: Handing = {
  isPresent: () => Promise.resolve(true),
  beforeLettingGo: () => Promise.resolve(),
};

/** Sessions as journals in a folder, shared by the windows that have it open. */
export class FileSessionStore implements SessionStore {
  readonly #options: StoreOptions;
  readonly #open = new Map<SessionId, { readonly journal: Promise<SessionJournalFile>; openers: number }>();
  /** What was listed: a journal is read again only when it has changed since. */
  readonly #listed = new Map<SessionId, { readonly mtimeMs: number; readonly summary: SessionSummary }>();

  #before: ReadonlyMap<SessionId, SessionSummary> | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** Newest first. A folder that is not there yet has no sessions. */
  async list(): Promise<readonly SessionSummary[]> {
    const { remembered = () => [] } = this.#options;
    this.#before ??= new Map(remembered().map((summary) => [summary.id, summary]));
    try {
      const names = ((await ifThere(readdir(this.#options.folder))) ?? []).filter((name) => name.endsWith(EXTENSION));
      const ids = names.map((name) => sessionId(name.slice(0, -EXTENSION.length)));
      const found: SessionSummary[] = [];
      for (let from = 0; from < ids.length; from += AT_ONCE) {
        const some = await Promise.all(ids.slice(from, from + AT_ONCE).map((id) => this.#summary(id)));
        for (const summary of some) if (summary) found.push(summary);
      }
      return found.sort((a, b) => b.updatedAt - a.updatedAt);
    } catch (error) {
      throw accessFault(error, phrase('the session list'));
    }
  }

  async create(title: string, workspace: string): Promise<SessionJournal> {
    const id = sessionId(this.#options.clock.id());
    return this.#start(id, [{ type: 'session_created', id, title, workspace }]);
  }

  async open(id: SessionId, fallback?: readonly SessionEvent[]): Promise<SessionJournal> {
    const path = journalPath(this.#options.folder, id);
    if (!path)
      throw new StoreFault('missing', phrase('Can’t find this session. Select another session from the list.'));
    try {
      const journal = await this.#share(id, path);
      if (journal.readable || !fallback) return journal;
      await journal.close();
      await rename(path, `${path}.unreadable-${this.#options.clock.now()}`);
    } catch (error) {
      if (!fallback || !StoreFault.is(error, 'missing')) throw accessFault(error, phrase('this session'));
    }
    const journal = await this.#start(id, fallback);
    journal.say(
      phrase(
        'The session file was missing or unreadable. The session was restored from its last snapshot, which contains the summaries, key events, and recent messages that fit.',
      ),
    );
    return journal;
  }

  /** Closes every journal that is still open. */
  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    for (const { journal } of open) await (await journal).shut();
  }

  async #start(id: SessionId, events: readonly SessionEvent[]): Promise<SessionJournalFile> {
    const path = journalPath(this.#options.folder, id);
    if (!path) throw new StoreFault('other', phrase('Invalid session ID. Start a new session.'));
    try {
      await mkdir(this.#options.folder, { recursive: true, mode: 0o700 });
      await (await open(path, 'wx', OWNER_ONLY)).close();
      await flushFolder(this.#options.folder);
      const journal = await this.#share(id, path);
      await journal.append(...events);
      return journal;
    } catch (error) {
      throw storeFault(error, phrase('the new session'));
    }
  }

  async #share(id: SessionId, path: string): Promise<SessionJournalFile> {
    const shared = this.#open.get(id);
    if (shared) {
      shared.openers++;
      return shared.journal;
    }
    const { clock, writer, handing = () => ALWAYS_THERE, openForAppend: append = openForAppend } = this.#options;
    const isLast = (): boolean => {
      const opened = this.#open.get(id);
      if (!opened || --opened.openers > 0) return !opened;
      return this.#open.delete(id);
    };
    const window = { window: writer, handing: handing(id) };
    const journal = SessionJournalFile.open({ path, id, clock, ...window, openForAppend: append, isLast });
    this.#open.set(id, { journal, openers: 1 });
    try {
      return await journal;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  async #summary(id: SessionId): Promise<SessionSummary | undefined> {
    const path = journalPath(this.#options.folder, id);
    if (!path) return undefined;
    try {
      const found = await stat(path);
      // A pipe by this name would never end.
      if (!found.isFile()) return undefined;
      const { size, mtimeMs } = found;
      const known = this.#listed.get(id);
      if (known?.mtimeMs === mtimeMs && known.summary.bytes === size) return known.summary;
      const before = known ? undefined : this.#before?.get(id);
      const summary = before?.bytes === size ? before : await this.#summarize(path, id, size);
      this.#listed.set(id, { mtimeMs, summary });
      return summary;
    } catch (error) {
      // One that is gone by now, or that cannot be read, does not keep the others from being listed.
      if (errorCode(error) === undefined) throw error;
      return undefined;
    }
  }

  /** From the journal's checkpoint and what was written since, or from the whole journal where there is none. */
  async #summarize(path: string, id: SessionId, bytes: number): Promise<SessionSummary> {
    const file = await open(path, 'r');
    try {
      const reader = new JournalReader(path, file, this.#options.clock.breather);
      const { state } = reader;
      const head = await loadHead(path, file, id);
      if (head) {
        const { offset, messages, title, workspace, createdAt, updatedAt, archived, pinned, deleted } = head;
        Object.assign(state, { title, workspace, createdAt, updatedAt, archived, pinned, deleted });
        state.counters.messagesEver = messages;
        reader.offset = offset;
      }
      await reader.readOn();
      if (!head && bytes >= CHECKPOINT_FROM_BYTES && reader.damage.length === 0) await saveCheckpoint(path, id, reader);
      const { title, workspace, createdAt, updatedAt, archived, pinned, deleted, counters } = state;
      const messages = counters.messagesEver;
      return { id, title, workspace, createdAt, updatedAt, messages, archived, pinned, deleted, bytes };
    } finally {
      await file.close();
    }
  }
}

// So that the new file's name survives a power failure. Windows cannot open folders, and needs no such step.
async function flushFolder(folder: string): Promise<void> {
  try {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  }
}
