import { messageId, sessionId, type MessageId, type SessionId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import { breathe } from '../core/pace/breather.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { Clock, SessionSummary } from './ports.ts';

/** How a message stands now: sent word for word, behind a summary, or in a session that was put away. */
export type Tier = 'sent' | 'summarized' | 'archived';

/** A place in any session that answers a query. */
export interface WorkspaceHit {
  readonly session: SessionId;
  /** The session's title; may be empty. */
  readonly title: string;
  readonly message: MessageId;
  /** 0-based, on the session's active branch. */
  readonly position: number;
  readonly role: string;
  readonly tier: Tier;
  readonly text: string;
}

export interface WorkspaceSearchDeps {
  readonly clock: Pick<Clock, 'breather'>;
  /** The sessions to search, as they are now. */
  readonly list: () => Promise<readonly SessionSummary[]>;
  /** A session's state, read without changing anything; undefined when it cannot be read. */
  readonly read: (id: SessionId) => Promise<SessionState | undefined>;
}

export interface SearchRun {
  readonly query: string;
  readonly limit: number;
  /** Called after each session that was taken into the index. */
  readonly onProgress?: (done: number, total: number) => void;
  readonly isCancelled?: () => boolean;
}

/** UTF-16 units of an excerpt. */
const EXCERPT = 300;
/** What a tool printed answers fewer questions than what people said. */
const TOOL_WEIGHT = 0.6;
/** More hits than asked for are ranked, since some may have left their branch since they were indexed. */
const SPARE = 3;

/**
 * The ranked search over the messages of many sessions, in one index. It is built at its first use, and later only
 * sessions that have changed are read again. Texts are not kept: those of hits are read from their journals.
 */
export class WorkspaceSearch {
  readonly #deps: WorkspaceSearchDeps;
  readonly #index = new TextIndex();
  /** What each session's journal was like when it was indexed. */
  readonly #indexed = new Map<SessionId, { readonly bytes: number; readonly updatedAt: number }>();
  #running: Promise<unknown> = Promise.resolve();

  constructor(deps: WorkspaceSearchDeps) {
    this.#deps = deps;
  }

  /** The best places, best first; undefined when the run was cancelled. What was indexed until then stays. */
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
    const hits: WorkspaceHit[] = [];
    for (const { id } of found) {
      if (hits.length === run.limit) break;
      if (run.isCancelled?.() === true) return undefined;
      const { session, message } = parseKey(id);
      if (!states.has(session)) states.set(session, await this.#deps.read(session));
      const hit = hitOf(states.get(session), listed.get(session)!, message, run.query);
      if (hit) hits.push(hit);
    }
    return hits;
  }

  /** Takes in what is new or has changed; false when cancelled. */
  async #grow(sessions: readonly SessionSummary[], { onProgress, isCancelled }: SearchRun): Promise<boolean> {
    const changed = sessions.filter(({ id, bytes, updatedAt }) => {
      const known = this.#indexed.get(id);
      return known?.bytes !== bytes || known.updatedAt !== updatedAt;
    });
    for (const [done, { id, bytes, updatedAt }] of changed.entries()) {
      if (isCancelled?.() === true) return false;
      const state = await this.#deps.read(id);
      if (state) await this.#take(id, state);
      this.#indexed.set(id, { bytes, updatedAt });
      onProgress?.(done + 1, changed.length);
      await breathe(this.#deps.clock.breather);
    }
    return isCancelled?.() !== true;
  }

  async #take(session: SessionId, state: SessionState): Promise<void> {
    const { breather } = this.#deps.clock;
    for (const id of state.path) {
      const message = state.messages.get(id);
      const key = keyOf(session, id);
      // A message never changes, so one that is known stays as it is.
      if (!message || this.#index.has(key)) continue;
      const as = { kind: 'message', weight: message.role === 'tool' ? TOOL_WEIGHT : 1 };
      await this.#index.addResting(key, messageText(message), as, breather);
      await breathe(breather);
    }
  }
}

function hitOf(
  state: SessionState | undefined,
  { id: session, title, archived }: SessionSummary,
  message: MessageId,
  query: string,
): WorkspaceHit | undefined {
  const found = state?.messages.get(message);
  const position = state?.positionOf(message);
  if (!state || !found || position === undefined) return undefined;
  const covered = state.frontier.some((item) => item.from <= position && position <= item.to);
  const tier = archived ? 'archived' : covered ? 'summarized' : 'sent';
  const whole = messageText(found);
  const { start, end } = bestExcerpt(whole, query, EXCERPT);
  return { session, title, message, position, role: found.role, tier, text: whole.slice(start, end) };
}

/** Ids of sessions hold no newline: they are names of files. */
const keyOf = (session: SessionId, message: MessageId): string => `${session}\n${message}`;

function parseKey(key: string): { readonly session: SessionId; readonly message: MessageId } {
  const at = key.indexOf('\n');
  return { session: sessionId(key.slice(0, at)), message: messageId(key.slice(at + 1)) };
}
