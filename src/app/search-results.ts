import { frontierItemAt } from '../core/context/ledger-lines.ts';
import { keyEventId, messageId, nodeId, type MessageId } from '../core/model/ids.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import { isLocalReply, messageText } from '../core/model/message.ts';
import type { SummaryNode } from '../core/model/summary.ts';
import { ratedExcerpt } from '../core/search/excerpt.ts';
import { yieldIfDue, type Yielder } from '../core/pace/yielder.ts';
import type { IndexedTextProperties, TextIndex } from '../core/search/text-index.ts';
import type { SessionState } from '../core/state/session-state.ts';

/** Whether a message is sent verbatim, summarized, or in an archived session. */
export type Tier = 'sent' | 'summarized' | 'archived';

export type ResultKind = 'message' | 'event' | 'summary';

export interface SearchResult {
  readonly kind: ResultKind;
  /** For a summary, the first message it covers. */
  readonly message: MessageId;
  /** 0-based, on the session's active branch. */
  readonly position: number;
  /** The message's role, or `summary`. */
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly tier: Tier;
  /** Offsets in the message's text in UTF-16 units; both 0 for a summary. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The share of the matches that are close together, 0 to 1. */
  readonly matchesTogetherShare: number;
}

export type ScoredResult = SearchResult & { readonly score: number };

/** Weights in the ranking: current key events answer more questions than other text, and tool output answers fewer. */
const WEIGHTS = { message: 1, tool: 0.45, event: 1.2, superseded: 0.8, summary: 0.8 };
/** Maximum distance, in UTF-16 units, between matches of the same passage. */
const PASSAGE_UNITS = 240;
/** Share of the score that depends on `matchesTogetherShare`. */
const PASSAGE_SHARE = 0.3;

export interface Searchable {
  readonly key: string;
  readonly text: string;
  readonly properties: IndexedTextProperties;
}

/** The index entry of a message; undefined for the local provider's replies, which only quote other messages. */
export function searchableMessage(state: SessionState, id: MessageId): Searchable | undefined {
  const message = state.messages.get(id);
  if (!message || isLocalReply(message)) return undefined;
  const weight = message.role === 'tool' ? WEIGHTS.tool : WEIGHTS.message;
  return {
    key: messageKey(id),
    text: messageText(message),
    properties: { kind: 'message', weight, discountsCode: true },
  };
}

export function searchableEvent({ id, kind, quote, status }: KeyEvent): Searchable {
  const weight = status === 'superseded' ? WEIGHTS.superseded : WEIGHTS.event;
  return { key: `event:${id}`, text: quote, properties: { kind: 'event', about: kind, weight } };
}

/** The index entry of a summary; undefined for parents, which only repeat their children with less detail. */
export function searchableNode({ id, depth, title, brief, detailed }: SummaryNode): Searchable | undefined {
  if (depth > 0) return undefined;
  const text = [title, brief, detailed].join('\n');
  return { key: `summary:${id}`, text, properties: { kind: 'summary', weight: WEIGHTS.summary } };
}

export const messageKey = (id: MessageId): string => `message:${id}`;

/** The position of an index entry's message; undefined if it isn't on the active branch. */
export const positionOfKey = (state: SessionState, key: string): number | undefined => sourceOf(state, key)?.position;

/** The source of an index entry: a key event, a summary or, without either, a message. */
function sourceOf(
  state: SessionState,
  key: string,
): { readonly position: number | undefined; readonly event?: KeyEvent; readonly node?: SummaryNode } | undefined {
  const [kind, id] = splitAtFirst(key, ':');
  switch (kind) {
    case 'message':
      return { position: state.positionOf(messageId(id)) };
    case 'event': {
      const event = state.events.get(keyEventId(id));
      return event && !state.isRemoved(event.id) ? { position: state.positionOf(event.message), event } : undefined;
    }
    default: {
      const node = state.nodes.get(nodeId(id));
      return node && !state.isReverted(node.id) ? { position: state.spanOf(node.id)?.from, node } : undefined;
    }
  }
}

/**
 * The search result for an index entry, with the best excerpt of at most `units` UTF-16 units. `mask` redacts secrets
 * in the whole text, because an excerpt may cut off the part by which a secret is recognized; offsets in messages refer
 * to the redacted text.
 */
export function resultOf(
  state: SessionState,
  key: string,
  query: string,
  units: number,
  mask = (text: string): string => text,
): SearchResult | undefined {
  const { position, event, node } = sourceOf(state, key) ?? {};
  const message = position === undefined ? undefined : state.messages.get(state.path[position]!);
  if (position === undefined || !message) return undefined;
  const tier = state.archived ? 'archived' : frontierItemAt(state.frontier, position) ? 'summarized' : 'sent';
  const place = { message: message.id, position, tier, at: message.at, role: message.role } as const;
  if (event) {
    const { start, end, quote } = event;
    return { ...place, kind: 'event', start, end, text: mask(quote), matchesTogetherShare: 1 };
  }
  const text = mask(node ? (searchableNode(node)?.text ?? '') : messageText(message));
  const { start, end, matchesTogetherShare } = ratedExcerpt(text, query, units, PASSAGE_UNITS);
  const found = { ...place, text: text.slice(start, end), matchesTogetherShare };
  return node
    ? { ...found, kind: 'summary', role: 'summary', start: 0, end: 0 }
    : { ...found, kind: 'message', start, end };
}

/** Best results first. Matches close together score higher, and each message appears once, besides its summary. */
export function rankResults<T extends ScoredResult & { readonly session?: string }>(
  hits: readonly T[],
  limit: number,
): T[] {
  const seen = new Set<string>();
  return hits
    .map((hit) => ({ ...hit, score: hit.score * (1 - PASSAGE_SHARE + PASSAGE_SHARE * hit.matchesTogetherShare) }))
    .sort((a, b) => b.score - a.score)
    .filter(({ session = '', message, kind }) => {
      const place = `${session}\n${message}\n${kind === 'summary' ? kind : ''}`;
      if (seen.has(place)) return false;
      seen.add(place);
      return true;
    })
    .slice(0, limit);
}

/** Adds a text to an index, yielding in between. `prefix` is put before its key. */
export async function indexText(
  index: TextIndex,
  searchable: Searchable | undefined,
  yielder: Yielder,
  prefix = '',
): Promise<void> {
  if (!searchable) return;
  const { key, text, properties } = searchable;
  await index.addYielding(`${prefix}${key}`, text, properties, yielder);
  await yieldIfDue(yielder);
}

export function splitAtFirst(text: string, separator: string): readonly [before: string, after: string] {
  const at = text.indexOf(separator);
  return [text.slice(0, at), text.slice(at + 1)];
}
