import type { KeyEvent } from '../model/key-event.ts';
import type { ContentBlock, Message, Role } from '../model/message.ts';
import type { Task } from '../model/task.ts';
import type { FrontierItem } from '../state/frontier.ts';
import { withoutTerminalCodes } from '../text/terminal-codes.ts';
import { truncate } from '../text/truncate.ts';
import { wordsIn } from '../text/words.ts';

/** The content of a Markdown export. */
export interface MarkdownExport {
  readonly title: string;
  readonly messages: readonly Message[];
  readonly summaries?: readonly FrontierItem[];
  readonly events?: readonly KeyEvent[];
  readonly tasks?: readonly Task[];
}

const ROLE_NAMES: Readonly<Record<Role, string>> = {
  system: 'System',
  user: 'User',
  assistant: 'Assistant',
  tool: 'Tool',
};

/**
 * Exports a session as Markdown: tasks, key events, and summaries, then all messages, numbered from 1, with times in
 * UTC. Messages' text is unchanged; tool calls, tool results, and attachments are in code fences.
 */
export function* sessionToMarkdown(session: MarkdownExport): Generator<string> {
  yield `# ${oneLine(session.title)}\n`;
  yield* tasksSection(session.tasks ?? []);
  yield* eventsSection(session);
  yield* summariesSection(session.summaries ?? []);
  if (session.messages.length > 0) yield '\n## Messages\n';
  for (const [index, message] of session.messages.entries()) {
    const by = message.model === undefined ? '' : ` · ${message.model}`;
    yield `\n### ${index + 1}. ${ROLE_NAMES[message.role]} · ${formatTime(message.at)}${by}\n`;
    for (const block of message.content) yield `\n${renderBlock(block)}\n`;
    for (const { name, text } of message.attachments ?? []) yield `\nAttached: ${oneLine(name)}\n\n${fenced(text)}\n`;
    if (message.ending && message.ending !== 'complete') yield `\n_(${message.ending})_\n`;
  }
}

function* tasksSection(tasks: readonly Task[]): Generator<string> {
  if (tasks.length === 0) return;
  yield '\n## Tasks\n';
  for (const task of tasks) {
    const ended = task.endedAt === undefined ? '' : ` (ended ${formatTime(task.endedAt)})`;
    yield `\n**${oneLine(task.goal)}**${ended}\n`;
    if (task.steps.length > 0) yield '\n';
    for (const step of task.steps) {
      const note = step.status === 'pending' || step.status === 'done' ? '' : ` _(${step.status.replace('_', ' ')})_`;
      yield `- [${step.status === 'done' ? 'x' : ' '}] ${oneLine(step.text)}${note}\n`;
    }
  }
}

function* eventsSection(session: MarkdownExport): Generator<string> {
  const events = session.events ?? [];
  if (events.length === 0) return;
  const numbers = new Map(session.messages.map((message, index) => [message.id, index + 1]));
  yield '\n## Key events\n\n';
  for (const event of events) {
    const number = numbers.get(event.message);
    const reference = number === undefined ? '' : ` (message ${number})`;
    const status = event.status === 'active' ? '' : `, ${event.status}`;
    yield `- **${event.kind}**${status}${event.pinned ? ', pinned' : ''}: “${oneLine(event.quote)}”${reference}\n`;
  }
}

function* summariesSection(summaries: readonly FrontierItem[]): Generator<string> {
  if (summaries.length === 0) return;
  yield '\n## Summaries\n';
  for (const { node, from, to } of summaries) {
    yield `\n### Messages ${from + 1} to ${to + 1}: ${oneLine(node.title)}\n\n${node.detailed}\n`;
  }
}

function renderBlock(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'image':
      return `_(image, ${block.mediaType})_`;
    case 'tool_call':
      return `Called \`${block.name}\`\n\n${fenced(block.json)}`;
    case 'tool_result':
      return `${block.isError ? 'Result (error)' : 'Result'}\n\n${fenced(block.text)}`;
  }
}

/** Puts text in a code fence that is longer than any run of backticks in it (CommonMark 4.5). */
function fenced(text: string): string {
  let longest = 2;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}${text.endsWith('\n') ? '' : '\n'}${fence}`;
}

export const oneLine = (text: string): string => withoutTerminalCodes(text).replace(/\s+/g, ' ').trim();

const formatTime = (at: number): string => `${new Date(at).toISOString().replace('T', ' ').slice(0, 16)} UTC`;

/** Minimum share of a summarized decision's words that the quote must contain to be the same decision. */
const MIN_SHARED_WORDS = 0.5;

/**
 * A session's decisions as Markdown, each verbatim, with status, reason, message, and related decisions. The summaries
 * are searched for reasons. `redact` is applied to a quote before it's truncated for the heading and split into lines.
 */
export function* decisionRecord({
  title,
  messages,
  events = [],
  summaries = [],
  redact = (text) => text,
}: MarkdownExport & { readonly redact?: (text: string) => string }): Generator<string> {
  const positions = new Map(messages.map(({ id }, position) => [id, position]));
  const last = messages.length;
  const decisions = events
    .filter((event) => event.kind === 'decision')
    .map((event) => ({ event, position: positions.get(event.message) }))
    .sort((a, b) => (a.position ?? last) - (b.position ?? last) || a.event.start - b.event.start);
  const numbers = new Map(decisions.map(({ event }, index) => [event.id, index + 1]));
  const inForce = decisions.filter(({ event }) => event.status === 'active' || event.status === 'dropped').length;
  yield `# Decisions: ${oneLine(title)}\n\n${decisions.length} ${decisions.length === 1 ? 'decision' : 'decisions'}, ${inForce} in force.\n`;
  for (const { event, position } of decisions) {
    const number = numbers.get(event.id)!;
    const message = position === undefined ? undefined : messages[position];
    const quote = redact(event.quote);
    yield `\n## ${number}. ${heading(quote)}\n\n${blockquote(quote)}\n\n`;
    yield `- Status: ${statusText(event, event.link === undefined ? undefined : numbers.get(event.link))}\n`;
    const replaced = decisions
      .filter((one) => one.event.status === 'superseded' && one.event.link === event.id)
      .map((one) => `decision ${numbers.get(one.event.id)!}`);
    if (replaced.length > 0) yield `- Replaces: ${replaced.join(', ')}\n`;
    if (event.about) yield `- Answers: “${oneLine(event.about.quote)}”\n`;
    const why = position === undefined ? undefined : reasonOf(event, position, summaries);
    if (why !== undefined) yield `- Why: ${oneLine(why)}\n`;
    yield `- Found by: ${oneLine(event.reason)}\n`;
    yield message === undefined || position === undefined
      ? '- From: a message on another branch\n'
      : `- From: message ${position + 1}, ${message.role}, ${formatTime(message.at)}\n`;
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
function reasonOf(event: KeyEvent, position: number, summaries: readonly FrontierItem[]): string | undefined {
  const words = wordsIn(`${event.quote} ${event.about?.quote ?? ''}`);
  let best: { readonly why: string; readonly shared: number } | undefined;
  for (const { node, from, to } of summaries) {
    if (position < from || position > to) continue;
    for (const { what, why } of node.structured?.decisions ?? []) {
      if (why === undefined || why.trim() === '') continue;
      const candidate = wordsIn(what);
      const shared = [...candidate].filter((word) => words.has(word)).length / Math.max(1, candidate.size);
      if (shared >= MIN_SHARED_WORDS && shared > (best?.shared ?? 0)) best = { why, shared };
    }
  }
  return best?.why;
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
