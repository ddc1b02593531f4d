import { watch, type FSWatcher } from 'node:fs';
import { mkdir, open, rename, type FileHandle } from 'node:fs/promises';
import { StoreFault, type Clock, type SessionJournal, type SessionStore, type SessionSummary } from '../app/ports.ts';
import { phrase } from '../core/text/phrase.ts';
import type { SessionEvent } from '../core/journal/schema.ts';
import { sessionId, type SessionId } from '../core/model/ids.ts';
import { openForAppend, type OpenForAppend } from './journal-writer.ts';
import { accessFault, errorCode, OWNER_ONLY, storeFault } from './disk-errors.ts';
import type { Handing } from './handover.ts';
import { SessionJournalFile } from './session-journal.ts';
import { journalPath, SessionList } from './session-list.ts';

export interface StoreOptions {
  /** The folder of the journals; made when the first session is. */
  readonly folder: string;
  readonly clock: Clock;
  /** Names this window; two windows must not share a name. */
  readonly writer: string;
  /** What an earlier run has listed, to spare reading every session again; asked for once. */
  readonly remembered?: () => readonly SessionSummary[];
  /** What this window says when another one asks to write; without it somebody is always there. */
  readonly handing?: (id: SessionId) => Handing;
  /** How bytes go to disk; for tests that let the disk fail. */
  readonly openForAppend?: OpenForAppend;
}

/** Opens the store of sessions in a folder. Nothing is read or written yet. */
export function openSessionStore(options: StoreOptions): FileSessionStore {
  return new FileSessionStore(options);
}

const ALWAYS_THERE: Handing = {
  isPresent: () => Promise.resolve(true),
  beforeLettingGo: () => Promise.resolve(),
};

interface Shared {
  readonly journal: Promise<SessionJournalFile>;
  openers: number;
}

/** Sessions as journals in a folder, shared by the windows that have it open. */
export class FileSessionStore implements SessionStore {
  readonly #options: StoreOptions;
  readonly #list: SessionList;
  readonly #open = new Map<SessionId, Shared>();
  #watcher: FSWatcher | undefined;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#list = new SessionList(options.folder, options.clock.breather, options.remembered);
  }

  async list(): Promise<readonly SessionSummary[]> {
    try {
      return await this.#list.read();
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
      const journal = await this.#share(id, () => this.#openFile(id, path));
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
    this.#watcher?.close();
    this.#watcher = undefined;
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
      const journal = await this.#share(id, () => this.#openFile(id, path));
      await journal.append(...events);
      return journal;
    } catch (error) {
      throw storeFault(error, phrase('the new session'));
    }
  }

  async #share(id: SessionId, openFile: () => Promise<SessionJournalFile>): Promise<SessionJournalFile> {
    const shared = this.#open.get(id);
    if (shared) {
      shared.openers++;
      return shared.journal;
    }
    this.#watch();
    const journal = openFile();
    this.#open.set(id, { journal, openers: 1 });
    try {
      return await journal;
    } catch (error) {
      this.#open.delete(id);
      throw error;
    }
  }

  #openFile(id: SessionId, path: string): Promise<SessionJournalFile> {
    const { clock, writer, handing = () => ALWAYS_THERE, openForAppend: append = openForAppend } = this.#options;
    const isLast = (): boolean => {
      const shared = this.#open.get(id);
      if (!shared || --shared.openers > 0) return !shared;
      this.#open.delete(id);
      return true;
    };
    const window = { window: writer, handing: handing(id) };
    return SessionJournalFile.open({ path, id, clock, ...window, openForAppend: append, isLast });
  }

  // A window that follows also looks by itself, so a system without change events costs a moment, nothing else.
  #watch(): void {
    if (this.#watcher) return;
    try {
      this.#watcher = watch(this.#options.folder, { persistent: false }, (_, name) => this.#changed(name));
      this.#watcher.on('error', () => this.#watcher?.close());
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
    }
  }

  #changed(name: string | null): void {
    for (const [id, { journal }] of this.#open) {
      const isFile = name === `${id}.jsonl`;
      if (name !== null && !isFile && name !== `${id}.lock` && name !== `${id}.request`) continue;
      void journal.then(
        (opened) => {
          // What the writer itself has written is no news to it.
          if (!isFile || opened.readOnly !== undefined) opened.nudge();
        },
        () => undefined,
      );
    }
  }
}

// So that the new file's name survives a power failure. Windows cannot open folders, and needs no such step.
async function flushFolder(folder: string): Promise<void> {
  let handle: FileHandle;
  try {
    handle = await open(folder, 'r');
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return;
  }
  try {
    await handle.sync();
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
  } finally {
    await handle.close();
  }
}
