import type { KeyEvent } from '../model/key-event.ts';
import type { ContentBlock, Message, Role } from '../model/message.ts';
import type { SummaryNode } from '../model/summary.ts';
import type { Task } from '../model/task.ts';
import { withoutTerminalCodes } from '../text/terminal-codes.ts';

/** The content of a Markdown export. `from` and `to` are indexes into `messages`, both inclusive. */
export interface MarkdownExport {
  readonly title: string;
  readonly messages: readonly Message[];
  readonly summaries?: readonly { readonly node: SummaryNode; readonly from: number; readonly to: number }[];
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

function* summariesSection(summaries: NonNullable<MarkdownExport['summaries']>): Generator<string> {
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

const formatTime = (at: number): string => new Date(at).toISOString().replace('T', ' ').slice(0, 16);
