import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreFault, type SessionJournal, type SessionStore, type SessionListEntry } from '../app/ports.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import type { Yielder } from '../core/pace/yielder.ts';
import { phrase } from '../core/text/phrase.ts';
import { listEntryOf, loadHead, readJournal, saveCheckpoint } from './checkpoint.ts';
import {
  accessFault,
  withAccessFaults,
  ifExists,
  isDiskFull,
  makeFolder,
  OWNER_ONLY,
  renameFile,
  storeFault,
  withWriteFaults,
  unlessDiskFails,
} from './disk-errors.ts';
import { JournalReader } from './journal-reader.ts';
import { createJournal } from './journal-writer.ts';
import { SessionJournalFile, type HandoverOptions, type WindowOptions } from './session-journal.ts';
import { withoutAddress } from './workspace-key.ts';

const EXTENSION = '.jsonl';
// Characters that are allowed in file names on all systems. Other IDs never become a path.
const FILE_NAME_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;

/** The path of a session's journal; undefined for an ID that can't be a file name. */
export function journalPath(folder: string, id: SessionId): string | undefined {
  return FILE_NAME_ID.test(id) ? join(folder, `${id}${EXTENSION}`) : undefined;
}

/** A session as read from its journal, without a lock or repairs; undefined if there is no such file. */
export async function readStoredSession(
  folder: string,
  id: SessionId,
  yielder: Yielder,
): Promise<Pick<JournalReader, 'state' | 'newer'> | undefined> {
  const path = journalPath(folder, id);
  if (path === undefined) return undefined;
  return withAccessFaults(phrase('this session'), async () => {
    const file = await ifExists(open(path, 'r'));
    return file && readJournal(path, file, id, yielder).finally(() => file.close());
  });
}

/** The system limits the number of open files. */
const CONCURRENT_READS = 32;
/** Minimum size of a journal that gets a checkpoint when it's listed. Shorter ones are read just as fast. */
const CHECKPOINT_FROM_BYTES = 64 * 1024;

export interface StoreOptions extends WindowOptions {
  /** The folder of the journals, created with the first session. */
  readonly folder: string;
  /** How this window responds when another one wants to write. By default, the window is always in use. */
  readonly handover?: (id: SessionId) => HandoverOptions;
  /** The list of an earlier run. An entry is used if its journal has the same size, because journals only grow. */
  readonly previousList?: () => readonly SessionListEntry[];
}

const ALWAYS_PRESENT: HandoverOptions = {
  isPresent: () => Promise.resolve(true),
  beforeHandover: () => Promise.resolve(),
};

interface OpenJournal {
  readonly journal: Promise<SessionJournalFile>;
  openers: number;
  loaded?: SessionJournalFile;
}

/** Sessions as journals in a folder, which is shared by several windows. Creating it reads and writes nothing. */
export class FileSessionStore implements SessionStore {
  readonly #options: StoreOptions;
  readonly #open = new Map<SessionId, OpenJournal>();
  /** Journals that are being closed. Until then, they hold the lock. */
  readonly #closing = new Map<SessionId, Promise<unknown>>();
  /** Cached list entries. A journal is only read again if it has changed. */
  readonly #listed = new Map<SessionId, { readonly mtimeMs: number; readonly entry: SessionListEntry }>();
  #previousList: ReadonlyMap<SessionId, SessionListEntry> | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  /** Newest first. Empty if the folder doesn't exist yet. */
  async list(): Promise<readonly SessionListEntry[]> {
    const { previousList = () => [] } = this.#options;
    this.#previousList ??= new Map(previousList().map((entry) => [entry.id, entry]));
    return withAccessFaults(phrase('the session list'), async () => {
      const names = ((await ifExists(readdir(this.#options.folder))) ?? []).filter((name) => name.endsWith(EXTENSION));
      const ids = names.map((name) => sessionId(name.slice(0, -EXTENSION.length)));
      const found: SessionListEntry[] = [];
      for (let from = 0; from < ids.length; from += CONCURRENT_READS) {
        const batch = ids.slice(from, from + CONCURRENT_READS);
        // A session that was deleted or can't be read doesn't prevent listing the others.
        const entries = await Promise.all(batch.map((id) => unlessDiskFails(() => this.#listEntry(id))));
        for (const entry of entries) if (entry) found.push({ ...entry, workspace: withoutAddress(entry.workspace) });
      }
      return found.sort((a, b) => b.updatedAt - a.updatedAt);
    });
  }

  async create(title: string, workspace: string): Promise<SessionJournal> {
    const id = sessionId(this.#options.clock.id());
    const path = join(this.#options.folder, `${id}${EXTENSION}`);
    return this.#start(id, path, [{ type: 'session_created', id, title, workspace }]);
  }

  async open(id: SessionId, fallback?: readonly SessionEvent[]): Promise<SessionJournal> {
    const path = journalPath(this.#options.folder, id);
    if (!path)
      throw new StoreFault('missing', phrase('Can’t find this session. Select another session from the list.'));
    try {
      const journal = await this.#openShared(id, path);
      if (journal.readable)
        await this.#restoreOrigin(journal).catch(async (error: unknown) => {
          await journal.close();
          throw error;
        });
      if (journal.readable || !fallback) return journal;
      await journal.close();
      await renameFile(path, `${path}.unreadable-${this.#options.clock.now()}`);
    } catch (error) {
      if (!fallback || !StoreFault.is(error, 'missing')) throw accessFault(error, phrase('this session'));
    }
    const journal = await this.#restore(id, path, fallback);
    journal.notice = phrase(
      'The session file was missing or unreadable. The session was restored from its last snapshot, which contains the summaries, key events, and recent messages that fit.',
    );
    return journal;
  }

  async close(): Promise<void> {
    const open = [...this.#open.values()];
    this.#open.clear();
    const closing = open.map(async ({ journal }) => (await journal).closeForAll());
    await Promise.allSettled(closing);
    await Promise.all(closing);
  }

  /** Writes all events or none, because a journal with only some of them would never get the others. */
  async #restore(id: SessionId, path: string, events: readonly SessionEvent[]): Promise<SessionJournalFile> {
    const { folder, writer, clock } = this.#options;
    try {
      await makeFolder(folder, 0o700);
      await createJournal(path, events, writer, clock);
      await flushFolder(folder);
    } catch (error) {
      // On a full disk, a journal keeps its events in memory.
      if (isDiskFull(error)) return this.#start(id, path, events);
      throw storeFault(error, phrase('the new session'));
    }
    return this.#openShared(id, path);
  }

  #start(id: SessionId, path: string, events: readonly SessionEvent[]): Promise<SessionJournalFile> {
    return withWriteFaults(phrase('the new session'), async () => {
      await makeFolder(this.#options.folder, 0o700);
      await (await open(path, 'wx', OWNER_ONLY)).close();
      await flushFolder(this.#options.folder);
      const journal = await this.#openShared(id, path);
      await journal.append(...events);
      return journal;
    });
  }

  async #openShared(id: SessionId, path: string): Promise<SessionJournalFile> {
    const shared = this.#open.get(id);
    if (shared) {
      shared.openers++;
      return shared.journal;
    }
    const isLast = (): boolean => {
      const opened = this.#open.get(id);
      if (!opened || --opened.openers > 0) return !opened;
      const closed = opened.journal
        .then((closing) => closing.closeForAll())
        .catch(() => undefined)
        .finally(() => this.#closing.delete(id));
      this.#closing.set(id, closed);
      return this.#open.delete(id);
    };
    const handover = this.#options.handover?.(id) ?? ALWAYS_PRESENT;
    const journal = Promise.resolve(this.#closing.get(id)).then(() =>
      SessionJournalFile.open({ ...this.#options, path, id, isLast, handover }),
    );
    const opened: OpenJournal = { journal, openers: 1 };
    this.#open.set(id, opened);
    try {
      return (opened.loaded = await journal);
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  /**
   * Stores the workspace and title again, as they were in the list, if the line that had them is damaged. Otherwise, the
   * session would be missing from its workspace's list.
   */
  async #restoreOrigin(journal: SessionJournalFile): Promise<void> {
    const { id, readOnly, state } = journal;
    if (state.workspace !== '' || readOnly) return;
    const entries = [this.#listed.get(id)?.entry, this.#previousList?.get(id)];
    const known = entries.find((entry) => entry !== undefined && entry.workspace !== '');
    if (!known) return;
    const title = { type: 'session_renamed', title: known.title } as const;
    const moved = { type: 'session_moved', workspace: known.workspace } as const;
    await journal.append(moved, ...(state.title === '' ? [title] : []));
  }

  async #listEntry(id: SessionId): Promise<SessionListEntry | undefined> {
    const path = journalPath(this.#options.folder, id);
    if (!path) return undefined;
    const stats = await stat(path);
    // Opening a named pipe would block forever.
    if (!stats.isFile()) return undefined;
    const { size, mtimeMs } = stats;
    const loaded = this.#open.get(id)?.loaded;
    if (loaded?.offset === size && loaded.readOnly?.reason !== 'newer')
      return { ...listEntryOf(id, loaded.state), bytes: size };
    const known = this.#listed.get(id);
    if (known?.mtimeMs === mtimeMs && known.entry.bytes === size) return known.entry;
    const earlier = known ? undefined : this.#previousList?.get(id);
    const entry = earlier?.bytes === size ? earlier : await this.#readListEntry(path, id, size);
    this.#listed.set(id, { mtimeMs, entry });
    return entry;
  }

  /** Uses the journal's checkpoint and the lines after it, or the whole journal. */
  async #readListEntry(path: string, id: SessionId, bytes: number): Promise<SessionListEntry> {
    const file = await open(path, 'r');
    try {
      const reader = new JournalReader(path, file, this.#options.clock.yielder);
      const { state } = reader;
      const head = await loadHead(path, file, id);
      if (head) {
        const { offset, messages, title, workspace, createdAt, updatedAt, archived, pinned, deleted } = head;
        Object.assign(state, { title, workspace, createdAt, updatedAt, archived, pinned, deleted });
        state.counters.messagesEver = messages;
        reader.offset = offset;
      }
      await reader.readNewLines();
      if (!head && bytes >= CHECKPOINT_FROM_BYTES && reader.damage.length === 0) await saveCheckpoint(path, id, reader);
      return { ...listEntryOf(id, state), bytes, ...(reader.newer && { isNewer: true }) };
    } finally {
      await file.close();
    }
  }
}

// Makes the new file's name survive a power failure. Windows can't open folders and doesn't need this.
async function flushFolder(folder: string): Promise<void> {
  await unlessDiskFails(async () => {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  });
}
