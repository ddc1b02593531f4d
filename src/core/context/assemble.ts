import type { ContentBlock, Message } from '../model/message.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { SessionState } from '../state/session-state.ts';
import type { MessageCounts } from '../tokens/message-counts.ts';
import { renderAttachment } from '../text/render-attachment.ts';
import { REPLY_PRIMING_TOKENS, type TokenCounter } from '../tokens/token-counter.ts';
import type { ContextPrefix, ContextTokens, SystemPart } from './prefix.ts';
import { type RecalledExcerpt, renderRecalled, renderTask } from './render-context.ts';

/** A message that is sent verbatim. `position` is its 0-based position on the active branch. */
export interface ContextMessage {
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: readonly ContentBlock[];
  /** Appended to the message in this request only: recalled excerpts and the task. */
  readonly turnOnly?: string;
  readonly position: number;
}

export interface Context {
  /** Blocks of the system prompt, most stable first. */
  readonly system: readonly string[];
  /** For each block of `system`, the part that it belongs to. */
  readonly systemParts: readonly SystemPart[];
  readonly messages: readonly ContextMessage[];
  readonly tokens: ContextTokens;
  /** Tokens of the whole request, including framing and the tokens that start the response. */
  readonly total: number;
  /** Key events that don't fit in the ledger's budget. */
  readonly leftOut: readonly KeyEvent[];
}

export interface AssembleInput {
  readonly state: SessionState;
  readonly prefix: ContextPrefix;
  readonly recalled?: readonly RecalledExcerpt[];
  /** A message that isn't in the session yet, such as a draft. `endsTask`: sending it ends the task. */
  readonly pending?: { readonly message: Message; readonly endsTask: boolean };
  readonly counter: TokenCounter;
  readonly counts: MessageCounts;
}

/**
 * Assembles a request. The system prompt, memory, ledger, and frontier come first, because they rarely change; then the
 * recent messages, verbatim. Recalled excerpts and the task, which change with each turn, are appended to the newest
 * user message, so that the next request begins with the same prefix. Deterministic; the cost depends on the size of
 * the request, not on the session's length.
 */
export function assembleContext(input: AssembleInput): Context {
  const { state, counter, prefix, pending } = input;
  const messages: ContextMessage[] = [];
  const newest = pending ? state.path.length : newestUserPosition(state);
  const task = state.task && pending?.endsTask !== true ? renderTask(state.task) : '';
  const recalled = renderRecalled(input.recalled ?? []);
  const tail = [recalled, task].filter((text) => text !== '').join('\n\n');
  let recent = 0;
  let attachments = 0;
  const notSent = pending ? [{ message: pending.message, position: state.path.length }] : [];
  for (const { message, position } of [...state.uncompressed(), ...notSent]) {
    if (message.role === 'system') continue;
    const count = input.counts.of(message);
    recent += count.body;
    attachments += count.attachments;
    const before = (message.attachments ?? []).map((each): ContentBlock => ({
      type: 'text',
      text: renderAttachment(each),
    }));
    const turnOnly = position === newest && tail !== '' ? { turnOnly: tail } : {};
    messages.push({ role: message.role, content: [...before, ...message.content], ...turnOnly, position });
  }
  const tokens: ContextTokens = {
    ...prefix.tokens,
    recent,
    attachments,
    task: task === '' ? 0 : counter.text(task),
    recalled: recalled === '' ? 0 : counter.text(recalled),
  };
  const total = Object.values(tokens).reduce((sum, part) => sum + part, REPLY_PRIMING_TOKENS);
  const { system, systemParts, leftOut } = prefix;
  return { system, systemParts, messages, tokens, total, leftOut };
}

/** -1 if there is none. */
const newestUserPosition = ({ path, messages }: SessionState): number =>
  path.findLastIndex((id) => messages.place(id)?.role === 'user');
