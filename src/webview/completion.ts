import type { PageCommand } from '../protocol/views.ts';
import { text } from './texts.ts';

/** A slash command, with a description. */
export interface SlashCommand {
  readonly name: string;
  /** `pin` is handled by the page. */
  readonly command: PageCommand | 'pin';
  readonly help: () => string;
  /** Whether it takes an argument. */
  readonly argument?: boolean;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'compress', command: 'compressHistory', help: () => text('Summarize older messages') },
  // The name in VS Code, Copilot, and Claude Code.
  { name: 'compact', command: 'compressHistory', help: () => text('Summarize older messages') },
  { name: 'reset', command: 'resetTask', help: () => text('End the current task and continue the session') },
  { name: 'task', command: 'setTask', help: () => text('Set the task: /task goal'), argument: true },
  { name: 'recall', command: 'recall', help: () => text('Search this session: /recall text'), argument: true },
  { name: 'pin', command: 'pin', help: () => text('Keep text from a message verbatim: /pin text'), argument: true },
  { name: 'model', command: 'chooseModel', help: () => text('Select a model') },
  { name: 'policy', command: 'choosePolicy', help: () => text('Select a compression policy for this session') },
  { name: 'export', command: 'exportSession', help: () => text('Export the session to a file') },
  { name: 'new', command: 'newSession', help: () => text('Start a new session') },
];

/** A completion in progress. The choice replaces the text from `start` to `end` (UTF-16 offsets). */
export interface Completing {
  readonly kind: 'command' | 'context';
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** The completion before the caret: `/name` at the beginning, or `#name` or `@name` after a space. */
export function completingAt(value: string, caret: number): Completing | undefined {
  const before = value.slice(0, caret);
  const command = /^\/([a-z]*)$/i.exec(before)?.[1];
  if (command !== undefined) return { kind: 'command', query: command.toLowerCase(), start: 0, end: caret };
  const query = /(?:^|\s)[#@]([^\s#@]{0,200})$/.exec(before)?.[1];
  return query === undefined ? undefined : { kind: 'context', query, start: caret - query.length - 1, end: caret };
}

export const commandsFor = (query: string): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter((each) => each.name.startsWith(query));

/** Parses a text with a command and its argument; undefined if it's a message. */
export function readCommand(value: string): { readonly slash: SlashCommand; readonly argument: string } | undefined {
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(value.trim()) ?? [];
  const slash = SLASH_COMMANDS.find((each) => each.name === name.toLowerCase());
  return slash && { slash, argument: argument.trim() };
}

/** Browses sent texts, newest first, with the unsent text at the end. */
export class InputHistory {
  readonly #sent: readonly string[];
  #index: number;
  #unsent = '';

  constructor(sent: readonly string[]) {
    this.#sent = sent;
    this.#index = sent.length;
  }

  /** Whether an older text is shown. */
  get browsing(): boolean {
    return this.#index < this.#sent.length;
  }

  /** The text to show instead of `current`: -1 is the previous one, 1 the next; undefined beyond the ends. */
  step(by: -1 | 1, current: string): string | undefined {
    const next = this.#index + by;
    if (next < 0 || next > this.#sent.length) return undefined;
    if (!this.browsing) this.#unsent = current;
    this.#index = next;
    return this.#sent[next] ?? this.#unsent;
  }
}
