import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { Icon, IconButton } from './icon-button.tsx';
import type { HitView, SessionView } from '../../protocol/views.ts';
import { formatCounted, formatDay } from '../format.ts';
import type { Page } from '../page.ts';
import { isEnter } from '../sending.ts';
import type { OpenSession } from '../state.ts';

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
          if (isEnter(event)) onEnter?.();
        }}
      />
      <IconButton icon="close" label={text('Close')} onClick={() => page.leavePanel()} />
    </div>
  );
}

/** The list of sessions: search, switch, rename, pin, archive, delete. */
export function SessionsPanel({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const [query, setQuery] = useState('');
  const [renaming, setRenaming] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLUListElement>(null);
  // A row that moved, was renamed or is gone had the keyboard; it goes back to the row, or to the search.
  const panel = useRef<HTMLElement>(null);
  const acted = useRef<string>(undefined);
  useEffect(() => {
    const { activeElement } = document;
    const lost = activeElement === document.body || activeElement === panel.current;
    if (acted.current === undefined || renaming !== undefined || !lost) return;
    const row = list.current?.querySelector<HTMLElement>(`[data-session="${CSS.escape(acted.current)}"]`);
    (row ?? field.current)?.focus();
  }, [session.sessions, renaming]);
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const found = session.sessions
    .filter((each) => words.every((word) => each.title.toLowerCase().includes(word)))
    .toSorted((a, b) => order(a) - order(b) || b.updatedAt - a.updatedAt);
  const choose = async (id: SessionView['id']) => {
    if (id !== session.id && !(await page.do('switchSession', { session: id }))) return;
    page.show('none');
    page.signal({ type: 'focus', target: 'composer' });
  };
  const keyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step === 0) return;
    const items = [...(list.current?.querySelectorAll<HTMLElement>('.session-open') ?? [])];
    const at = items.findIndex((item) => item === document.activeElement);
    event.preventDefault();
    (at + step < 0 ? field.current : items[Math.min(at + step, items.length - 1)])?.focus();
  };
  return (
    <section class="panel" ref={panel} tabIndex={-1} aria-label={text('Sessions')} onKeyDown={keyDown}>
      <PanelSearch
        field={field}
        label={text('Search sessions by title')}
        query={query}
        setQuery={setQuery}
        onEnter={() => {
          if (found[0]) void choose(found[0].id);
        }}
      />
      <ul class="session-list" ref={list}>
        {found.map((each) => (
          <li
            key={each.id}
            class={each.id === session.id ? 'session current' : 'session'}
            onFocusIn={() => {
              acted.current = each.id;
            }}
          >
            {renaming === each.id ? (
              <Rename session={each} page={page} close={() => setRenaming(undefined)} />
            ) : (
              <>
                <button
                  type="button"
                  class="session-open"
                  data-session={each.id}
                  aria-current={each.id === session.id}
                  onClick={() => void choose(each.id)}
                >
                  <span class="session-title">
                    {each.pinned && <Icon name="pinned" />}
                    {each.title}
                  </span>
                  <span class="meta">
                    {formatDay(each.updatedAt, Date.now())} ·{' '}
                    {formatCounted(each.messages, '1 message', '{0} messages')}
                    {each.archived && ` · ${text('Archived')}`}
                  </span>
                </button>
                <SessionActions session={each} page={page} rename={() => setRenaming(each.id)} />
              </>
            )}
          </li>
        ))}
        {found.length === 0 && <li class="meta nothing">{text('No matching sessions')}</li>}
      </ul>
    </section>
  );
}

function order(session: SessionView): number {
  return session.archived ? 2 : session.pinned ? 0 : 1;
}

function SessionActions(props: { readonly session: SessionView; readonly page: Page; readonly rename: () => void }) {
  const { session, page } = props;
  const remove = async () => {
    if (!(await page.do('deleteSession', { session: session.id }))) return;
    page.toasts.sessionDeleted(session.id, (sessions) => {
      for (const each of sessions) void page.ask('undoDeleteSession', { session: each });
    });
  };
  return (
    <span class="session-actions">
      <IconButton
        icon={session.pinned ? 'pinned' : 'pin'}
        label={text(session.pinned ? 'Unpin' : 'Pin')}
        onClick={() => void page.ask('pinSession', { session: session.id, pinned: !session.pinned })}
      />
      <IconButton icon="edit" label={text('Rename')} onClick={props.rename} />
      <IconButton
        icon="archive"
        label={text(session.archived ? 'Unarchive' : 'Archive')}
        onClick={() => void page.ask('archiveSession', { session: session.id, archived: !session.archived })}
      />
      <IconButton icon="trash" label={text('Delete')} onClick={() => void remove()} />
    </span>
  );
}

function Rename(props: { readonly session: SessionView; readonly page: Page; readonly close: () => void }) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const rename = async (title: string) => {
    if (title !== '' && title !== props.session.title) {
      await props.page.ask('renameSession', { session: props.session.id, title });
    }
    props.close();
  };
  return (
    <input
      ref={field}
      class="input"
      defaultValue={props.session.title}
      maxLength={200}
      aria-label={text('New title')}
      onBlur={(event) => void rename(event.currentTarget.value.trim())}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (isEnter(event)) event.currentTarget.blur();
        else if (event.key === 'Escape' && !event.isComposing) props.close();
      }}
    />
  );
}

/** How long the typing must pause before it is searched for, in ms. */
const TYPING_PAUSE = 150;

/** Searches for what was typed once the typing pauses; `take` gets undefined for no words. */
export function useTyped<Answer>(
  words: string,
  search: (words: string) => Promise<Answer | undefined>,
  take: (answer: Answer | undefined) => void,
): void {
  useEffect(() => {
    if (words.trim() === '') {
      take(undefined);
      return undefined;
    }
    let isCurrent = true;
    const timer = setTimeout(() => {
      void search(words).then((answer) => {
        if (isCurrent && answer !== undefined) take(answer);
      });
    }, TYPING_PAUSE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [words]);
}

/** Finds what was said in the session, however long ago, and goes there. */
export function RecallPanel() {
  const page = usePage();
  const [query, setQuery] = useState(page.recallQuery);
  const [hits, setHits] = useState<readonly HitView[]>();
  const field = useRef<HTMLInputElement>(null);
  useTyped(query.trim(), async (words) => (await page.ask('recall', { query: words })) ?? [], setHits);
  return (
    <section class="panel" tabIndex={-1} aria-label={text('Search')}>
      <PanelSearch field={field} label={text('Search this session')} query={query} setQuery={setQuery} />
      <ul class="session-list" aria-live="polite">
        {hits?.map((hit) => (
          <li key={`${hit.message}-${hit.start}`} class="session">
            <button
              type="button"
              class="session-open"
              disabled={hit.position === null}
              onClick={() => {
                page.show('none');
                if (hit.position !== null) page.signal({ type: 'reveal', position: hit.position });
              }}
            >
              <span class="hit-text">{hit.text}</span>
              {hit.position !== null && <span class="meta">{text('Message {0}', hit.position + 1)}</span>}
            </button>
          </li>
        ))}
        {hits?.length === 0 && <li class="meta nothing">{text('No results in this session')}</li>}
      </ul>
    </section>
  );
}
