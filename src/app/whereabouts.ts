import type { Context } from '../core/context/assemble.ts';
import { levelOf } from '../core/context/ledger-lines.ts';
import { nodeText } from '../core/context/render.ts';
import type { MessageId } from '../core/model/ids.ts';
import { messageText, type ContentBlock } from '../core/model/message.ts';
import type { KeyEvent } from '../core/model/key-event.ts';
import type { Level, SummaryNode } from '../core/model/summary.ts';
import { readQuery, type SoughtTerm } from '../core/search/query.ts';
import { neutralized } from '../core/text/fence.ts';
import { visitWords } from '../core/text/words.ts';
import type { SessionState } from '../core/state/session-state.ts';
import type { SessionHit } from './session-search.ts';

/** How a part of the session reaches the model now. */
export type Whereabouts =
  /** Sent verbatim: its message is among the recent ones, or one of those repeats it. */
  | { readonly kind: 'window' }
  /** Sent verbatim, among the key events. */
  | { readonly kind: 'ledger'; readonly event: KeyEvent }
  /** Covered by its summary, in other words. */
  | { readonly kind: 'summary'; readonly node: SummaryNode; readonly level: Level }
  /** Kept on disk, but neither sent nor covered by its summary. */
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

/** A text is about the question if it holds this share of its words, and at least two of several. */
const SAID_SHARE = 0.5;
/** A result is covered by what is sent if that holds this share of the question's words in the result. */
const COVERED_SHARE = 0.6;
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
  const sought = soughtIn(query);
  const sent = [...request.system, ...request.messages.map(({ content }) => textOf(content))].join('\n');
  return hits.map(({ message, position, role, start, end, text }) => {
    const place = { message, position, role, start, end, text };
    const item = state.frontier.find(({ from, to }) => from <= position && position <= to);
    if (!item) return { ...place, where: { kind: 'window' } };
    const held = heldIn(text, sought);
    const isCovered = (by: string): boolean => heldIn(by, held).length >= COVERED_SHARE * Math.max(1, held.length);
    const quotes = eventsWithin(state, message, start, end).filter(({ quote }) => sent.includes(neutralized(quote)));
    if (quotes.length > 0 && isCovered(quotes.map(({ quote }) => quote).join('\n')))
      return { ...place, where: { kind: 'ledger', event: quotes[0]! } };
    const level = levelOf(state, item);
    if (isCovered(nodeText(item.node, level))) return { ...place, where: { kind: 'summary', node: item.node, level } };
    if (text.split(SENTENCE_END).some((one) => isCovered(one) && sent.includes(one.trim())))
      return { ...place, where: { kind: 'window' } };
    return { ...place, where: { kind: 'archived', node: item.node, level } };
  });
}

const SENTENCE_END = /\n+|(?<=[.!?])\s+|(?<=[。！？])/;

const textOf = (content: readonly ContentBlock[]): string =>
  content.map((block) => ('text' in block ? block.text : '')).join('\n');

/** The key events that quote a part of a stretch of a message. */
function eventsWithin(state: SessionState, message: MessageId, start: number, end: number): KeyEvent[] {
  return [...state.events.values()].filter((one) => one.message === message && one.start < end && start < one.end);
}

/**
 * Messages that are not on the active branch and tell of what is asked for. It reads all of them, so it is asked when
 * nothing on the branch does.
 */
export function elsewhere(state: SessionState, query: string, limit: number): Place[] {
  const sought = soughtIn(query);
  const found: Place[] = [];
  for (const id of state.messages.keys()) {
    if (found.length >= limit) break;
    if (state.positionOf(id) !== undefined) continue;
    const message = state.messages.get(id);
    const text = message && messageText(message);
    if (!message || text === undefined || !tells(text, sought, SAID_SHARE)) continue;
    const where = { kind: 'elsewhere' } as const;
    found.push({ message: id, position: -1, role: message.role, start: 0, end: text.length, text, where });
  }
  return found;
}

/** Whether a text tells of what a question seeks; search finds something for nearly every word. */
export function tellsOf(text: string, query: string): boolean {
  return tells(text, soughtIn(query), SAID_SHARE);
}

/** What a question seeks: its words without those that every question is made of. */
function soughtIn(query: string): readonly SoughtTerm[] {
  return readQuery(query).sought.filter(({ isManner }) => !isManner);
}

function tells(text: string, sought: readonly SoughtTerm[], share: number): boolean {
  if (sought.length === 0) return false;
  return heldIn(text, sought).length >= Math.max(Math.min(2, sought.length), share * sought.length);
}

/** Those of the sought words that a text holds. */
function heldIn(text: string, sought: readonly SoughtTerm[]): readonly SoughtTerm[] {
  const held = new Set<SoughtTerm>();
  visitWords(text, (word) => {
    for (const one of sought) if (answers(word, one)) held.add(one);
  });
  return [...held];
}

/** Whether a word is the one that is sought, another form of it, or another word for the same. */
function answers(word: string, { term, synonyms }: SoughtTerm): boolean {
  if (word === term || synonyms.includes(word)) return true;
  const [short, long] = word.length < term.length ? [word, term] : [term, word];
  const isForm =
    short.length >= MIN_STEM_LENGTH && long.length - short.length <= MAX_ENDING_LENGTH && long.startsWith(short);
  // A number that goes on is another number.
  return isForm && !/\d/.test(long);
}
