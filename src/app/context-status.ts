import type { Context } from '../core/context/assemble.ts';
import { frontierItemAt, sentLevelOf } from '../core/context/ledger-lines.ts';
import { nodeText } from '../core/context/render-context.ts';
import type { MessageId } from '../core/model/ids.ts';
import { messageText, type ContentBlock } from '../core/model/message.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import { parseQuery, type QueryTerm } from '../core/search/query.ts';
import { neutralizeTags } from '../core/text/prompt-sections.ts';
import { visitWords } from '../core/text/words.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { SearchResult } from './search-results.ts';

/** Whether and how a part of the session is sent to the model. */
export type ContextStatus =
  /** Sent verbatim in a recent message. */
  | { readonly kind: 'verbatim' }
  /** Sent verbatim as a key event. */
  | { readonly kind: 'ledger'; readonly event: KeyEvent }
  /** Sent paraphrased in a summary. */
  | { readonly kind: 'summary'; readonly node: SummaryNode; readonly level: Level }
  /** Not sent: the summary of its message doesn't mention it. */
  | { readonly kind: 'archived'; readonly node: SummaryNode; readonly level: Level }
  /** A system message of an imported chat, which is only sent in a summary. */
  | { readonly kind: 'system' }
  /** Deleted, or on another branch. */
  | { readonly kind: 'off_branch' };

/** A search result and its status. The position is -1 if the message isn't on the active branch. */
export interface ResultInContext extends Pick<
  SearchResult,
  'message' | 'position' | 'role' | 'start' | 'end' | 'text'
> {
  readonly status: ContextStatus;
}

/** Minimum share of the query's words that a relevant text contains; at least two if the query has several. */
const RELEVANT_SHARE = 0.5;
/** Minimum share of the query's words in a result that a sent text contains for the result to count as sent. */
const SENT_SHARE = 0.6;
/** Maximum number of letters by which two forms of a word differ at the end. */
const MAX_ENDING_LENGTH = 3;
const MIN_STEM_LENGTH = 4;

export function contextStatuses(
  state: SessionState,
  query: string,
  hits: readonly SearchResult[],
  request: Pick<Context, 'system' | 'messages'>,
): ResultInContext[] {
  const terms = termsOf(query);
  const sent = [...request.system, ...request.messages.map(({ content }) => textOf(content))].join('\n');
  return hits.map(({ message, position, role, start, end, text }) => {
    const hit = { message, position, role, start, end, text };
    const item = frontierItemAt(state.frontier, position);
    if (!item) return { ...hit, status: { kind: role === 'system' ? 'system' : 'verbatim' } };
    const hitTerms = termsIn(text, terms);
    const hasTerms = (other: string): boolean =>
      termsIn(other, hitTerms).length >= SENT_SHARE * Math.max(1, hitTerms.length);
    const quotes = eventsWithin(state, message, start, end).filter(({ quote }) => sent.includes(neutralizeTags(quote)));
    if (quotes.length > 0 && hasTerms(quotes.map(({ quote }) => quote).join('\n')))
      return { ...hit, status: { kind: 'ledger', event: quotes[0]! } };
    const level = sentLevelOf(state, item.node.id);
    if (hasTerms(nodeText(item.node, level))) return { ...hit, status: { kind: 'summary', node: item.node, level } };
    if (text.split(SENTENCE_END).some((one) => hasTerms(one) && sent.includes(one.trim())))
      return { ...hit, status: { kind: 'verbatim' } };
    return { ...hit, status: { kind: 'archived', node: item.node, level } };
  });
}

const SENTENCE_END = /\n+|(?<=[.!?])\s+|(?<=[。！？])/;

const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('\n');

/** The key events of a message that overlap with `[start, end)`. */
function eventsWithin(state: SessionState, message: MessageId, start: number, end: number): KeyEvent[] {
  return [...state.events.values()].filter((one) => one.message === message && one.start < end && start < one.end);
}

/** Messages that match the query but aren't on the active branch. Reads every message. */
export function hitsOffBranch(state: SessionState, query: string, limit: number): ResultInContext[] {
  const terms = termsOf(query);
  const found: ResultInContext[] = [];
  for (const id of state.messages.keys()) {
    if (found.length >= limit) break;
    if (state.positionOf(id) !== undefined) continue;
    const message = state.messages.get(id);
    const text = message && messageText(message);
    if (!message || text === undefined || !hasEnoughOf(terms, text)) continue;
    const status = { kind: 'off_branch' } as const;
    found.push({ message: id, position: -1, role: message.role, start: 0, end: text.length, text, status });
  }
  return found;
}

/** Whether a text is relevant to a query. The search also returns results for a single common word. */
export function isRelevant(text: string, query: string): boolean {
  return hasEnoughOf(termsOf(query), text);
}

/** The query's terms, without those that only name a kind of key event, such as "decide". */
function termsOf(query: string): readonly QueryTerm[] {
  return parseQuery(query).terms.filter(({ isKindTerm }) => !isKindTerm);
}

function hasEnoughOf(terms: readonly QueryTerm[], text: string): boolean {
  if (terms.length === 0) return false;
  return termsIn(text, terms).length >= Math.max(Math.min(2, terms.length), RELEVANT_SHARE * terms.length);
}

function termsIn(text: string, terms: readonly QueryTerm[]): readonly QueryTerm[] {
  const found = new Set<QueryTerm>();
  visitWords(text, (word) => {
    for (const term of terms) if (matchesTerm(word, term)) found.add(term);
  });
  return [...found];
}

function matchesTerm(word: string, { term, synonyms }: QueryTerm): boolean {
  if (word === term || synonyms.includes(word)) return true;
  const [short, long] = word.length < term.length ? [word, term] : [term, word];
  const isForm =
    short.length >= MIN_STEM_LENGTH && long.length - short.length <= MAX_ENDING_LENGTH && long.startsWith(short);
  // 12 isn't a form of 123.
  return isForm && !/\d/.test(long);
}
