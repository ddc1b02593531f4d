import type { KeyEvent } from '../model/key-event.ts';
import type { Message } from '../model/message.ts';
import type { SummaryNode } from '../model/summary.ts';
import { truncate } from '../text/truncate.ts';
import { visitWords } from '../text/words.ts';
import { oneLine } from './markdown-export.ts';

export interface DecisionRecord {
  readonly title: string;
  /** The active branch, oldest first. */
  readonly messages: readonly Message[];
  /** All key events; only decisions are used. */
  readonly events: readonly KeyEvent[];
  /** Summaries, which are searched for reasons, with the positions (0-based, inclusive) that they cover. */
  readonly summaries: readonly { readonly node: SummaryNode; readonly from: number; readonly to: number }[];
  /** Redacts secrets in a quote, before it's truncated for the heading and split into lines. */
  readonly redact?: (text: string) => string;
}

/** Minimum share of a summarized decision's words that the quote must contain to be the same decision. */
const MIN_SHARED_WORDS = 0.5;

/** A session's decisions as Markdown, each verbatim, with status, reason, message, and related decisions. */
export function* decisionRecord(record: DecisionRecord): Generator<string> {
  const positions = new Map(record.messages.map(({ id }, position) => [id, position]));
  const last = record.messages.length;
  const decisions = record.events
    .filter((event) => event.kind === 'decision')
    .map((event) => ({ event, position: positions.get(event.message) }))
    .sort((a, b) => (a.position ?? last) - (b.position ?? last) || a.event.start - b.event.start);
  const numbers = new Map(decisions.map(({ event }, index) => [event.id, index + 1]));
  const superseded = Map.groupBy(
    decisions.filter(({ event }) => event.status === 'superseded'),
    ({ event }) => event.link,
  );
  const inForce = decisions.filter(({ event }) => event.status === 'active' || event.status === 'dropped').length;
  yield `# Decisions: ${oneLine(record.title)}\n\n${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}, ${inForce} in force.\n`;
  for (const { event, position } of decisions) {
    const number = numbers.get(event.id)!;
    const message = position === undefined ? undefined : record.messages[position];
    const quote = record.redact?.(event.quote) ?? event.quote;
    yield `\n## ${number}. ${heading(quote)}\n\n${blockquote(quote)}\n\n`;
    yield `- Status: ${statusText(event, event.link === undefined ? undefined : numbers.get(event.link))}\n`;
    const replaced = superseded.get(event.id)?.map((one) => `decision ${numbers.get(one.event.id)!}`);
    if (replaced) yield `- Replaces: ${replaced.join(', ')}\n`;
    if (event.about) yield `- Answers: “${oneLine(event.about.quote)}”\n`;
    const why = position === undefined ? undefined : reasonOf(event, position, record.summaries);
    if (why !== undefined) yield `- Why: ${oneLine(why)}\n`;
    yield `- Found by: ${oneLine(event.reason)}\n`;
    yield message === undefined || position === undefined
      ? '- From: a message on another branch\n'
      : `- From: message ${position + 1}, ${message.role}, ${new Date(message.at).toISOString()}\n`;
  }
}

function statusText(event: KeyEvent, link: number | undefined): string {
  const by = link === undefined ? '' : ` by decision ${link}`;
  switch (event.status) {
    case 'active':
      return event.pinned ? 'in force, pinned' : 'in force';
    case 'superseded':
      return `superseded${by}`;
    case 'merged':
      return link === undefined ? 'duplicate' : `the same as decision ${link}`;
    case 'dropped':
      return 'in force, but didn’t fit and isn’t sent';
  }
}

/** The reason that the summaries of the message give for the most similar decision. */
function reasonOf(event: KeyEvent, position: number, summaries: DecisionRecord['summaries']): string | undefined {
  const words = wordsOf(`${event.quote} ${event.about?.quote ?? ''}`);
  let best: { readonly why: string; readonly shared: number } | undefined;
  for (const { node, from, to } of summaries) {
    if (position < from || position > to) continue;
    for (const { what, why } of node.structured?.decisions ?? []) {
      if (why === undefined || why.trim() === '') continue;
      const candidate = wordsOf(what);
      const shared = [...candidate].filter((word) => words.has(word)).length / Math.max(1, candidate.size);
      if (shared >= MIN_SHARED_WORDS && shared > (best?.shared ?? 0)) best = { why, shared };
    }
  }
  return best?.why;
}

function wordsOf(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  visitWords(text, (term) => words.add(term));
  return words;
}

const MAX_HEADING_UNITS = 80;

function heading(quote: string): string {
  const line = oneLine(quote);
  if (line.length <= MAX_HEADING_UNITS) return line;
  const cut = line.lastIndexOf(' ', MAX_HEADING_UNITS);
  return `${truncate(line, cut > 0 ? cut : MAX_HEADING_UNITS)} …`;
}

function blockquote(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');
}
