import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../app/ports.ts';
import { messageText } from '../core/model/message.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { LOCAL_TEXTS, languageOf } from './local-texts.ts';

/** A search result in the session. */
export interface LocalHit {
  readonly text: string;
  /** The message's ID, for a link. */
  readonly message: string;
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Higher is better; only used for sorting. */
  readonly score: number;
  /** The message's 1-based number in the session, if known. */
  readonly number?: number;
}

/** The session's search, as used by the local model. */
export interface LocalMemory {
  /** The best results for a query, at most `limit`. */
  search(query: string, limit: number): readonly LocalHit[];
}

const MAX_HITS = 5;
/** Number of results to request, from which the question itself and repetitions are removed. */
const CANDIDATES = 15;
/** Maximum length of a quote in UTF-16 units: a paragraph. The link leads to the rest. */
const MAX_QUOTE = 400;

/**
 * The default model, which needs no key and no network. It quotes search results from the session, and each reply says
 * that no model is configured. The same question about the same session gives the same reply.
 */
export class LocalModel implements ChatModel {
  readonly id = 'local';
  readonly provider = 'local';
  readonly model = 'local';
  readonly #memory: LocalMemory;

  constructor(memory: LocalMemory) {
    this.#memory = memory;
  }

  /** Streams the reply line by line. Throws `ModelFault` with the reason `cancelled` once `signal` is aborted. */
  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const userTexts = request.messages.filter((message) => message.role === 'user').map(messageText);
    const reply = this.#reply(userTexts.reverse());
    for (const piece of reply.split(/(?<=\n)/)) {
      // Lets the page paint, and a stop take effect, between two lines.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
      yield { type: 'text', text: piece };
    }
    yield { type: 'end', ending: 'complete' };
  }

  /** @param userTexts texts of the user's messages, newest first */
  #reply(userTexts: readonly string[]): string {
    const question = userTexts[0] ?? '';
    const texts = LOCAL_TEXTS[languageOf(...userTexts)];
    const hits = question.trim() === '' ? [] : this.#hits(question);
    const found = [texts.found, ...hits.map((hit) => quote(hit, question, texts.message))];
    // At the beginning of a session, nothing could match.
    const nothing = userTexts.length > 1 ? [texts.nothing] : [];
    return [...(hits.length > 0 ? found : nothing), texts.noModel].join('\n\n');
  }

  /** The best results without repetitions and without the question, which is already part of the session. */
  #hits(question: string): readonly LocalHit[] {
    const seen = new Set([normalized(question)]);
    const hits: LocalHit[] = [];
    for (const hit of this.#memory.search(question, CANDIDATES)) {
      const text = normalized(hit.text);
      if (text === '' || seen.has(text)) continue;
      seen.add(text);
      hits.push(hit);
      if (hits.length === MAX_HITS) break;
    }
    return hits;
  }
}

/** A quote in Markdown with a link to its message. */
function quote(hit: LocalHit, question: string, label: string): string {
  const lines = closeFence(excerpt(hit.text.trim(), question))
    .split('\n')
    .map((line) => `> ${line}`.trimEnd());
  const name = hit.number === undefined ? label : `${label} ${hit.number}`;
  const day = new Date(hit.at).toISOString().slice(0, 10);
  return `${lines.join('\n')}\n>\n> — ${hit.role}, ${day}, [${name}](threadkeeper:message/${encodeURIComponent(hit.message)})`;
}

/** The text, or the part of a long one that matches the question best. */
function excerpt(text: string, question: string): string {
  const { start, end } = bestExcerpt(text, question, MAX_QUOTE);
  return `${start > 0 ? '…' : ''}${text.slice(start, end).trim()}${end < text.length ? '…' : ''}`;
}

/** Closes a code block that a truncated quote leaves open. Otherwise, the link below would be part of it. */
function closeFence(text: string): string {
  let open: string | undefined;
  for (const [, marks = '', info = ''] of text.matchAll(/^ {0,3}(`{3,}|~{3,})(.*)$/gm)) {
    if (open === undefined) open = marks;
    else if (marks.startsWith(open) && info.trim() === '') open = undefined;
  }
  return open === undefined ? text : `${text}\n${open}`;
}

const normalized = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
