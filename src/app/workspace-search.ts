import { sessionId, type SessionId } from '../core/model/ids.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Clock, SessionSummary } from './ports.ts';
import {
  foundAt,
  messageKey,
  rankFound,
  searchableEvent,
  searchableMessage,
  searchableNode,
  type Found,
  type Searchable,
} from './searchable.ts';

/** A place in any session that answers a query. */
export interface WorkspaceHit extends Pick<Found, 'kind' | 'message' | 'position' | 'role' | 'tier' | 'text'> {
  readonly session: SessionId;
  /** The session's title; may be empty. */
  readonly title: string;
}

export interface WorkspaceSearchDeps {
  readonly clock: Pick<Clock, 'yielder'>;
  /** The sessions to search, as they are now. */
  readonly list: () => Promise<readonly SessionSummary[]>;
  /** A session's state, read without changing anything; undefined when it cannot be read. */
  readonly read: (id: SessionId) => Promise<SessionState | undefined>;
}

export interface SearchRun {
  readonly query: string;
  readonly limit: number;
  /** Called after each indexed session. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly isCancelled?: () => boolean;
}

/** UTF-16 units of an excerpt. */
const EXCERPT = 300;
/** More hits than asked for are ranked, since some may have left their branch since they were indexed. */
const SPARE = 3;

/**
 * Ranked search over many sessions in one index. It is built on first use; later only changed sessions are read again.
 * Texts are not kept: those of results are read from their journals.
 */
export class WorkspaceSearch {
  readonly #deps: WorkspaceSearchDeps;
  readonly #index = new TextIndex();
  /** The size and time of each session's journal when it was indexed. */
  readonly #indexed = new Map<SessionId, { readonly bytes: number; readonly updatedAt: number }>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(deps: WorkspaceSearchDeps) {
    this.#deps = deps;
  }

  /** The best results, best first; undefined when the run was cancelled, which keeps what is indexed. */
  search(run: SearchRun): Promise<readonly WorkspaceHit[] | undefined> {
    const found = this.#running.then(() => this.#search(run));
    this.#running = found.catch(() => undefined);
    return found;
  }

  async #search(run: SearchRun): Promise<readonly WorkspaceHit[] | undefined> {
    const sessions = await this.#deps.list();
    if (!(await this.#grow(sessions, run))) return undefined;
    const listed = new Map(sessions.map((one) => [one.id, one]));
    const found = this.#index.search(run.query, {
      limit: run.limit * SPARE,
      accepts: (id) => listed.has(parseKey(id).session),
    });
    const states = new Map<SessionId, SessionState | undefined>();
    const hits: { found: Found; score: number; session: SessionId }[] = [];
    for (const { id, score } of found) {
      if (run.isCancelled?.() === true) return undefined;
      const { session, key } = parseKey(id);
      if (!states.has(session)) states.set(session, await this.#deps.read(session));
      const state = states.get(session);
      const one = state && foundAt(state, key, run.query, EXCERPT);
      if (one) hits.push({ found: one, score, session });
    }
    return rankFound(hits, run.limit).map(({ found: { kind, message, position, role, tier, text }, session }) => {
      const { title, archived } = listed.get(session)!;
      return { session, title, kind, message, position, role, tier: archived ? 'archived' : tier, text };
    });
  }

  /** Indexes new and changed sessions; false when cancelled. */
  async #grow(sessions: readonly SessionSummary[], { onProgress, isCancelled }: SearchRun): Promise<boolean> {
    const changed = sessions.filter(({ id, bytes, updatedAt }) => {
      const known = this.#indexed.get(id);
      return known?.bytes !== bytes || known.updatedAt !== updatedAt;
    });
    for (const [done, { id, bytes, updatedAt }] of changed.entries()) {
      if (isCancelled?.() === true) return false;
      const state = await this.#deps.read(id);
      if (state) await this.#addSession(id, state);
      this.#indexed.set(id, { bytes, updatedAt });
      onProgress?.(done + 1, changed.length);
      await yieldIfDue(this.#deps.clock.yielder);
    }
    return isCancelled?.() !== true;
  }

  async #addSession(session: SessionId, state: SessionState): Promise<void> {
    for (const id of state.path) {
      // Messages never change.
      if (!this.#index.has(keyOf(session, messageKey(id)))) await this.#add(session, searchableMessage(state, id));
    }
    for (const event of state.events.values()) await this.#add(session, searchableEvent(event));
    for (const node of state.nodes.values()) await this.#add(session, searchableNode(node));
  }

  async #add(session: SessionId, searchable: Searchable | undefined): Promise<void> {
    if (!searchable) return;
    const { yielder } = this.#deps.clock;
    await this.#index.addYielding(keyOf(session, searchable.key), searchable.text, searchable.as, yielder);
    await yieldIfDue(yielder);
  }
}

/** Ids of sessions hold no newline: they are names of files. */
const keyOf = (session: SessionId, key: string): string => `${session}\n${key}`;

function parseKey(id: string): { readonly session: SessionId; readonly key: string } {
  const at = id.indexOf('\n');
  return { session: sessionId(id.slice(0, at)), key: id.slice(at + 1) };
}
