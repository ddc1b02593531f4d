import type { PageCommand } from '../protocol/views.ts';
import { text } from './texts.ts';

export interface SlashCommand {
  readonly name: string;
  /** A command of the host, or `pin`, which the page handles. */
  readonly command: PageCommand | 'pin';
  readonly help: () => string;
  readonly takesArgument?: boolean;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'compress', command: 'compressHistory', help: () => text('Summarize older messages') },
  // An alias, because VS Code, Copilot, and Claude Code use this name.
  { name: 'compact', command: 'compressHistory', help: () => text('Summarize older messages') },
  { name: 'reset', command: 'resetTask', help: () => text('End the current task and continue the session') },
  { name: 'task', command: 'setTask', help: () => text('Set the task: /task goal'), takesArgument: true },
  { name: 'recall', command: 'recall', help: () => text('Search this session: /recall text'), takesArgument: true },
  {
    name: 'pin',
    command: 'pin',
    help: () => text('Keep text from a message verbatim: /pin text'),
    takesArgument: true,
  },
  { name: 'model', command: 'chooseModel', help: () => text('Select a model') },
  { name: 'policy', command: 'choosePolicy', help: () => text('Select a compression policy for this session') },
  { name: 'export', command: 'exportSession', help: () => text('Export the session to a file') },
  { name: 'new', command: 'newSession', help: () => text('Start a new session') },
];

/** The text that is being completed, from `start` to `end` (UTF-16 offsets). */
export interface Completion {
  readonly kind: 'command' | 'context';
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** The completion at the caret: `/name` at the beginning of the text, or a word that begins with `#` or `@`. */
export function completionAt(value: string, caret: number): Completion | undefined {
  const before = value.slice(0, caret);
  const command = /^\/([a-z]*)$/i.exec(before)?.[1];
  if (command !== undefined) return { kind: 'command', query: command.toLowerCase(), start: 0, end: caret };
  const query = /(?:^|\s)[#@]([^\s#@]{0,200})$/.exec(before)?.[1];
  return query === undefined ? undefined : { kind: 'context', query, start: caret - query.length - 1, end: caret };
}

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

/** Navigates through sent texts. The unsent text follows the newest one. */
export class InputHistory {
  readonly #sent: readonly string[];
  #index: number;
  #unsent = '';

  constructor(sent: readonly string[]) {
    this.#sent = sent;
    this.#index = sent.length;
  }

  /** Whether a sent text is shown. */
  get isBrowsing(): boolean {
    return this.#index < this.#sent.length;
  }

  /** Moves to the previous (-1) or next (1) text and returns it; undefined if there is none. */
  step(by: -1 | 1, current: string): string | undefined {
    const next = this.#index + by;
    if (next < 0 || next > this.#sent.length) return undefined;
    if (!this.isBrowsing) this.#unsent = current;
    this.#index = next;
    return this.#sent[next] ?? this.#unsent;
  }
}
