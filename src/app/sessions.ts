import type { SessionEvent } from '../core/journal/schema.ts';
import type { SessionId } from '../core/model/ids.ts';
import type { Conversation } from './conversation.ts';
import { Emitter, type Disposable } from './emitter.ts';
import type { Log, SessionJournal, SessionStore, SessionSummary } from './ports.ts';

export interface SessionsDeps {
  readonly store: SessionStore;
  readonly log: Log;
  /** Identity of the workspace whose sessions these are. */
  readonly workspace: string;
  readonly openConversation: (journal: SessionJournal) => Promise<Conversation>;
  readonly snapshots: SessionSnapshots;
}

/** What the editor's own state still knows of sessions whose journal is gone. */
export interface SessionSnapshots {
  /** Sessions of this workspace that can be started anew from a snapshot. */
  entries(): readonly SessionSummary[];
  /** The events that give a session back as far as its snapshot goes. */
  events(id: SessionId): readonly SessionEvent[] | undefined;
}

/** The sessions of one workspace, one of them current. */
export class Sessions {
  readonly #deps: SessionsDeps;
  readonly #changed: Emitter<'current' | 'list'>;
  #current: Conversation | undefined;
  #opening: Promise<unknown> = Promise.resolve();

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

  /** Newest first; deleted ones left out. */
  async list(): Promise<readonly SessionSummary[]> {
    const stored = await this.#deps.store.list();
    const known = new Set(stored.map((one) => one.id));
    return [...stored, ...this.#deps.snapshots.entries().filter((one) => !known.has(one.id))]
      .filter((one) => one.workspace === this.#deps.workspace && !one.deleted)
      .sort((a, b) => b.updatedAt - a.updatedAt);
  }

  /** The current session; else the newest of the workspace; else a new one. */
  currentOrLatest(): Promise<Conversation> {
    return this.#inTurn(async () => {
      if (this.#current) return this.#current;
      const latest = (await this.list()).find((one) => !one.archived);
      return this.#use(latest ? await this.#openJournal(latest.id) : await this.#newJournal(''));
    });
  }

  /** The newest session of the workspace, opened if there is one; nothing is made. */
  latestIfAny(): Promise<Conversation | undefined> {
    return this.#inTurn(async () => {
      if (this.#current) return this.#current;
      const latest = (await this.list()).find((one) => !one.archived);
      return latest && this.#use(await this.#openJournal(latest.id));
    });
  }

  create(title = ''): Promise<Conversation> {
    return this.#inTurn(async () => this.#use(await this.#newJournal(title)));
  }

  /** A session in which nothing has been said: one that is there and can be written, or else a new one. */
  startAfresh(): Promise<Conversation> {
    return this.#inTurn(async () => {
      if (this.#current && isBlank(this.#current)) return this.#current;
      const blank = (await this.list()).find((one) => one.messages === 0 && one.title === '' && !one.archived);
      const journal = blank && (await this.#openJournal(blank.id));
      if (journal?.readOnly === undefined && journal !== undefined) return this.#use(journal);
      // Another window is writing there.
      await journal?.close();
      return this.#use(await this.#newJournal(''));
    });
  }

  open(id: SessionId): Promise<Conversation> {
    return this.#inTurn(async () => {
      if (this.#current?.journal.id === id) return this.#current;
      return this.#use(await this.#openJournal(id));
    });
  }

  /** Makes a session current that is not of this store, such as a chat of another tool. */
  show(journal: SessionJournal): Promise<Conversation> {
    return this.#inTurn(() => this.#use(journal));
  }

  /** Leaves the current session without opening another. */
  leave(): Promise<void> {
    return this.#inTurn(async () => {
      const open = this.#current;
      this.#current = undefined;
      await open?.close();
    });
  }

  /** Says that titles, counts or states in the list may have changed. */
  listChanged(): void {
    this.#changed.emit('list');
  }

  async close(): Promise<void> {
    await this.#opening.catch(() => undefined);
    const open = this.#current;
    this.#current = undefined;
    await open?.close();
  }

  #openJournal(id: SessionId): Promise<SessionJournal> {
    return this.#deps.store.open(id, this.#deps.snapshots.events(id));
  }

  #newJournal(title: string): Promise<SessionJournal> {
    return this.#deps.store.create(title, this.#deps.workspace);
  }

  async #use(journal: SessionJournal): Promise<Conversation> {
    const before = this.#current;
    const conversation = await this.#deps.openConversation(journal);
    this.#current = conversation;
    this.#changed.emit('current');
    await before?.close();
    return conversation;
  }

  /** One change of session at a time: two at once could leave a journal open that nobody closes. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#opening.catch(() => undefined).then(work);
    this.#opening = result;
    return result;
  }
}

function isBlank({ state, journal }: Conversation): boolean {
  const { title, counters, task } = state;
  return journal.readOnly === undefined && title === '' && counters.messagesEver === 0 && task === undefined;
}
