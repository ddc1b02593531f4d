import { useEffect, useState } from 'preact/hooks';
import type { ContextItem } from '../../protocol/views.ts';
import { commandsFor, type Completing } from '../completion.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import type { Suggestion } from './suggestion-list.tsx';

/** What can stand in place of what is being completed, and what each choice does. */
export function useSuggestions(
  completing: Completing | undefined,
  value: string,
  write: (text: string, caret?: number) => void,
  submit: (text: string) => void,
): readonly Suggestion[] {
  const page = usePage();
  const items = useContextItems(completing?.kind === 'context' ? completing.query : undefined);
  if (completing?.kind === 'command') {
    return commandsFor(completing.query).map((each) => ({
      key: each.name,
      icon: 'symbol-event',
      label: `/${each.name}`,
      detail: text(each.help),
      choose: () => (each.argument ? write(`/${each.name} `) : submit(`/${each.name}`)),
    }));
  }
  if (!completing) return [];
  return items.map(({ label, detail, what }) => ({
    key: JSON.stringify(what),
    icon: ICONS[what.kind],
    label,
    detail,
    choose: () => {
      write(value.slice(0, completing.start) + value.slice(completing.end), completing.start);
      void page.ask('attach', { what });
    },
  }));
}

const ICONS: Readonly<Record<ContextItem['what']['kind'], string>> = {
  selection: 'list-selection',
  currentFile: 'file',
  openEditors: 'files',
  problems: 'warning',
  allProblems: 'warning',
  changes: 'source-control',
  terminal: 'terminal',
  terminalCommand: 'terminal',
  file: 'file',
  folder: 'folder',
  symbol: 'symbol-class',
  session: 'comment-discussion',
};

/** What can be attached whose name matches; nothing while nothing is asked for. */
function useContextItems(query: string | undefined): readonly ContextItem[] {
  const page = usePage();
  const [items, setItems] = useState<readonly ContextItem[]>([]);
  useEffect(() => {
    if (query === undefined) {
      setItems([]);
      return undefined;
    }
    let current = true;
    void page.ask('completeContext', { query }).then((found) => {
      if (current) setItems(found ?? []);
    });
    return () => {
      current = false;
    };
  }, [query]);
  return items;
}

/** Goes through the suggestions by keyboard; true when the key was for them. */
export function suggestionKey(
  event: KeyboardEvent,
  suggestions: readonly Suggestion[],
  picked: number,
  setChosen: (index: number) => void,
): boolean {
  const count = suggestions.length;
  if (event.key === 'ArrowDown') setChosen((picked + 1) % count);
  else if (event.key === 'ArrowUp') setChosen((picked + count - 1) % count);
  else if (event.key === 'Enter' || event.key === 'Tab') suggestions[picked]?.choose();
  else return false;
  event.preventDefault();
  return true;
}
