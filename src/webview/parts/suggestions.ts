import { useEffect, useState } from 'preact/hooks';
import type { FileMatch } from '../../protocol/views.ts';
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
  const files = useFiles(completing?.kind === 'file' ? completing.query : undefined);
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
  return files.map((file) => ({
    key: file.path,
    icon: 'file',
    label: file.name,
    detail: file.path,
    choose: () => {
      write(value.slice(0, completing.start) + value.slice(completing.end), completing.start);
      void page.ask('attach', { what: { kind: 'file', path: file.path } });
    },
  }));
}

/** The files of the workspace whose names match; none while nothing is asked for. */
function useFiles(query: string | undefined): readonly FileMatch[] {
  const page = usePage();
  const [files, setFiles] = useState<readonly FileMatch[]>([]);
  useEffect(() => {
    if (query === undefined) {
      setFiles([]);
      return undefined;
    }
    let current = true;
    void page.ask('completeFiles', { query }).then((found) => {
      if (current) setFiles(found ?? []);
    });
    return () => {
      current = false;
    };
  }, [query]);
  return files;
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
