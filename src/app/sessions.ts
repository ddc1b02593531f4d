import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionId } from '../core/model/ids.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import type { Conversation } from './conversation.ts';
import { Emitter, type Disposable } from './emitter.ts';
import type { Log, SessionJournal, SessionStore, SessionListEntry } from './ports.ts';

export interface SessionsDeps {
  readonly store: SessionStore;
  readonly log: Log;
  readonly workspace: string;
  readonly openConversation: (journal: SessionJournal) => Promise<Conversation>;
  readonly snapshots: SessionSnapshots;
  readonly lastShown: LastShown;
}

/** The session of the workspace that was shown last. It's shown again after a reload. */
export interface LastShown {
  get(): string | undefined;
  set(session: SessionId): void;
}

/** Snapshots in VS Code's global state, for sessions whose journal is missing. */
export interface SessionSnapshots {
  /** Sessions of this workspace that have a snapshot. */
  entries(): readonly SessionListEntry[];
  /** The events that restore a session from its snapshot. */
  events(id: SessionId): readonly SessionEvent[] | undefined;
}

/** The sessions of one workspace, one of them current. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #changed: Emitter<'current' | 'list'>;
  #current: Conversation | undefined;
  /** Runs one session switch at a time. Concurrent ones could leak an open journal. */
  readonly #switches = new Sequencer();

  constructor(deps: SessionsDeps) {
    this.#deps = deps;
    this.#changed = new Emitter((error) => deps.log.warn(`Session list listener failed: ${String(error)}`));
  }

  get current(): Conversation | undefined {
    return this.#current;
  }

  onDidChange(listener: (what: 'current' | 'list') => void): Disposable {
    return this.#changed.on(listener);
  }

  /** Newest first, without deleted sessions. */
  async list(): Promise<readonly SessionListEntry[]> {
    const stored = await this.#deps.store.list();
    // An empty or unreadable journal has no workspace. It's restored from its snapshot when it's opened.
    const known = new Set(stored.flatMap((one) => (one.workspace === '' && one.isNewer !== true ? [] : one.id)));
    return [...stored, ...this.#deps.snapshots.entries().filter((one) => !known.has(one.id))]
      .filter((one) => one.workspace === this.#deps.workspace && !one.deleted)
      .sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** The current session, or else the one shown last, or else the newest of the workspace, or else a new one. */
  currentOrLatest(): Promise<Conversation> {
    return this.#switches.queue(
      async () => (await this.#currentOrLatest()) ?? this.#makeCurrent(await this.#newJournal('')),
    );
  }

  /** Like `currentOrLatest`, but never creates a session. */
  currentOrLatestIfAny(): Promise<Conversation | undefined> {
    return this.#switches.queue(() => this.#currentOrLatest());
  }

  create(title = ''): Promise<Conversation> {
    return this.#switches.queue(async () => this.#makeCurrent(await this.#newJournal(title)));
  }

  /** An empty session: an existing one that is writable, or else a new one. */
  openEmpty(): Promise<Conversation> {
    return this.#switches.queue(async () => {
      if (this.#current && isEmpty(this.#current)) return this.#current;
      const empty = (await this.list()).find((one) => one.messages === 0 && one.title === '' && !one.archived);
      const journal = empty && (await this.#openJournal(empty.id));
      if (journal && !journal.readOnly && journal.state.task === undefined) return this.#makeCurrent(journal);
      // The session has a task, or another window writes to it.
      await journal?.close();
      return this.#makeCurrent(await this.#newJournal(''));
    });
  }

  open(id: SessionId): Promise<Conversation> {
    return this.#switches.queue(async () => {
      if (this.#current?.journal.id === id) return this.#current;
      return this.#makeCurrent(await this.#openJournal(id));
    });
  }

  /** Makes a journal's session current, even if the store doesn't have it, such as a chat from another tool. */
  show(journal: SessionJournal): Promise<Conversation> {
    return this.#switches.queue(() => this.#makeCurrent(journal));
  }

  /** Closes the current session without opening another. With `session`, does so only if that session is current. */
  close(session?: Conversation): Promise<void> {
    return this.#switches.queue(async () => {
      const open = this.#current;
      if (session !== undefined && session !== open) return;
      this.#current = undefined;
      try {
        await open?.close();
      } finally {
        // Afterwards, because a page still shows the session. It opens another one, which must wait until this is done.
        this.#changed.emit('current');
      }
    });
  }

  listChanged(): void {
    this.#changed.emit('list');
  }

  async #currentOrLatest(): Promise<Conversation | undefined> {
    if (this.#current) return this.#current;
    const sessions = await this.list();
    const shown = this.#deps.lastShown.get();
    const latest = sessions.find(({ id }) => id === shown) ?? sessions.find((one) => !one.archived);
    return latest && this.#makeCurrent(await this.#openJournal(latest.id));
  }

  #openJournal(id: SessionId): Promise<SessionJournal> {
    return this.#deps.store.open(id, this.#deps.snapshots.events(id));
  }

  #newJournal(title: string): Promise<SessionJournal> {
    return this.#deps.store.create(title, this.#deps.workspace);
  }

  async #makeCurrent(journal: SessionJournal): Promise<Conversation> {
    const before = this.#current;
    const conversation = await this.#deps.openConversation(journal).catch(async (error: unknown) => {
      // Otherwise, the session would stay locked for other windows.
      await journal.close();
      throw error;
    });
    this.#current = conversation;
    this.#deps.lastShown.set(journal.id);
    this.#changed.emit('current');
    if (before !== conversation) await before?.close();
    return conversation;
  }
}

function isEmpty({ state, journal }: Conversation): boolean {
  const { title, counters, task } = state;
  return journal.readOnly === undefined && title === '' && counters.messagesEver === 0 && task === undefined;
}
