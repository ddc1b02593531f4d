import { longestPrefixThatFits, tokensWithFraming } from '../core/compress/fitting.ts';
import { retentionPriorityOf } from '../core/events/ledger-budget.ts';
import { BY_CLIENT } from '../core/events/split-message.ts';
import type { KeyEvent, KeyEventKind, Span } from '../core/model/key-event.ts';
import { isLocalReply, messageText, type ContentBlock, type Message, type Role } from '../core/model/message.ts';
import { listedSteps } from '../core/model/task-list.ts';
import { runSynchronously } from '../core/pace/steps.ts';
import { redactContent } from '../core/redact/exported-messages.ts';
import { Redactor } from '../core/redact/redact.ts';
import { sentencesOf } from '../core/text/sentences.ts';
import { withSpeaker } from '../core/text/speakers.ts';
import { withoutAgentElements } from '../core/text/agent-elements.ts';
import { isSmallTalk } from '../core/text/small-talk.ts';
import type { TokenCounter } from '../core/tokens/token-counter.ts';
import { oneLine } from '../core/transcript/markdown-export.ts';
import { plannedSteps, type PlannedSteps } from '../core/transcript/planned-steps.ts';
import { NOT_EXTRACTED, type Extraction } from './compressed-messages.ts';
import { NO_CALLS } from './in-memory-session.ts';
import { keyEventsOf } from './library/chat-events.ts';
import { summarizeRecursive, type LibraryCalls, type LibraryMessage } from './public-api.ts';
import type { SummarizerConfig } from './summarizer.ts';
import { renderBriefing, type BriefingLine, type BriefingSection, type HandoffTarget } from './render-briefing.ts';

/** A message of the session that is handed over. `at` is in milliseconds since the epoch. */
export type HandoffMessage = Pick<Message, 'role' | 'content'> & Partial<Pick<Message, 'at' | 'model'>>;

export interface HandoffOptions {
  readonly target: HandoffTarget;
  /** Maximum tokens of the briefing, including its framing as a message. */
  readonly maxTokens: number;
  readonly counter: TokenCounter;
  /** Generates the summary. Without it, the summary is extracted from the messages. */
  readonly model?: SummarizerConfig | undefined;
}

export interface Handoff extends Extraction {
  /** '' if nothing fits or no message has content. */
  readonly text: string;
  /** Number of messages with content. */
  readonly messages: number;
  /** Tokens of the text, including framing. */
  readonly tokens: number;
  readonly calls: LibraryCalls;
}

/** Maximum shares of the room for the task, the newest messages, and the key events. The summary gets the rest. */
const TASK_SHARE = 0.2;
const NEWEST_SHARE = 0.2;
const EVENTS_SHARE = 0.35;
/** If all messages take at most this share of the room, they are included as they are. */
const WHOLE_SHARE = 0.6;
/** Maximum share of one message in the tokens for the task or the newest messages, and of one event in the events'. */
const MESSAGE_SHARE = 0.5;
const EVENT_SHARE = 0.25;
const MAX_NEWEST = 6;
/** A task list is current if it's among the newest messages, of which this many are substantive. */
const STEPS_WITHIN = 20;
/** Minimum tokens of a part of the briefing. A shorter one wouldn't be useful. */
const MIN_PART_TOKENS = 24;
const SUMMARY_HEADING_TOKENS = 8;
/** Additional priority of kinds that the continuing tool must respect. */
const BINDING_BONUS = 0.5;
const BINDING: ReadonlySet<KeyEventKind> = new Set(['decision', 'constraint', 'preference']);

const SECTION_OF: Readonly<Record<KeyEventKind, BriefingSection>> = {
  todo: 'Open steps',
  decision: 'Decisions',
  constraint: 'Constraints and preferences',
  preference: 'Constraints and preferences',
  fact: 'Facts',
  configuration: 'Facts',
  error: 'Errors and outcomes',
  outcome: 'Errors and outcomes',
};

/** Sections that are included even if all messages are. */
const BESIDE_WHOLE: readonly BriefingSection[] = ['Open steps', 'Decisions', 'Constraints and preferences'];

/** A message's text. `isSubstantive`: whether it's the user's or the model's and more than small talk. */
interface AnalyzedMessage {
  readonly index: number;
  readonly role: Role;
  readonly text: string;
  readonly at: number | undefined;
  readonly isSubstantive: boolean;
  /** The text with spaces instead of its tool calls, whose arguments aren't part of the conversation. */
  readonly prose: string;
}

/** A line with the span of a message that it quotes. */
interface QuoteLine extends BriefingLine {
  readonly quote: string;
  readonly of?: Span & { readonly message: number };
}

/**
 * Creates a briefing with which another tool continues a session: the task, the newest messages, open steps, decisions,
 * and other key events, verbatim, and a summary of the conversation. Secrets are masked.
 *
 * @throws the model's errors
 */
export async function createHandoff(messages: readonly HandoffMessage[], options: HandoffOptions): Promise<Handoff> {
  const { target, maxTokens, counter, model } = options;
  const redactor = new Redactor();
  const source = messages
    .filter((message) => message.role !== 'system' && !isLocalReply(message))
    .map((message) => ({ ...message, content: cleanContent(message, redactor) }))
    .filter(({ content }) => content.length > 0);
  const analyzed = source.map(analyzeMessage);
  const facts = { messages: source.length, days: daysOf(source) };
  const render = (lines: readonly BriefingLine[], summary: string): string =>
    renderBriefing(target, { ...facts, lines, summary });
  const tokensOf = (text: string): number => tokensWithFraming(text, counter);

  const room = maxTokens - tokensOf(render([], ''));
  const nothing = { text: '', tokens: 0, messages: source.length, calls: NO_CALLS, ...NOT_EXTRACTED };
  if (room < MIN_PART_TOKENS || analyzed.length === 0) return nothing;
  const isWhole = analyzed.reduce((sum, { text }) => sum + tokensOf(text), 0) <= room * WHOLE_SHARE;
  const prose = analyzed.map((one) => ({ role: one.role, text: one.prose }));
  const ledger = runSynchronously(keyEventsOf(prose));
  let lines = selectLines(analyzed, ledger, plannedSteps(source), { room, isWhole, counter });
  while (lines.length > 0 && tokensOf(render(lines, '')) > maxTokens) lines = lines.slice(0, -1);
  const left = maxTokens - tokensOf(render(lines, '')) - SUMMARY_HEADING_TOKENS;
  // Without a model, a summary consists of quotes, which would be repeated. A model needs them to understand the rest.
  const rest = model === undefined && !isWhole ? withoutQuotes(source, lines) : source;
  if (left < MIN_PART_TOKENS || rest.length === 0) {
    const text = lines.length === 0 ? '' : render(lines, '');
    return { ...nothing, text, tokens: text === '' ? 0 : tokensOf(text) };
  }
  const {
    text: whole,
    calls,
    isExtracted,
    isWindowTooSmall,
  } = await summarizeRecursive(rest, left, { counter, model });
  let summary = whole;
  // Tags in content are replaced by others, which may take a few more tokens.
  for (let excess = 1; summary !== '' && excess > 0;) {
    excess = tokensOf(render(lines, summary)) - maxTokens;
    if (excess > 0) summary = longestPrefixThatFits(summary, tokensOf(summary) - excess, counter);
  }
  const text = render(lines, summary);
  return { ...nothing, text, tokens: tokensOf(text), calls, isExtracted, isWindowTooSmall };
}

/** A message's content without secrets, and without elements that the user's tool added. */
function cleanContent({ role, content }: HandoffMessage, redactor: Redactor): readonly ContentBlock[] {
  return redactContent(content, redactor)
    .map((block) =>
      block.type === 'text' && role === 'user' ? { ...block, text: withoutAgentElements(block.text) } : block,
    )
    .filter((block) => block.type !== 'text' || block.text.trim() !== '');
}

function analyzeMessage({ role, content, at }: HandoffMessage, index: number): AnalyzedMessage {
  const text = messageText({ content });
  const isSubstantive =
    (role === 'user' || role === 'assistant') &&
    sentencesOf(text).some(({ start, end }) => {
      const sentence = text.slice(start, end).trim();
      return /[\p{L}\p{N}]/u.test(sentence) && !BY_CLIENT.test(sentence) && !isSmallTalk(sentence);
    });
  const withoutCalls = content.map((block) =>
    block.type === 'tool_call' ? { ...block, name: blank(block.name), json: blank(block.json) } : block,
  );
  return { index, role, text, at, isSubstantive, prose: messageText({ content: withoutCalls }) };
}

const blank = (text: string): string => ' '.repeat(text.length);

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

function daysOf(messages: readonly HandoffMessage[]): readonly [string, string] | undefined {
  const times = messages.flatMap(({ at }) => at ?? []);
  const [first, last] = [times[0], times.at(-1)];
  return first === undefined || last === undefined ? undefined : [dayOf(first), dayOf(last)];
}

interface Selection {
  /** Tokens for all parts of the briefing. */
  readonly room: number;
  /** Whether all messages are included anyway. */
  readonly isWhole: boolean;
  readonly counter: TokenCounter;
}

/** The lines of the briefing, the least important last. */
function selectLines(
  analyzed: readonly AnalyzedMessage[],
  ledger: readonly KeyEvent[],
  planned: PlannedSteps | undefined,
  { room, isWhole, counter }: Selection,
): QuoteLine[] {
  const substantive = analyzed.filter((one) => one.isSubstantive);
  const newest = isWhole ? [] : newestLines(substantive, room * NEWEST_SHARE, counter);
  const task = taskLines(substantive, isWhole, room * TASK_SHARE, counter);
  const known = newest.map(({ of }) => of?.message);
  const opening = task.filter(({ of }) => !known.includes(of?.message));
  const shown = [...opening, ...newest];
  const recent = analyzed.slice(substantive.at(-STEPS_WITHIN)?.index ?? 0);
  const candidates = [...stepLines(recent, planned), ...eventLines(ledger, analyzed)].filter(
    ({ quote, section }) =>
      !shown.some((line) => line.quote.includes(quote)) && (!isWhole || BESIDE_WHOLE.includes(section)),
  );
  return [...shown, ...fitLines(candidates, room * EVENTS_SHARE, counter)];
}

/** The first request, and the latest one. If all messages are included anyway, the first is enough. */
function taskLines(
  substantive: readonly AnalyzedMessage[],
  isWhole: boolean,
  room: number,
  counter: TokenCounter,
): QuoteLine[] {
  const requests = substantive.filter(({ role }) => role === 'user');
  const [first, latest] = [requests[0] ?? substantive[0], isWhole ? undefined : requests.at(-1)];
  const limit = room * MESSAGE_SHARE;
  return [
    ...(first ? [messageLine(first, 'Task', 'First request', limit, counter)] : []),
    ...(latest && latest !== first ? [messageLine(latest, 'Task', 'Latest request', limit, counter)] : []),
  ];
}

/** The newest messages within `room` tokens, at least one. */
function newestLines(substantive: readonly AnalyzedMessage[], room: number, counter: TokenCounter): QuoteLine[] {
  const lines: QuoteLine[] = [];
  let left = room;
  for (const message of substantive.slice(-MAX_NEWEST).reverse()) {
    const line = messageLine(message, 'Newest messages', message.role, room * MESSAGE_SHARE, counter);
    left -= counter.text(line.text);
    if (left < 0 && lines.length > 0) break;
    lines.push(line);
  }
  return lines;
}

function messageLine(
  { index, text, at }: AnalyzedMessage,
  section: BriefingSection,
  label: string,
  limit: number,
  counter: TokenCounter,
): QuoteLine {
  const trimmed = text.trim();
  const quote = longestPrefixThatFits(trimmed, Math.max(limit, MIN_PART_TOKENS), counter);
  const when = at === undefined ? '' : ` (${dayOf(at)})`;
  const start = text.indexOf(trimmed);
  // A prefix that was cut ends with an ellipsis.
  const end = start + (quote === trimmed ? trimmed.length : quote.length - 1);
  return { section, order: index, text: `${label}${when}: ${quote}`, quote, of: { message: index, start, end } };
}

/** The open steps of the newest task list in the messages, which is in a text or was planned with a tool call. */
function stepLines(recent: readonly AnalyzedMessage[], planned: PlannedSteps | undefined): QuoteLine[] {
  for (const { index, role, text } of recent.toReversed()) {
    const listed = role === 'user' || role === 'assistant' ? listedSteps(text) : [];
    const steps = listed.length === 0 && planned?.message === index ? planned.steps : listed;
    if (steps.length === 0) continue;
    return steps
      .filter(({ done }) => !done)
      .map((step, at) => ({
        section: 'Open steps',
        order: index + at / steps.length,
        text: `${oneLine(step.text)}${step.isCurrent ? ' (in progress)' : ''}`,
        quote: step.text,
      }));
  }
  return [];
}

/** Key events that are still current, the most important first. */
function eventLines(ledger: readonly KeyEvent[], analyzed: readonly AnalyzedMessage[]): QuoteLine[] {
  const priorityOf = (event: KeyEvent, at: number): number =>
    retentionPriorityOf(event, ledger.length - 1 - at) + (BINDING.has(event.kind) ? BINDING_BONUS : 0);
  return (
    ledger
      .map((event, at) => ({ event, at, priority: priorityOf(event, at) }))
      // Resolved and old to-dos, errors, and outcomes have a priority below 1, and superseded events one below 0.
      .filter(({ priority }) => priority >= 1)
      .sort((a, b) => b.priority - a.priority || b.at - a.at)
      .map(({ event, at }) => eventLine(event, at, analyzed))
  );
}

function eventLine(event: KeyEvent, order: number, analyzed: readonly AnalyzedMessage[]): QuoteLine {
  const { kind, quote, quoted: isQuoted = false, speaker, about, start, end } = event;
  const message = Number(event.message);
  const { role, at } = analyzed[message]!;
  const by = `${isQuoted ? 'quoted by ' : ''}${role}${at === undefined ? '' : `, ${dayOf(at)}`}`;
  const answered = about ? `, on “${oneLine(about.quote)}”` : '';
  return {
    section: SECTION_OF[kind],
    order,
    text: `“${oneLine(withSpeaker(speaker, quote))}” (${by}${answered})`,
    quote,
    of: { message, start, end },
  };
}

/** The lines that fit, in their order, without those whose quote an earlier line contains. */
function fitLines(candidates: readonly QuoteLine[], room: number, counter: TokenCounter): QuoteLine[] {
  const lines: QuoteLine[] = [];
  let left = room;
  for (const line of candidates) {
    const tokens = counter.text(line.text) + 2;
    const isKnown = lines.some(({ quote }) => quote.includes(line.quote));
    if (isKnown || tokens > Math.min(left, room * EVENT_SHARE)) continue;
    left -= tokens;
    lines.push(line);
  }
  return lines;
}

/** The messages without the spans that lines quote. */
function withoutQuotes(source: readonly HandoffMessage[], lines: readonly QuoteLine[]): LibraryMessage[] {
  const quotes = lines.flatMap(({ of }) => of ?? []);
  return source.flatMap(({ role, content }, index): LibraryMessage[] => {
    const spans = quotes.filter(({ message }) => message === index);
    if (spans.length === 0) return [{ role, content }];
    let text = '';
    let from = 0;
    const whole = messageText({ content });
    for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
      if (start > from) text += whole.slice(from, start);
      from = Math.max(from, end);
    }
    text = (text + whole.slice(from)).replace(/\n{3,}/g, '\n\n').trim();
    return /[\p{L}\p{N}]/u.test(text) ? [{ role, content: text }] : [];
  });
}
