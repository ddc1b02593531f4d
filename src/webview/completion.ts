import type { PageCommand } from '../protocol/views.ts';
import { text } from './texts.ts';

/** A command that can be typed, with what it does. */
export interface SlashCommand {
  readonly name: string;
  /** `pin` is the page's own: it takes what is typed. */
  readonly command: PageCommand | 'pin';
  readonly help: () => string;
  /** True when text is to follow it. */
  readonly argument?: boolean;
}

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  { name: 'compress', command: 'compressHistory', help: () => text('Summarize older messages') },
  // What VS Code, Copilot and Claude Code call it.
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

/** What is being completed: the text from `start` to `end` (UTF-16 offsets) is replaced by the choice. */
export interface Completing {
  readonly kind: 'command' | 'context';
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** What stands before the caret that can be completed: `/name` at the very start, `#name` or `@name` after a space. */
export function completingAt(value: string, caret: number): Completing | undefined {
  const before = value.slice(0, caret);
  const command = /^\/([a-z]*)$/i.exec(before)?.[1];
  if (command !== undefined) return { kind: 'command', query: command.toLowerCase(), start: 0, end: caret };
  const query = /(?:^|\s)[#@]([^\s#@]{0,200})$/.exec(before)?.[1];
  return query === undefined ? undefined : { kind: 'context', query, start: caret - query.length - 1, end: caret };
}

export const commandsFor = (query: string): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter((each) => each.name.startsWith(query));

/** Reads a text that is a command and its argument; undefined when it is a message. */
export function readCommand(value: string): { readonly slash: SlashCommand; readonly argument: string } | undefined {
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(value.trim()) ?? [];
  const slash = SLASH_COMMANDS.find((each) => each.name === name.toLowerCase());
  return slash && { slash, argument: argument.trim() };
}

/** Steps through what was sent before, newest first, with the unsent text at the end. */
export class InputHistory {
  readonly #sent: readonly string[];
  #index: number;
  #unsent = '';

  constructor(sent: readonly string[]) {
    this.#sent = sent;
    this.#index = sent.length;
  }

  /** True while an older text is shown. */
  get browsing(): boolean {
    return this.#index < this.#sent.length;
  }

  /** The text to show in place of `current`: `by` -1 goes to an older one, 1 back; undefined past the ends. */
  step(by: -1 | 1, current: string): string | undefined {
    const next = this.#index + by;
    if (next < 0 || next > this.#sent.length) return undefined;
    if (!this.browsing) this.#unsent = current;
    this.#index = next;
    return this.#sent[next] ?? this.#unsent;
  }
}
