import type { PageCommand } from '../protocol/views.ts';
import { text } from './texts.ts';

export interface SlashCommand {
  readonly name: string;
  /** A command of the host, or `pin`, which the page handles. */
  readonly command: PageCommand | 'pin';
  readonly help: () => string;
  /** Whether the command takes the text after its name. By default, that text stays in the composer. */
  readonly argument?: 'expected' | 'optional';
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'compress', command: 'compressHistory', help: () => text('Summarize older messages') },
  // An alias, because VS Code, Copilot, and Claude Code use this name.
  { name: 'compact', command: 'compressHistory', help: () => text('Summarize older messages') },
  { name: 'reset', command: 'resetTask', help: () => text('End the current task and continue the session') },
  { name: 'task', command: 'setTask', help: () => text('Set the task: /task goal'), argument: 'expected' },
  { name: 'recall', command: 'recall', help: () => text('Search this session: /recall text'), argument: 'expected' },
  {
    name: 'pin',
    command: 'pin',
    help: () => text('Keep text from a message verbatim: /pin text'),
    argument: 'expected',
  },
  { name: 'model', command: 'chooseModel', help: () => text('Select a model') },
  { name: 'policy', command: 'choosePolicy', help: () => text('Select a compression policy for this session') },
  { name: 'export', command: 'exportSession', help: () => text('Export the session to a file') },
  { name: 'new', command: 'newSession', help: () => text('Start a new session'), argument: 'optional' },
];

export const matchingCommands = (query: string): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter((each) => each.name.startsWith(query));

/** Parses a slash command and its argument; undefined if the text is a message. */
export function parseSlashCommand(
  value: string,
): { readonly slash: SlashCommand; readonly argument: string } | undefined {
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(value.trim()) ?? [];
  const slash = SLASH_COMMANDS.find((each) => each.name === name.toLowerCase());
  return slash && { slash, argument: argument.trim() };
}
