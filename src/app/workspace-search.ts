import { sessionId, type SessionId } from '../core/model/ids.ts';
import { Sequencer } from '../core/pace/sequencer.ts';
import { yieldIfDue } from '../core/pace/yielder.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Clock, SessionListEntry } from './ports.ts';
import {
  indexText,
  resultOf,
  messageKey,
  rankResults,
  searchableEvent,
  searchableMessage,
  searchableNode,
  splitAtFirst,
  type ScoredResult,
  type Searchable,
} from './search-results.ts';

export interface WorkspaceHit extends ScoredResult {
  readonly session: SessionId;
  /** The session's title; may be empty. */
  readonly title: string;
}

export interface WorkspaceSearchDeps {
  readonly clock: Pick<Clock, 'yielder'>;
  readonly list: () => Promise<readonly SessionListEntry[]>;
  /** A session's state, read without changing anything; undefined if it doesn't exist anymore or can't be read. */
  readonly read: (id: SessionId) => Promise<SessionState | undefined>;
}

export interface SearchRequest {
  readonly query: string;
  readonly limit: number;
  /** Redacts secrets in a text from which an excerpt is taken. */
  readonly mask?: (text: string) => string;
  /** Called after each indexed session. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly isCancelled?: () => boolean;
}

/** Length of an excerpt in UTF-16 units. */
const EXCERPT_UNITS = 300;
/** Number of candidates per requested result, because some may no longer be on their session's active branch. */
const CANDIDATE_FACTOR = 3;

/** Ranked search over many sessions in one index without texts. Only changed sessions are read again. */
export class WorkspaceSearch {
  readonly #deps: WorkspaceSearchDeps;
  readonly #index = new TextIndex();
  /** The size and time of each session's journal when it was indexed. */
  readonly #indexed = new Map<SessionId, { readonly bytes: number; readonly updatedAt: number }>();
  readonly #searches = new Sequencer();

  constructor(deps: WorkspaceSearchDeps) {
    this.#deps = deps;
  }

  /** The best results, best first; undefined if canceled. */
  search(request: SearchRequest): Promise<readonly WorkspaceHit[] | undefined> {
    return this.#searches.queue(() => this.#search(request));
  }

  async #search(request: SearchRequest): Promise<readonly WorkspaceHit[] | undefined> {
    const sessions = await this.#deps.list();
    if (!(await this.#updateIndex(sessions, request))) return undefined;
    const listed = new Map(sessions.map((one) => [one.id, one]));
    const found = this.#index.search(request.query, {
      limit: request.limit * CANDIDATE_FACTOR,
      accepts: (id) => listed.has(parseKey(id).session),
    });
    const states = new Map<SessionId, SessionState | undefined>();
    const hits: (ScoredResult & { readonly session: SessionId })[] = [];
    for (const { id, score } of found) {
      if (request.isCancelled?.() === true) return undefined;
      const { session, key } = parseKey(id);
      if (!states.has(session)) states.set(session, await this.#deps.read(session));
      const state = states.get(session);
      const result = state && resultOf(state, key, request.query, EXCERPT_UNITS, request.mask);
      if (result) hits.push({ ...result, score, session });
      await yieldIfDue(this.#deps.clock.yielder);
    }
    return rankResults(hits, request.limit).map((hit) => {
      const { title, archived } = listed.get(hit.session)!;
      return { ...hit, title, tier: archived ? 'archived' : hit.tier };
    });
  }

  /** Indexes new and changed sessions, and removes others. Resolves to false if canceled; what is indexed by then stays. */
  async #updateIndex(
    sessions: readonly SessionListEntry[],
    { onProgress, isCancelled }: SearchRequest,
  ): Promise<boolean> {
    this.#removeOthers(sessions);
    const changed = sessions.filter(({ id, bytes, updatedAt }) => {
      const known = this.#indexed.get(id);
      return known?.bytes !== bytes || known.updatedAt !== updatedAt;
    });
    for (const [done, { id, bytes, updatedAt }] of changed.entries()) {
      if (isCancelled?.() === true) return false;
      const state = await this.#deps.read(id);
      if (state) {
        await this.#addSession(id, state);
        this.#indexed.set(id, { bytes, updatedAt });
      }
      onProgress?.(done + 1, changed.length);
      await yieldIfDue(this.#deps.clock.yielder);
    }
    return isCancelled?.() !== true;
  }

  /** Removes deleted sessions and those that were moved to another workspace. */
  #removeOthers(sessions: readonly SessionListEntry[]): void {
    const listed = new Set(sessions.map(({ id }) => id));
    const others = [...this.#indexed.keys()].filter((id) => !listed.has(id));
    if (others.length === 0) return;
    for (const id of others) this.#indexed.delete(id);
    for (const id of [...this.#index.ids()]) if (!listed.has(parseKey(id).session)) this.#index.remove(id);
  }

  async #addSession(session: SessionId, state: SessionState): Promise<void> {
    for (const id of state.path) {
      // Messages never change.
      if (!this.#index.has(keyOf(session, messageKey(id)))) await this.#add(session, searchableMessage(state, id));
    }
    for (const event of state.events.values()) await this.#add(session, searchableEvent(event));
    for (const node of state.nodes.values()) await this.#add(session, searchableNode(node));
  }

  #add(session: SessionId, searchable: Searchable | undefined): Promise<void> {
    return indexText(this.#index, searchable, this.#deps.clock.yielder, keyOf(session, ''));
  }
}

/** Session IDs are file names, so they contain no newline. */
const keyOf = (session: SessionId, key: string): string => `${session}\n${key}`;

function parseKey(id: string): { readonly session: SessionId; readonly key: string } {
  const [session, key] = splitAtFirst(id, '\n');
  return { session: sessionId(session), key };
}
