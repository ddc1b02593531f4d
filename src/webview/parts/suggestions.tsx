import { useEffect, useRef, useState } from 'preact/hooks';
import type { ContextItem } from '../../protocol/views.ts';
import { commandsFor, type Completing } from '../completion.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Icon } from './elements.tsx';

export interface Suggestion {
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  readonly choose: () => void;
}

/** Suggestions for the text being typed. The focus stays in the field. */
export function SuggestionList(props: { readonly suggestions: readonly Suggestion[]; readonly picked: number }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => list.current?.children[props.picked]?.scrollIntoView({ block: 'nearest' }), [props.picked]);
  return (
    <ul
      class="suggestions popup"
      id="suggestions"
      role="listbox"
      aria-label={text('Suggestions')}
      tabIndex={0}
      ref={list}
    >
      {props.suggestions.map(({ key, icon, label, detail, choose }, index) => (
        <li
          key={key}
          id={`suggestion-${index}`}
          class="line"
          role="option"
          aria-selected={index === props.picked}
          onMouseDown={(event) => {
            event.preventDefault();
            choose();
          }}
        >
          <Icon name={icon} />
          <span class="suggestion-label">{label}</span>
          <span class="meta cut">{detail}</span>
        </li>
      ))}
    </ul>
  );
}

/** Suggestions for a completion, and the effect of each. */
export function useSuggestions(
  completing: Completing | undefined,
  value: string,
  write: (text: string, caret?: number) => void,
  submit: (text: string) => void,
): readonly Suggestion[] {
  const page = usePage();
  const [items, setItems] = useState<readonly ContextItem[]>([]);
  const query = completing?.kind === 'context' ? completing.query : undefined;
  useEffect(() => {
    let isCurrent = true;
    if (query === undefined) setItems([]);
    else
      void page.ask('completeContext', { query }).then((found) => {
        if (isCurrent) setItems(found ?? []);
      });
    return () => {
      isCurrent = false;
    };
  }, [query]);
  if (!completing) return [];
  if (completing.kind === 'command') {
    return commandsFor(completing.query).map(({ name, help, argument }) => ({
      key: name,
      icon: 'symbol-event',
      label: `/${name}`,
      detail: help(),
      choose: () => (argument ? write(`/${name} `) : submit(`/${name}`)),
    }));
  }
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

/** Navigates the suggestions with the keyboard; returns true if the key was handled. */
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
