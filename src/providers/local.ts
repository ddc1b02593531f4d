import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../app/ports.ts';
import type { SearchResult } from '../app/searchable.ts';
import { messageText } from '../core/model/message.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { LOCAL_TEXTS, languageOf } from './local-texts.ts';

export type LocalHit = Pick<SearchResult, 'text' | 'message' | 'role' | 'at' | 'position'>;

/** Searches the session. Resolves to the best results, at most `limit`. */
export type LocalSearch = (query: string, limit: number) => Promise<readonly LocalHit[]>;

const MAX_HITS = 5;
/** Number of results to request, from which the question itself and repetitions are removed. */
const CANDIDATES = 15;
/** Maximum length of a quote in UTF-16 units: a paragraph. The link leads to the rest. */
const MAX_QUOTE = 400;

/** The default model, without key and network: it quotes search results, and says that no model is configured. */
export class LocalModel implements ChatModel {
  readonly id = 'local';
  readonly provider = 'local';
  readonly model = 'local';
  readonly #search: LocalSearch;

  constructor(search: LocalSearch) {
    this.#search = search;
  }

  /** Streams the reply line by line. Throws `ModelFault` with the reason `cancelled` once `signal` is aborted. */
  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const userTexts = request.messages.filter((message) => message.role === 'user').map(messageText);
    const reply = await this.#reply(userTexts.reverse());
    for (const piece of reply.split(/(?<=\n)/)) {
      // Let the page paint, and the user stop the reply, between two lines.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
      yield { type: 'text', text: piece };
    }
    yield { type: 'end', ending: 'complete' };
  }

  /** @param userTexts texts of the user's messages, newest first */
  async #reply(userTexts: readonly string[]): Promise<string> {
    const question = userTexts[0] ?? '';
    const texts = LOCAL_TEXTS[languageOf(...userTexts)];
    const hits = question.trim() === '' ? [] : await this.#hits(question);
    const found = [texts.found, ...hits.map((hit) => quote(hit, question, texts.message))];
    // A session's first message has nothing before it to match.
    const nothing = userTexts.length > 1 ? [texts.nothing] : [];
    return [...(hits.length > 0 ? found : nothing), texts.noModel].join('\n\n');
  }

  /** The best results without repetitions and without the question, which is already part of the session. */
  async #hits(question: string): Promise<readonly LocalHit[]> {
    const seen = new Set([normalized(question)]);
    const hits: LocalHit[] = [];
    for (const hit of await this.#search(question, CANDIDATES)) {
      const text = normalized(hit.text);
      if (text === '' || seen.has(text)) continue;
      seen.add(text);
      hits.push(hit);
      if (hits.length === MAX_HITS) break;
    }
    return hits;
  }
}

function quote(hit: LocalHit, question: string, label: string): string {
  const lines = closeFence(excerpt(hit.text.trim(), question))
    .split('\n')
    .map((line) => `> ${line}`.trimEnd());
  const day = new Date(hit.at).toISOString().slice(0, 10);
  return `${lines.join('\n')}\n>\n> — ${hit.role}, ${day}, [${label} ${hit.position + 1}](threadkeeper:message/${encodeURIComponent(hit.message)})`;
}

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
