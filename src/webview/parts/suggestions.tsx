import { useEffect, useRef, useState } from 'preact/hooks';
import type { AttachmentView, ContextItem } from '../../protocol/views.ts';
import { matchingItems, type Completion, type FoundItems } from '../composer-completion.ts';
import { page } from '../page-instance.ts';
import { matchingCommands } from '../slash-commands.ts';
import { text } from '../texts.ts';
import { Icon } from './elements.tsx';

export interface Suggestion {
  readonly key: string;
  readonly icon: string;
  readonly label: string;
  readonly detail: string;
  readonly choose: () => void;
}

/** The list of suggestions. The focus stays in the composer. */
export function SuggestionList(props: { readonly suggestions: readonly Suggestion[]; readonly selectedIndex: number }) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(
    () => list.current?.children[props.selectedIndex]?.scrollIntoView({ block: 'nearest' }),
    [props.selectedIndex],
  );
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
          aria-selected={index === props.selectedIndex}
          onMouseDown={(event) => {
            event.preventDefault();
            choose();
          }}
        >
          <Icon name={icon} />
          <span>{label}</span>
          <span class="meta cut">{detail}</span>
        </li>
      ))}
    </ul>
  );
}

export function useSuggestions(
  completion: Completion | undefined,
  value: string,
  setText: (text: string, caret?: number) => void,
  submit: (text: string) => void,
): readonly Suggestion[] {
  const [found, setFound] = useState<FoundItems>({ query: '', items: [] });
  const query = completion?.kind === 'context' ? completion.query : undefined;
  useEffect(() => {
    let isCurrent = true;
    if (query === undefined) setFound({ query: '', items: [] });
    else
      void page.request('completeContext', { query }).then((items) => {
        if (isCurrent) setFound({ query, items: items ?? [] });
      });
    return () => {
      isCurrent = false;
    };
  }, [query]);
  if (!completion) return [];
  if (completion.kind === 'command') {
    return matchingCommands(completion.query).map(({ name, help, argument }) => ({
      key: name,
      icon: 'symbol-event',
      label: `/${name}`,
      detail: help(),
      choose: () => (argument === 'expected' ? setText(`/${name} `) : submit(`/${name}`)),
    }));
  }
  return matchingItems(found, completion.query).map(({ label, detail, what }) => ({
    key: JSON.stringify(what),
    icon: CONTEXT_ICONS[what.kind],
    label,
    detail,
    choose: () => {
      setText(value.slice(0, completion.start) + value.slice(completion.end), completion.start);
      void page.attach(what);
    },
  }));
}

export const CONTEXT_ICONS: Readonly<Record<ContextItem['what']['kind'] | AttachmentView['kind'], string>> = {
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
  paste: 'clippy',
  image: 'file-media',
};

/** Navigates the suggestions with the keyboard; returns true if the key was handled. */
export function handleSuggestionKey(
  event: KeyboardEvent,
  suggestions: readonly Suggestion[],
  selectedIndex: number,
  setSelected: (index: number) => void,
): boolean {
  const count = suggestions.length;
  if (event.key === 'ArrowDown') setSelected((selectedIndex + 1) % count);
  else if (event.key === 'ArrowUp') setSelected((selectedIndex + count - 1) % count);
  else if (event.key === 'Enter' || event.key === 'Tab') suggestions[selectedIndex]?.choose();
  else return false;
  event.preventDefault();
  return true;
}
