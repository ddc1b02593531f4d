import { tokensWithFraming } from '../core/compress/fitting.ts';
import type { CompressionId, KeyEventId, NodeId } from '../core/model/ids.ts';
import type { EventCorrection, KeyEvent } from '../core/model/key-event.ts';
import { messageText, type Message } from '../core/model/message.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import type { SessionState } from '../core/state/session-state.ts';
import { blankTerminalCodes } from '../core/text/terminal-codes.ts';
import { speakerBefore } from '../core/text/speakers.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import type { SessionJournal } from './ports.ts';

/** A summary or key event can't be changed or verified. The message for the user depends on `reason`. */
export class ChangeFault extends Error {
  readonly reason:
    | 'unknown_node'
    | 'not_on_branch'
    /** The messages were lost with the journal, so only their summary is left. */
    | 'lost'
    | 'empty'
    | 'nothing_shorter'
    | 'changed'
    | 'outdated'
    | 'unanswered'
    | 'unknown_event'
    /** The new quote isn't in its message. */
    | 'no_words';

  constructor(reason: ChangeFault['reason']) {
    super(`The change can't be made: ${reason}`);
    this.name = 'ChangeFault';
    this.reason = reason;
  }

  static is(error: unknown, reason?: ChangeFault['reason']): error is ChangeFault {
    return error instanceof ChangeFault && (reason === undefined || error.reason === reason);
  }
}

/** The node with an ID. Throws `ChangeFault` with the reason `unknown_node`. */
export function nodeOf({ nodes }: SessionState, id: NodeId): SummaryNode {
  const node = nodes.get(id);
  if (!node) throw new ChangeFault('unknown_node');
  return node;
}

/** Throws `ChangeFault` with the reason `lost` if some of these messages were lost. */
export function requireMessages(state: SessionState, span: ReturnType<SessionState['spanOf']>): void {
  if (!span) return;
  for (const { id, isLost } of state.nodes.values()) {
    const lost = isLost && state.spanOf(id);
    if (lost && lost.from <= span.to && span.from <= lost.to) throw new ChangeFault('lost');
  }
}

const hasLost = ({ nodes }: SessionState, compression: SessionState['compressions'][number] | undefined): boolean =>
  compression?.nodes.some((node) => nodes.get(node)?.isLost) === true;

/** The messages that a node covers, oldest first. Throws `ChangeFault` with the reason `not_on_branch` or `lost`. */
export function messagesOf(state: SessionState, node: SummaryNode): Message[] {
  const from = state.positionOf(node.first);
  const to = state.positionOf(node.last);
  const ids = from === undefined || to === undefined ? [] : state.path.slice(from, to + 1);
  if (ids.length !== node.messages) throw new ChangeFault('not_on_branch');
  requireMessages(state, state.spanOf(node.id));
  return ids.flatMap((id) => state.messages.get(id) ?? []);
}

/**
 * Replaces a summary's text at one level; its parents become stale. Resolves to false if the text is unchanged. Rejects
 * with `ChangeFault` or `StoreFault`.
 */
export async function editSummary(
  journal: SessionJournal,
  counter: TokenCounter,
  id: NodeId,
  level: Level,
  text: string,
): Promise<boolean> {
  const node = nodeOf(journal.state, id);
  const trimmed = text.trim();
  if (trimmed === '') throw new ChangeFault('empty');
  if (node[level] === trimmed) return false;
  const tokens = tokensWithFraming(trimmed, counter);
  await journal.append({ type: 'node_edited', node: id, level, text: trimmed, tokens });
  return true;
}

/** Sends a node at another level until the next compression. Rejects with `ChangeFault` or `StoreFault`. */
export async function setLevel(journal: SessionJournal, id: NodeId, level: Level): Promise<void> {
  nodeOf(journal.state, id);
  await journal.append({ type: 'node_level_set', node: id, level });
}

/**
 * Sends the messages of a node verbatim: with `turn` until the next reply, with `always` until the user compresses
 * again or a request doesn't fit. Rejects with `ChangeFault` or `StoreFault`.
 */
export async function expandNode(journal: SessionJournal, id: NodeId, how: 'turn' | 'always'): Promise<void> {
  nodeOf(journal.state, id);
  requireMessages(journal.state, journal.state.spanOf(id));
  await journal.append(
    how === 'turn'
      ? { type: 'node_expanded', node: id, expanded: true }
      : { type: 'node_undone', node: id, undone: true },
  );
}

/** The compressions from `from` (by default, the oldest) to the newest that can be undone. */
export function compressionsSince(state: SessionState, from?: CompressionId): CompressionId[] {
  const start = from === undefined ? 0 : state.compressions.findIndex(({ id }) => id === from);
  if (start < 0) return [];
  const isInForce = ({ id, nodes }: SessionState['compressions'][number]): boolean =>
    !state.summaries.isCompressionUndone(id) && (nodes.length === 0 || nodes.some((node) => !state.isReverted(node)));
  return state.compressions.slice(start).flatMap((one) => (isInForce(one) && !hasLost(state, one) ? one.id : []));
}

/** The newest compression that can be undone, with a summary on the active branch that isn't reverted. */
export function newestActiveCompression(state: SessionState): CompressionId | undefined {
  const isInForce = (node: NodeId): boolean => state.spanOf(node) !== undefined && !state.isReverted(node);
  return state.compressions.findLast((one) => one.nodes.some(isInForce) && !hasLost(state, one))?.id;
}

/** Pins or unpins key events. Pinned ones are never dropped from the ledger. */
export async function pinEvents(journal: SessionJournal, ids: readonly KeyEventId[], pinned: boolean): Promise<void> {
  if (ids.length > 0) await journal.append(...ids.map((id) => ({ type: 'event_pinned', id, pinned }) as const));
}

/** Adds a pinned key event for a text that the user selected in a message, with its speaker like a detected one. */
export function pinQuote(
  journal: SessionJournal,
  quoted: Pick<KeyEvent, 'id' | 'message' | 'kind' | 'start' | 'end' | 'quote'>,
): Promise<void> {
  const said = journal.state.messages.get(quoted.message);
  const speaker = said?.role === 'user' ? speakerBefore(blankTerminalCodes(messageText(said)), quoted.start) : '';
  return journal.append({ type: 'event_added', event: { ...quoted, ...(speaker !== '' && { speaker }), ...PINNED } });
}

const PINNED = { score: 1, importance: 3, reason: 'pinned by the user', status: 'active', pinned: true } as const;

/**
 * Changes a key event's kind, its range (UTF-16 offsets), or both. Trims white space at both ends of the range. Rejects
 * with `ChangeFault` or `StoreFault` without changing anything.
 */
export async function correctEvent(
  journal: SessionJournal,
  id: KeyEventId,
  change: Partial<Pick<EventCorrection, 'kind' | 'start' | 'end'>>,
): Promise<void> {
  const entry = eventOf(journal, id);
  const text = messageText(journal.state.messages.get(entry.message) ?? { content: [] });
  const { kind = entry.kind, start = entry.start, end = entry.end } = change;
  const chosen = text.slice(start, end);
  const quote = chosen.trim();
  if (start < 0 || end > text.length || quote === '' || !quote.isWellFormed()) throw new ChangeFault('no_words');
  const at = start + chosen.indexOf(quote);
  await journal.append({ type: 'event_corrected', id, correction: { kind, start: at, end: at + quote.length, quote } });
}

/** Like `correctEvent`, but finds the quote in the event's message, at the place nearest to the current quote. */
export function correctQuote(journal: SessionJournal, id: KeyEventId, words: string): Promise<void> {
  const { message, start: from } = eventOf(journal, id);
  const text = messageText(journal.state.messages.get(message) ?? { content: [] });
  const quote = words.trim();
  const before = text.lastIndexOf(quote, from);
  const after = text.indexOf(quote, from);
  const isBefore = after === -1 || (before !== -1 && from - before < after - from);
  const start = isBefore ? before : after;
  return correctEvent(journal, id, { start, end: start + quote.length });
}

/** Marks an event as wrong, or restores it. While it's wrong, events that it superseded or absorbed are active. */
export async function markEventWrong(journal: SessionJournal, id: KeyEventId, wrong: boolean): Promise<void> {
  eventOf(journal, id);
  await journal.append({ type: 'event_removed', id, removed: wrong });
}

function eventOf(journal: SessionJournal, id: KeyEventId): KeyEvent {
  const entry = journal.state.events.get(id);
  if (!entry) throw new ChangeFault('unknown_event');
  return entry;
}

/** Undoes or redoes compressions. Rejects with `ChangeFault` or `StoreFault`. */
export async function undoCompressions(
  journal: SessionJournal,
  compressions: readonly CompressionId[],
  undone: boolean,
): Promise<void> {
  const { state } = journal;
  const isChosen = ({ id }: { readonly id: CompressionId }): boolean => compressions.includes(id);
  if (undone && state.compressions.some((one) => isChosen(one) && hasLost(state, one))) throw new ChangeFault('lost');
  if (compressions.length > 0) await journal.append({ type: 'compressions_undone', compressions, undone });
}

/** Undoes or redoes the newest change to summaries or key events. Resolves to false if there is none. */
export async function undoOrRedoChange(journal: SessionJournal, undone: boolean): Promise<boolean> {
  const { state } = journal;
  if ((undone ? state.changes : state.undoneChanges).length === 0) return false;
  await journal.append({ type: 'change_undone', undone });
  return true;
}
