import { ModelFault } from '../app/fault.ts';
import type { ChatChunk, ChatModel, ChatRequest } from '../app/ports.ts';
import { messageText } from '../core/model/message.ts';
import { LOCAL_TEXTS, languageOf } from './local-texts.ts';

/** One place in the session, found by its search. */
export interface LocalHit {
  readonly text: string;
  /** The message's id, for a link. */
  readonly message: string;
  readonly role: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Higher is nearer; only the order counts. */
  readonly score: number;
  /** The message's place in the session, 1-based, where the session knows it. */
  readonly number?: number;
}

/** The session's own search, as the local model needs it. */
export interface LocalMemory {
  /** At most `limit` places that match the query, best first. */
  search(query: string, limit: number): readonly LocalHit[];
}

const HITS = 5;
/** Hits asked for, of which the question itself and repetitions are taken off. */
const CANDIDATES = 15;
/** UTF-16 units of a quote: a paragraph. The link leads to the rest. */
const MAX_QUOTE = 400;

/**
 * The embedded default: no key, no network. It answers from the session itself, by quoting what the search finds, and
 * says in each reply that no model is configured. The same question over the same session gives the same reply.
 */
export class LocalModel implements ChatModel {
  readonly id = 'local';
  readonly provider = 'local';
  readonly model = 'local';
  readonly #memory: LocalMemory;

  constructor(memory: LocalMemory) {
    this.#memory = memory;
  }

  /** Streams the reply line by line. Throws `ModelFault` with reason `cancelled` once `signal` is aborted. */
  async *stream(request: ChatRequest, signal: AbortSignal): AsyncGenerator<ChatChunk> {
    const question = lastQuestion(request);
    const reply = this.#reply(question);
    for (const piece of reply.split(/(?<=\n)/)) {
      // Lets the page paint, and a stop come through, between two lines.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
      yield { type: 'text', text: piece };
    }
    yield { type: 'end', ending: 'complete' };
  }

  #reply(question: string): string {
    const texts = LOCAL_TEXTS[languageOf(question)];
    const hits = question.trim() === '' ? [] : this.#hits(question);
    const parts = [`_${texts.noModel}_`];
    if (hits.length === 0) parts.push(texts.nothing);
    else parts.push(texts.found, ...hits.map((hit) => quote(hit, texts.message)));
    parts.push(texts.choose);
    return parts.join('\n\n');
  }

  /** The best hits, without the question itself, which is part of the session by now, and without repetitions. */
  #hits(question: string): readonly LocalHit[] {
    const seen = new Set([normal(question)]);
    const hits: LocalHit[] = [];
    for (const hit of this.#memory.search(question, CANDIDATES)) {
      const text = normal(hit.text);
      if (text === '' || seen.has(text)) continue;
      seen.add(text);
      hits.push(hit);
      if (hits.length === HITS) break;
    }
    return hits;
  }
}

function lastQuestion(request: ChatRequest): string {
  const last = request.messages.findLast((message) => message.role === 'user');
  return last === undefined ? '' : messageText(last);
}

/** A markdown quote with a link to its message. */
function quote(hit: LocalHit, label: string): string {
  const text = hit.text.trim();
  const short = text.length > MAX_QUOTE ? `${text.slice(0, MAX_QUOTE).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  const lines = short.split('\n').map((line) => `> ${line}`.trimEnd());
  const name = hit.number === undefined ? label : `${label} ${hit.number}`;
  const day = new Date(hit.at).toISOString().slice(0, 10);
  return `${lines.join('\n')}\n>\n> — ${hit.role}, ${day}, [${name}](threadkeeper:message/${encodeURIComponent(hit.message)})`;
}

const normal = (text: string): string => text.replace(/\s+/g, ' ').trim().toLowerCase();
