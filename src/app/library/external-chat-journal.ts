import { compressionWith, type SessionEvent } from '../../core/journal/schema.ts';
import { compressionId, messageId, nodeId, sessionId, type MessageId, type SessionId } from '../../core/model/ids.ts';
import { nodeWith, proseSummary } from '../../core/model/summary.ts';
import { SessionState } from '../../core/state/session-state.ts';
import { textHash } from '../../core/text/hash.ts';
import { phrase, type Phrase } from '../../core/text/phrase.ts';
import { skippedPhrase } from '../../core/transcript/skipped-content.ts';
import { Emitter } from '../emitter.ts';
import { StoreFault, type SessionJournal } from '../ports.ts';
import { sessionTitleFrom } from '../session-title.ts';
import { transcribedMessage } from '../user-message.ts';
import type { CopiedSession } from './library.ts';
import type { LibraryEntry } from './read-session.ts';
import { TOOL_NAMES } from './source.ts';

/** The journal of a chat from another tool: a read-only session in memory. */
export class ExternalChatJournal implements SessionJournal {
  readonly id: SessionId;
  readonly state = new SessionState();
  readonly isExternal = true as const;
  readonly readOnly: StoreFault;
  /** What couldn't be read of the chat. */
  readonly notice: Phrase | undefined;
  readonly unsaved = undefined;
  readonly #listeners: Emitter<readonly SessionEvent[]>;
  readonly #entry: LibraryEntry;
  readonly #copy: CopiedSession;

  constructor(id: SessionId, entry: LibraryEntry, copy: CopiedSession, onError: (error: unknown) => void) {
    this.id = id;
    this.#entry = entry;
    this.#copy = copy;
    this.#listeners = new Emitter(onError);
    this.readOnly = new StoreFault('read_only', phrase('This chat from {0} is read-only.', TOOL_NAMES[entry.tool]));
    const lost = skippedPhrase(copy.lost);
    this.notice = lost && phrase('Some of this chat couldn’t be read. Skipped: {0}.', lost);
    const { title, workspace = '', updatedAt } = entry;
    this.state.apply({ type: 'session_created', id, title: sessionTitleFrom(title), workspace }, updatedAt);
    let at = copy.messages.find((one) => one.at !== undefined)?.at ?? updatedAt;
    for (const [index, copied] of copy.messages.entries()) {
      at = copied.at ?? at;
      const message = transcribedMessage(copied, { id: idOf(index), parent: index === 0 ? null : idOf(index - 1), at });
      this.state.apply({ type: 'message_added', message }, at);
    }
  }

  /** Applies events, such as detected key events, in memory only. */
  add(events: readonly SessionEvent[]): void {
    if (events.length === 0) return;
    for (const event of events) this.state.apply(event, this.#entry.updatedAt);
    this.#listeners.emit(events);
  }

  /** The tool's own compactions as `compressed` events. Each covers the messages since the previous one. */
  compactions(tokens: {
    readonly message: (id: MessageId) => number;
    readonly text: (text: string) => number;
  }): readonly SessionEvent[] {
    const { tool, updatedAt } = this.#entry;
    const events: SessionEvent[] = [];
    let from = 0;
    for (const [index, { summary, before, at }] of this.#copy.compactions.entries()) {
      const to = Math.min(before, this.#copy.messages.length);
      if (to <= from || summary.trim() === '') continue;
      const covered = this.state.path.slice(from, to);
      const source = covered.reduce((sum, id) => sum + tokens.message(id), 0);
      const size = tokens.text(summary);
      const node = nodeWith({
        id: nodeId(`compaction-${index}`),
        first: covered[0]!,
        last: covered.at(-1)!,
        messages: covered.length,
        title: sessionTitleFrom(summary),
        brief: summary,
        detailed: summary,
        structured: proseSummary(summary),
        tokens: { source, brief: size, detailed: size },
        rung: 'model',
        model: TOOL_NAMES[tool],
        sourceHash: textHash(covered),
        at: at ?? updatedAt,
      });
      events.push({
        type: 'compressed',
        compression: compressionWith({
          id: compressionId(`compaction-${index}`),
          policy: TOOL_NAMES[tool],
          strategy: 'summarize',
          nodes: [node],
          messages: { before: to, after: to - covered.length },
          tokens: { before: source, after: size },
          // The tool's cost is unknown.
          calls: { count: 1, inputTokens: 0, outputTokens: 0, costUsd: 0 },
        }),
      });
      from = to;
    }
    return events;
  }

  append(): Promise<void> {
    return Promise.reject(
      new StoreFault('read_only', phrase('Read-only. To continue this chat, select Continue Here.')),
    );
  }

  prepareToWrite(): Promise<void> {
    return Promise.resolve();
  }

  takeOver(): Promise<void> {
    return this.append();
  }

  onDidChange(listener: (events: readonly SessionEvent[]) => void): { dispose(): void } {
    return this.#listeners.on(listener);
  }

  close(): Promise<void> {
    this.#listeners.clear();
    return Promise.resolve();
  }
}

/** The session ID of a chat. It changes with the messages and their time, so that a changed chat is read again. */
export function externalChatSessionId(key: string, { messages, updatedAt }: LibraryEntry): SessionId {
  return sessionId(`chat-${key}-${messages}-${updatedAt}`);
}

const idOf = (index: number): MessageId => messageId(`m${index}`);
