import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { SessionView } from '../../protocol/views.ts';
import { formatCounted, formatDay } from '../format.ts';
import { page } from '../page-instance.ts';
import { isEnter } from '../sending.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './elements.tsx';
import { SearchField } from './search-panels.tsx';

export function SessionsPanel({ session }: { readonly session: OpenSession }) {
  const [query, setQuery] = useState('');
  const [renaming, setRenaming] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const panel = useRef<HTMLElement>(null);
  const lastFocused = useRef<string>(undefined);
  // If the focused row was moved, renamed, or removed, focus it again, or else the search field.
  useLayoutEffect(() => {
    const { activeElement } = document;
    const isFocusLost = activeElement === document.body || activeElement === panel.current;
    if (lastFocused.current === undefined || renaming !== undefined || !isFocusLost || !document.hasFocus()) return;
    const row = panel.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(lastFocused.current)}"]`);
    (row ?? field.current)?.focus();
  }, [session.sessions, renaming]);
  const words = query.toLowerCase().split(/\s+/);
  const found = session.sessions
    .filter((each) => words.every((word) => each.title.toLowerCase().includes(word)))
    .toSorted((a, b) => sortKey(a) - sortKey(b) || b.updatedAt - a.updatedAt);
  const openSession = async (id: SessionView['id']) => {
    if (id !== session.id && !(await page.tryRequest('switchSession', { session: id }))) return;
    page.showPanel('none');
    page.composer?.focus();
  };
  const keyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    const items = [field.current, ...(panel.current?.querySelectorAll<HTMLElement>('.session-open') ?? [])];
    const at = items.findIndex((item) => item === document.activeElement);
    const next = Math.max(0, at) + (event.key === 'ArrowDown' ? 1 : -1);
    items[Math.max(0, Math.min(next, items.length - 1))]?.focus();
  };
  return (
    <section class="panel" ref={panel} tabIndex={-1} aria-label={text('Sessions')} onKeyDown={keyDown}>
      <SearchField
        field={field}
        label={text('Search sessions by title')}
        query={query}
        setQuery={setQuery}
        onEnter={() => {
          if (found[0]) void openSession(found[0].id);
        }}
      />
      <ul class="session-list">
        {found.map((each) => (
          <li
            key={each.id}
            class={each.id === session.id ? 'session line current' : 'session line'}
            onFocusIn={() => {
              lastFocused.current = each.id;
            }}
          >
            {renaming === each.id ? (
              <RenameField session={each} close={() => setRenaming((now) => (now === each.id ? undefined : now))} />
            ) : (
              <>
                <button
                  type="button"
                  class="session-open fill"
                  data-session={each.id}
                  aria-current={each.id === session.id}
                  onClick={() => void openSession(each.id)}
                >
                  <span class="session-title cut" title={each.title}>
                    {each.pinned && <Icon name="pinned" />} {each.title}
                  </span>
                  <span class="meta">
                    {formatDay(each.updatedAt, Date.now())} ·{' '}
                    {formatCounted(each.messages, '1 message', '{0} messages')}
                    {each.archived && ` · ${text('Archived')}`}
                  </span>
                </button>
                <SessionActions session={each} rename={() => setRenaming(each.id)} />
              </>
            )}
          </li>
        ))}
        {found.length === 0 && <li class="meta nothing">{text('No matching sessions')}</li>}
      </ul>
    </section>
  );
}

/** Pinned sessions first, archived ones last. */
const sortKey = ({ archived, pinned }: SessionView): number => Number(archived) * 2 - Number(pinned && !archived);

function SessionActions(props: { readonly session: SessionView; readonly rename: () => void }) {
  const { id: session, pinned, archived } = props.session;
  const refusal = session === page.session?.id ? page.readOnly : undefined;
  const remove = async () => {
    if (!(await page.tryRequest('deleteSession', { session }))) return;
    page.toasts.showSessionDeleted(session, (each) => void page.request('undoDeleteSession', { session: each }));
  };
  return (
    <span class="session-actions">
      <IconButton
        icon={pinned ? 'pinned' : 'pin'}
        label={text(pinned ? 'Unpin' : 'Pin')}
        refusal={refusal}
        onClick={() => void page.request('pinSession', { session, pinned: !pinned })}
      />
      <IconButton icon="edit" label={text('Rename')} refusal={refusal} onClick={props.rename} />
      <IconButton
        icon="archive"
        label={text(archived ? 'Unarchive' : 'Archive')}
        refusal={refusal}
        onClick={() => void page.request('archiveSession', { session, archived: !archived })}
      />
      <IconButton icon="trash" label={text('Delete')} refusal={refusal} onClick={() => void remove()} />
    </span>
  );
}

function RenameField({ session, close }: { readonly session: SessionView; readonly close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  // Use a layout effect, because others run after the next letters may have been typed.
  useLayoutEffect(() => field.current?.select(), []);
  const rename = async (title: string) => {
    if (title !== '' && title !== session.title) await page.request('renameSession', { session: session.id, title });
    close();
  };
  return (
    <input
      ref={field}
      class="input"
      defaultValue={session.title}
      maxLength={200}
      aria-label={text('New title')}
      onBlur={(event) => void rename(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        // Arrow keys move in the text, not in the list of sessions. Other keys are passed on, as they may run commands.
        if (event.key.startsWith('Arrow')) event.stopPropagation();
        if (isEnter(event)) event.currentTarget.blur();
        if (event.key !== 'Escape' || event.isComposing) return;
        event.preventDefault();
        // Blurring renames the session, so restore its title first.
        event.currentTarget.value = session.title;
        event.currentTarget.blur();
      }}
    />
  );
}
