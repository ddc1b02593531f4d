import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { IconButton } from './icon-button.tsx';

/** The head of a panel that is searched: its field, which has the focus, and the way out. */
export function PanelSearch(props: {
  readonly field: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly onEnter?: () => void;
}) {
  const { field, label, query, setQuery, onEnter } = props;
  const page = usePage();
  useEffect(() => field.current?.focus(), [field]);
  return (
    <div class="panel-head">
      <input
        ref={field}
        class="input"
        type="search"
        value={query}
        placeholder={label}
        aria-label={label}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onEnter?.();
        }}
      />
      <IconButton icon="close" label={text('close')} onClick={() => page.leavePanel()} />
    </div>
  );
}
