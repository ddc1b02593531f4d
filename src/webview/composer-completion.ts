import type { ContextItem } from '../protocol/views.ts';

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

export interface FoundItems {
  readonly query: string;
  readonly items: readonly ContextItem[];
}

/** The items to suggest for a query: those found for it, or until then, earlier ones whose labels contain it. */
export const matchingItems = ({ query: earlier, items }: FoundItems, query: string): readonly ContextItem[] =>
  query === earlier ? items : items.filter(({ label }) => label.toLowerCase().includes(query.toLowerCase()));
