import type { Context } from '../core/context/assemble.ts';
import { sentLevelOf } from '../core/context/ledger-lines.ts';
import { nodeText } from '../core/context/render.ts';
import type { MessageId } from '../core/model/ids.ts';
import { messageText, type ContentBlock } from '../core/model/message.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import { readQuery, type QueryTerm } from '../core/search/query.ts';
import { neutralizeTags } from '../core/text/fence.ts';
import { visitWords } from '../core/text/words.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { SessionHit } from './session-search.ts';

/** How a part of the session reaches the model now. */
export type Whereabouts =
  /** Sent verbatim: its message is among the recent ones, or one of those repeats it. */
  | { readonly kind: 'window' }
  /** Sent verbatim, among the key events. */
  | { readonly kind: 'ledger'; readonly event: KeyEvent }
  /** The summary has its content, paraphrased. */
  | { readonly kind: 'summary'; readonly node: SummaryNode; readonly level: Level }
  /** On disk, but neither sent nor mentioned in its summary. */
  | { readonly kind: 'archived'; readonly node: SummaryNode; readonly level: Level }
  /** Deleted, or on another branch. */
  | { readonly kind: 'elsewhere' };

/** A search result and how it reaches the model. Offsets are UTF-16 units into the message's text. */
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

/** Minimum share of the query's words in a relevant text; at least two words, if the query has several. */
const RELEVANT_SHARE = 0.5;
/** A result counts as sent if the sent text has at least this share of the query words that the result has. */
const SENT_SHARE = 0.6;
/** Letters by which two forms of a word may differ at the end. */
const MAX_ENDING_LENGTH = 3;
const MIN_STEM_LENGTH = 4;

/** How each search result reaches the model in the next request, in the order of the results. */
export function whereabouts(
  state: SessionState,
  query: string,
  hits: readonly SessionHit[],
  request: Pick<Context, 'system' | 'messages'>,
): Place[] {
  const sought = termsOf(query);
  const sent = [...request.system, ...request.messages.map(({ content }) => textOf(content))].join('\n');
  return hits.map(({ message, position, role, start, end, text }) => {
    const place = { message, position, role, start, end, text };
    const item = state.frontier.find(({ from, to }) => from <= position && position <= to);
    if (!item) return { ...place, where: { kind: 'window' } };
    const held = termsIn(text, sought);
    const hasTerms = (by: string): boolean => termsIn(by, held).length >= SENT_SHARE * Math.max(1, held.length);
    const quotes = eventsWithin(state, message, start, end).filter(({ quote }) => sent.includes(neutralizeTags(quote)));
    if (quotes.length > 0 && hasTerms(quotes.map(({ quote }) => quote).join('\n')))
      return { ...place, where: { kind: 'ledger', event: quotes[0]! } };
    const level = sentLevelOf(state, item);
    if (hasTerms(nodeText(item.node, level))) return { ...place, where: { kind: 'summary', node: item.node, level } };
    if (text.split(SENTENCE_END).some((one) => hasTerms(one) && sent.includes(one.trim())))
      return { ...place, where: { kind: 'window' } };
    return { ...place, where: { kind: 'archived', node: item.node, level } };
  });
}

const SENTENCE_END = /\n+|(?<=[.!?])\s+|(?<=[。！？])/;

const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('\n');

/** The key events that quote a part of `[start, end)` of a message. */
function eventsWithin(state: SessionState, message: MessageId, start: number, end: number): KeyEvent[] {
  return [...state.events.values()].filter((one) => one.message === message && one.start < end && start < one.end);
}

/**
 * Messages off the active branch that match the query. Reads every message, so call it only if nothing on the branch
 * matches.
 */
export function hitsOffBranch(state: SessionState, query: string, limit: number): Place[] {
  const sought = termsOf(query);
  const found: Place[] = [];
  for (const id of state.messages.keys()) {
    if (found.length >= limit) break;
    if (state.positionOf(id) !== undefined) continue;
    const message = state.messages.get(id);
    const text = message && messageText(message);
    if (!message || text === undefined || !hasShareOf(text, sought, RELEVANT_SHARE)) continue;
    const where = { kind: 'elsewhere' } as const;
    found.push({ message: id, position: -1, role: message.role, start: 0, end: text.length, text, where });
  }
  return found;
}

/** Whether a text is relevant to a query. Search alone finds something for nearly every word. */
export function isRelevant(text: string, query: string): boolean {
  return hasShareOf(text, termsOf(query), RELEVANT_SHARE);
}

/** The query's words, without question words such as "how". */
function termsOf(query: string): readonly QueryTerm[] {
  return readQuery(query).sought.filter(({ isManner }) => !isManner);
}

function hasShareOf(text: string, sought: readonly QueryTerm[], share: number): boolean {
  if (sought.length === 0) return false;
  return termsIn(text, sought).length >= Math.max(Math.min(2, sought.length), share * sought.length);
}

/** The terms that occur in a text. */
function termsIn(text: string, sought: readonly QueryTerm[]): readonly QueryTerm[] {
  const held = new Set<QueryTerm>();
  visitWords(text, (word) => {
    for (const one of sought) if (matchesTerm(word, one)) held.add(one);
  });
  return [...held];
}

/** Whether a word is the term, a form of it, or a synonym. */
function matchesTerm(word: string, { term, synonyms }: QueryTerm): boolean {
  if (word === term || synonyms.includes(word)) return true;
  const [short, long] = word.length < term.length ? [word, term] : [term, word];
  const isForm =
    short.length >= MIN_STEM_LENGTH && long.length - short.length <= MAX_ENDING_LENGTH && long.startsWith(short);
  // 12 isn't a form of 123.
  return isForm && !/\d/.test(long);
}
