import type { ContextItem, PageCommand } from '../protocol/views.ts';
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

/** The text that is being completed, from `start` to `end` (UTF-16 offsets). */
export interface Completion {
  readonly kind: 'command' | 'context';
  readonly query: string;
  readonly start: number;
  readonly end: number;
}

/** The completion at the caret: `/name` if it's the whole text, or a word that begins with `#` or `@`. */
export function completionAt(value: string, caret: number): Completion | undefined {
  const before = value.slice(0, caret);
  const command = /^\/([a-z]*)$/i.exec(before)?.[1];
  // A command replaces the text, so a draft after the caret would be lost.
  if (command !== undefined && value.slice(caret).trim() === '')
    return { kind: 'command', query: command.toLowerCase(), start: 0, end: caret };
  const query = /(?:^|\s)[#@]([^\s#@]{0,200})$/.exec(before)?.[1];
  return query === undefined ? undefined : { kind: 'context', query, start: caret - query.length - 1, end: caret };
}

export const matchingCommands = (query: string): readonly SlashCommand[] =>
  SLASH_COMMANDS.filter((each) => each.name.startsWith(query));

/** The items that the host found for a query. */
export interface FoundItems {
  readonly query: string;
  readonly items: readonly ContextItem[];
}

/** The items to suggest for a query: those found for it, or until then, earlier ones whose labels contain it. */
export const matchingItems = ({ query: earlier, items }: FoundItems, query: string): readonly ContextItem[] =>
  query === earlier ? items : items.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));

/** Parses a slash command and its argument; undefined if the text is a message. */
export function parseSlashCommand(
  value: string,
): { readonly slash: SlashCommand; readonly argument: string } | undefined {
  const [, name = '', argument = ''] = /^\/([a-z]+)(?:\s+([\s\S]*))?$/i.exec(value.trim()) ?? [];
  const slash = SLASH_COMMANDS.find((each) => each.name === name.toLowerCase());
  return slash && { slash, argument: argument.trim() };
}

/** The composer's texts for the arrow keys: the sent ones, oldest first, and then the unsent one. All can be edited. */
export class InputHistory {
  readonly #sent: readonly string[];
  #texts: string[] = [];
  #index = 0;

  constructor(sent: readonly string[]) {
    this.#sent = sent;
    this.reset();
  }

  /** Forgets edits to sent texts and shows an empty unsent one. Must be called when the shown text is sent. */
  reset(): void {
    this.#texts = [...this.#sent, ''];
    this.#index = this.#sent.length;
  }

  /** Whether a sent text is shown. */
  get isBrowsing(): boolean {
    return this.#index < this.#texts.length - 1;
  }

  /**
   * Returns the text to show after an arrow key, or undefined if the key only moves the caret: ArrowUp moves from an
   * empty text to the newest sent one, and from the first line of a sent text to the previous one; ArrowDown from the
   * last line to the next one. The selection reaches from `start` to `end` (UTF-16 offsets).
   */
  textAfterKey(key: string, current: string, start: number, end: number): string | undefined {
    if (current !== '' && !this.isBrowsing) return undefined;
    if (key === 'ArrowUp' && !current.slice(0, start).includes('\n')) return this.step(-1, current);
    if (key === 'ArrowDown' && !current.slice(end).includes('\n')) return this.step(1, current);
    return undefined;
  }

  /** Moves to the previous (-1) or next (1) text and returns it; undefined if there is none. */
  step(by: -1 | 1, current: string): string | undefined {
    const next = this.#texts[this.#index + by];
    if (next === undefined) return undefined;
    this.#texts[this.#index] = current;
    this.#index += by;
    return next;
  }
}
