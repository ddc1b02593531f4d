import type { KeyEvent } from '../core/model/key-event.ts';
import type { MemoryEntry } from '../core/memory/memory.ts';
import type { Redactor } from '../core/redact/redact.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { neutralizeTags, plainName } from '../core/text/prompt-sections.ts';
import { withSpeaker } from '../core/text/speakers.ts';
import { withoutTerminalCodes } from '../core/text/terminal-codes.ts';
import type { SessionListEntry } from './ports.ts';
import { recordSection } from './record-section.ts';
import type { SearchRequest, WorkspaceHit } from './workspace-search.ts';

export interface WorkspaceRecallDeps {
  readonly search: (run: SearchRequest) => Promise<readonly WorkspaceHit[] | undefined>;
  /** The best quotes from copied chats of other tools in this workspace. */
  readonly searchChats: (query: string, limit: number) => Promise<readonly Citation[]>;
  /** The workspace's sessions, newest first. */
  readonly list: () => Promise<readonly SessionListEntry[]>;
  /** Undefined if the session doesn't exist anymore or can't be read. */
  readonly read: (id: SessionListEntry['id']) => Promise<SessionState | undefined>;
  readonly memory: () => Promise<readonly MemoryEntry[]>;
}

/** A quote from a session or a copied chat. */
export interface Citation {
  /** The title of the session or chat. */
  readonly session: string;
  /** 1-based number of the message. */
  readonly message: number;
  readonly role: string;
  readonly text: string;
}

export interface Decisions {
  readonly memory: readonly string[];
  /** Active decisions of the newest sessions, newest session first. */
  readonly decisions: readonly Citation[];
}

/** Maximum number of sessions that are read for decisions. */
const MAX_SESSIONS = 10;
const MAX_DECISIONS = 60;

/** Answers questions with quotes from this workspace's sessions and copied chats. Secrets are redacted. */
export class WorkspaceRecall {
  readonly #deps: WorkspaceRecallDeps;

  constructor(deps: WorkspaceRecallDeps) {
    this.#deps = deps;
  }

  /** The best results for a query, alternately from sessions and copied chats; undefined if canceled. */
  async recall(query: string, limit: number, isCancelled: () => boolean): Promise<readonly Citation[] | undefined> {
    const redactor = await newRedactor();
    const mask = (text: string): string => redactor.redact(text);
    const [hits, quotes] = await Promise.all([
      this.#deps.search({ query, limit, mask, isCancelled }),
      this.#deps.searchChats(query, limit),
    ]);
    if (!hits) return undefined;
    const fromSessions = hits.map(({ title, position, role, text }) => {
      return { session: mask(title), message: position + 1, role, text };
    });
    // A session that continues a chat has the same messages.
    const fromChats = quotes.filter(
      (one) => !fromSessions.some(({ role, text }) => role === one.role && text === one.text),
    );
    const pairs = Array.from({ length: limit }, (_, at) => [
      fromSessions.slice(at, at + 1),
      fromChats.slice(at, at + 1),
    ]);
    return pairs.flat(2).slice(0, limit);
  }

  async decisions(isCancelled: () => boolean): Promise<Decisions> {
    const redactor = await newRedactor();
    const memory = (await this.#deps.memory()).map(({ text }) => redactor.redact(text));
    const decisions: Citation[] = [];
    for (const { id } of (await this.#deps.list()).slice(0, MAX_SESSIONS)) {
      const state = isCancelled() ? undefined : await this.#deps.read(id);
      if (state) decisions.push(...activeDecisions(state).map((event) => cite(state, event, redactor)));
    }
    return { memory, decisions: decisions.slice(0, MAX_DECISIONS) };
  }
}

/** Imported on first use, because the patterns of secrets would slow down the start. */
async function newRedactor(): Promise<Redactor> {
  const { Redactor } = await import('../core/redact/redact.ts');
  return new Redactor();
}

/** Decisions on the active branch that aren't superseded, including those that don't fit in the ledger. */
function activeDecisions(state: SessionState): KeyEvent[] {
  return [...state.events.values()].filter(
    (event) =>
      event.kind === 'decision' &&
      (event.status === 'dropped' || state.isCurrent(event)) &&
      state.positionOf(event.message) !== undefined &&
      !state.isRemoved(event.id),
  );
}

function cite(
  state: SessionState,
  { message, quote, quoted: isQuoted, speaker }: KeyEvent,
  redactor: Redactor,
): Citation {
  return {
    session: redactor.redact(state.title),
    message: (state.positionOf(message) ?? 0) + 1,
    role: `${isQuoted === true ? 'quoted by ' : ''}${state.messages.place(message)?.role ?? 'user'}`,
    text: redactor.redact(withSpeaker(speaker, quote)),
  };
}

const line = ({ session, message, role, text }: Citation): string =>
  `[session “${plainName(session)}”, message ${message}, ${role}] ${neutralizeTags(withoutTerminalCodes(text))}`;

/** Search results as text for a model. */
export function recalledText(found: readonly Citation[]): string {
  return recordSection(...(found.length > 0 ? found.map(line) : ['Nothing that was said matches.']));
}

/** Decisions and memory as text for a model. */
export function decisionsText({ memory, decisions }: Decisions): string {
  if (memory.length + decisions.length === 0)
    return 'No decisions in recent sessions, and the workspace memory is empty.';
  const kept = memory.map((one) => `- ${neutralizeTags(one).replace(/\s+/g, ' ')}`);
  return recordSection(
    ...(kept.length > 0 ? [`Kept for every session:\n${kept.join('\n')}`] : []),
    ...(decisions.length > 0 ? [`Decisions that stand:\n${decisions.map(line).join('\n')}`] : []),
  );
}
