import { ModelFault } from '../app/fault.ts';
import type { ChatModel } from '../app/ports.ts';
import type { SearchResult } from '../app/search-results.ts';
import { messageText } from '../core/model/message.ts';
import { bestExcerpt } from '../core/search/excerpt.ts';
import { queryIn } from '../core/search/query.ts';
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
export const localModel = (search: LocalSearch): ChatModel => ({
  id: 'local',
  provider: 'local',
  model: 'local',
  /** Streams the reply line by line. Throws `ModelFault` with the reason `cancelled` once `signal` is aborted. */
  async *stream(request, signal) {
    const ofUser = request.messages.filter((message) => message.role === 'user');
    const userTexts = ofUser.map((message) => queryIn(messageText(message)));
    const reply = await replyTo(userTexts.reverse(), search);
    for (const piece of reply.split(/(?<=\n)/)) {
      // Let the page paint, and the user stop the reply, between two lines.
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
      yield { type: 'text', text: piece };
    }
    yield { type: 'end', ending: 'complete' };
  },
});

/** @param userTexts texts of the user's messages, newest first */
async function replyTo(userTexts: readonly string[], search: LocalSearch): Promise<string> {
  const question = userTexts[0] ?? '';
  const texts = LOCAL_TEXTS[languageOf(...userTexts)];
  const hits = question.trim() === '' ? [] : bestHits(await search(question, CANDIDATES), question);
  const found = [texts.found, ...hits.map((hit) => quote(hit, question, texts.message))];
  // A session's first message has nothing before it to match.
  const nothing = userTexts.length > 1 ? [texts.nothing] : [];
  return [...(hits.length > 0 ? found : nothing), texts.noModel].join('\n\n');
}

/** The best results without repetitions and without the question, which is already part of the session. */
function bestHits(candidates: readonly LocalHit[], question: string): readonly LocalHit[] {
  const byText = Map.groupBy(candidates, ({ text }) => normalized(text));
  for (const text of ['', normalized(question)]) byText.delete(text);
  return [...byText.values()].slice(0, MAX_HITS).map(([first]) => first!);
}

function quote(hit: LocalHit, question: string, label: string): string {
  const lines = closeFence(excerpt(hit.text.trim(), question))
    .split('\n')
    .map((line) => `> ${line}`.trimEnd());
  // The Swedish format is that of ISO 8601.
  const day = new Date(hit.at).toLocaleDateString('sv');
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
