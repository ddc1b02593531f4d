import { levelOf, ledgerEntries } from '../core/context/ledger-lines.ts';
import { nodeText } from '../core/context/render.ts';
import type { MessageId } from '../core/model/ids.ts';
import { messageText } from '../core/model/message.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import { visitTerms } from '../core/search/terms.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { MessageCounts } from '../core/tokens/message-counts.ts';
import type { SessionHit } from './session-search.ts';

/** Where something that was said stands now, from the model's point of view. */
export type Whereabouts =
  /** Sent word for word, in its place in the conversation. */
  | { readonly kind: 'window' }
  /** Sent word for word, among the key events. */
  | { readonly kind: 'ledger'; readonly event: KeyEvent }
  /** The summary that stands for it tells of it. */
  | { readonly kind: 'summary'; readonly node: SummaryNode; readonly level: Level }
  /** It is kept, but what is sent in its place does not tell of it. */
  | { readonly kind: 'archived'; readonly node: SummaryNode; readonly level: Level }
  /** It was deleted, or said on another branch. */
  | { readonly kind: 'elsewhere' };

/** Something that was said, and where it stands. Offsets are UTF-16 units into the message's text. */
export interface Place {
  readonly message: MessageId;
  /** On the active branch, from 0; -1 elsewhere. */
  readonly position: number;
  readonly role: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly where: Whereabouts;
}

/** A text that holds this share of a question's words tells of what was asked for. */
const TELLS_SHARE = 0.6;

/** Says of each hit of a search where it stands now, in the order of the hits. */
export function whereabouts(
  state: SessionState,
  query: string,
  hits: readonly SessionHit[],
  ledger: { readonly counts: MessageCounts; readonly budget: number },
): Place[] {
  const wanted = termsOf(query);
  const sent = ledgerEntries(state, ledger.counts, ledger.budget).kept;
  return hits.map(({ message, position, role, start, end, text }) => {
    const item = state.frontier.find(({ from, to }) => from <= position && position <= to);
    const quoted = sent.find(({ event }) => event.message === message && event.start < end && start < event.end);
    const place = { message, position, role, start, end, text };
    if (!item) return { ...place, where: { kind: 'window' } };
    if (quoted && tells(quoted.event.quote, wanted))
      return { ...place, where: { kind: 'ledger', event: quoted.event } };
    const level = levelOf(state, item);
    const kind = tells(nodeText(item.node, level), wanted) ? 'summary' : 'archived';
    return { ...place, where: { kind, node: item.node, level } };
  });
}

/**
 * Messages that are not on the active branch and tell of what is asked for. It reads all of them, so it is asked when
 * nothing on the branch does.
 */
export function elsewhere(state: SessionState, query: string, limit: number): Place[] {
  const wanted = termsOf(query);
  const found: Place[] = [];
  for (const id of state.messages.keys()) {
    if (found.length >= limit) break;
    if (state.positionOf(id) !== undefined) continue;
    const message = state.messages.get(id);
    const text = message && messageText(message);
    if (!message || text === undefined || !tells(text, wanted)) continue;
    const where = { kind: 'elsewhere' } as const;
    found.push({ message: id, position: -1, role: message.role, start: 0, end: text.length, text, where });
  }
  return found;
}

/** Whether a text was said that answers a question at all: search finds something for nearly every word. */
export function tellsOf(text: string, query: string): boolean {
  return tells(text, termsOf(query));
}

function tells(text: string, wanted: ReadonlySet<string>): boolean {
  if (wanted.size === 0) return false;
  const there = termsOf(text);
  let held = 0;
  for (const term of wanted) if (there.has(term)) held++;
  return held / wanted.size >= TELLS_SHARE;
}

function termsOf(text: string): Set<string> {
  const terms = new Set<string>();
  visitTerms(text, (term) => terms.add(term));
  return terms;
}
