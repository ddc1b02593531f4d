import type { PageCommand } from '../protocol/views.ts';
import { text } from './texts.ts';

/** A command that can be typed, with what it does. */
export interface SlashCommand {
  readonly name: string;
  /** `pin` is the page's own: it takes what is selected or typed. */
  readonly command: PageCommand | 'pin';
  readonly help: () => string;
  /** True when text is to follow it. */
  readonly argument: boolean;
}

const slash = (
  name: string,
  command: SlashCommand['command'],
  help: SlashCommand['help'],
  argument = false,
): SlashCommand => ({ name, command, help, argument });

export const SLASH_COMMANDS: readonly SlashCommand[] = [
  slash('compress', 'compressHistory', () => text('Summarize older messages')),
  // What VS Code, Copilot and Claude Code call it.
  slash('compact', 'compressHistory', () => text('Summarize older messages')),
  slash('reset', 'resetTask', () => text('End the current task and continue the session')),
  slash('task', 'setTask', () => text('Set the task: /task goal'), true),
  slash('recall', 'recall', () => text('Search this session: /recall text'), true),
  slash('pin', 'pin', () => text('Keep text from a message verbatim: /pin text'), true),
  slash('model', 'chooseModel', () => text('Select a model')),
  slash('policy', 'choosePolicy', () => text('Select a compression policy for this session')),
  slash('export', 'exportSession', () => text('Export the session to a file')),
  slash('new', 'newSession', () => text('Start a new session')),
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
  const command = /^\/([a-z]*)$/i.exec(before);
  if (command) return { kind: 'command', query: command[1]!.toLowerCase(), start: 0, end: caret };
  const named = /(?:^|\s)[#@]([^\s#@]{0,200})$/.exec(before);
  if (named) return { kind: 'context', query: named[1]!, start: caret - named[1]!.length - 1, end: caret };
  return undefined;
}

export function commandsFor(query: string): readonly SlashCommand[] {
  return SLASH_COMMANDS.filter((each) => each.name.startsWith(query));
}

/** Reads a text that is a command and its argument; undefined when it is a message. */
export function readCommand(value: string): { readonly slash: SlashCommand; readonly argument: string } | undefined {
  const found = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(value.trim());
  const slash = found && SLASH_COMMANDS.find((each) => each.name === found[1]!.toLowerCase());
  return slash ? { slash, argument: (found[2] ?? '').trim() } : undefined;
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

  older(current: string): string | undefined {
    if (this.#index === 0) return undefined;
    if (!this.browsing) this.#unsent = current;
    this.#index--;
    return this.#sent[this.#index];
  }

  newer(): string | undefined {
    if (!this.browsing) return undefined;
    this.#index++;
    return this.#sent[this.#index] ?? this.#unsent;
  }
}
