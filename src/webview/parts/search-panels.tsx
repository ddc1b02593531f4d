import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { HitView } from '../../protocol/views.ts';
import { expandUntil, findMatches, scrollToMatch } from '../find.ts';
import { page } from '../page-instance.ts';
import { isEnter } from '../sending.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { IconButton } from './elements.tsx';

/** The search field of a panel, and the button that closes the panel. Gets the focus when the panel opens. */
export function SearchField(props: {
  readonly field?: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly onEnter?: (isBackward: boolean) => void;
  /** Shown between the field and the button. */
  readonly children?: ComponentChildren;
}) {
  const ownField = useRef<HTMLInputElement>(null);
  const { field = ownField, label, query, setQuery, onEnter } = props;
  // Use a layout effect, because others run after the next letters may have been typed.
  useLayoutEffect(() => field.current?.focus(), []);
  return (
    <div class="line">
      <input
        ref={field}
        class="input"
        type="search"
        value={query}
        placeholder={label}
        aria-label={label}
        onInput={(event) => setQuery(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isEnter(event)) onEnter?.(event.shiftKey);
        }}
      />
      {props.children}
      <IconButton icon="close" label={text('Close')} onClick={() => page.closePanel()} />
    </div>
  );
}

/** How long typing must pause before a search starts, in ms. */
const SEARCH_DELAY_MS = 150;

/**
 * Searches when typing pauses, and again when positions have changed (`epoch`). `onAnswer` gets undefined if `query` is
 * blank or the search fails.
 */
function useDebouncedSearch<Answer>(
  query: string,
  epoch: number,
  search: (query: string) => Promise<Answer | undefined>,
  onAnswer: (answer: Answer | undefined) => void,
): void {
  // Use a layout effect, because others are cleaned up after the next frame, when another session may be shown already.
  useLayoutEffect(() => {
    if (query.trim() === '') {
      onAnswer(undefined);
      return undefined;
    }
    let isCurrent = true;
    const run = async (): Promise<void> => {
      const answer = await search(query);
      if (isCurrent) onAnswer(answer);
    };
    const timer = setTimeout(() => void run(), SEARCH_DELAY_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [query, epoch]);
}

export function RecallPanel({ session }: { readonly session: OpenSession }) {
  const [query, setQuery] = useState(page.recall.query);
  const [hits, setHits] = useState<readonly HitView[]>();
  useDebouncedSearch(query.trim(), session.epoch, (trimmed) => page.request('recall', { query: trimmed }), setHits);
  return (
    <section class="panel" tabIndex={-1} aria-label={text('Search')}>
      <SearchField label={text('Search this session')} query={query} setQuery={setQuery} />
      <ul class="session-list" aria-live="polite">
        {hits?.map(({ message, position, start, text: excerpt }) => (
          <li key={`${message}-${start}`} class="session">
            <button
              type="button"
              class="session-open fill"
              onClick={() => {
                page.showPanel('none');
                page.list?.reveal(position, { sought: { excerpt, query } });
              }}
            >
              <span class="hit-text">{excerpt}</span>
              <span class="meta">{text('Message {0}', position + 1)}</span>
            </button>
          </li>
        ))}
        {hits?.length === 0 && <li class="meta nothing">{text('No results in this session')}</li>}
      </ul>
    </section>
  );
}

/** The names of the highlights in chat.css: for the current message, and for others. */
const FIND_HIGHLIGHTS = { current: 'found-current', other: 'found' } as const;

export function FindBar({ session }: { readonly session: OpenSession }) {
  const [query, setQuery] = useState('');
  const [matches, setMatches] = useState<readonly number[]>();
  /** The index of the current match, and how often the user went to one. */
  const [current, setCurrent] = useState({ index: 0, visit: 0 });
  const count = matches?.length ?? 0;
  const currentMessage = session.transcript.at(matches?.[current.index] ?? -1)?.id;

  const goTo = (positions: readonly number[], index: number): void => {
    setCurrent(({ visit }) => ({ index, visit: visit + 1 }));
    const position = positions[index];
    if (position !== undefined) page.list?.reveal(position, { keepFocus: true });
  };

  const foundQuery = useRef('');
  /** The matches for which parts were expanded and scrolled to. What the user does afterwards stays so. */
  const expandedFor = useRef('');
  const shownFor = useRef('');
  useDebouncedSearch(
    query,
    session.epoch,
    (words) => page.request('find', { words }),
    (positions) => {
      const isSameQuery = foundQuery.current === query;
      foundQuery.current = positions ? query : '';
      setMatches(positions);
      if (!positions) return;
      // The first match in or below the view, or else the last match. Don't scroll if only the positions have changed.
      const topPosition = page.savedStateOf(session.id)?.place?.position ?? session.transcript.total;
      const next = positions.findIndex((each) => each >= topPosition);
      const index = next === -1 ? positions.length - 1 : next;
      if (isSameQuery) setCurrent(({ visit }) => ({ index, visit }));
      else goTo(positions, index);
    },
  );

  // Update the highlights whenever rows are mounted, for example by scrolling.
  useEffect(() => {
    const list = document.querySelector('.rows');
    if (!list) return undefined;
    const highlight = () => {
      const found = highlightMatches(list, query, currentMessage);
      if (foundQuery.current !== query) return;
      const match = `${currentMessage}\n${current.visit}\n${query}`;
      if (found) {
        if (shownFor.current !== match) scrollToMatch(found);
        shownFor.current = match;
      } else if (expandedFor.current !== match) {
        const body = [...list.querySelectorAll<HTMLElement>('[data-message]')]
          .find((one) => one.dataset['message'] === currentMessage)
          ?.querySelector('.message-body');
        const words = query.trim().toLowerCase();
        // A match may span several elements, which aren't highlighted then.
        if (body && expandUntil(body, () => body.textContent.toLowerCase().includes(words)))
          expandedFor.current = match;
      }
    };
    highlight();
    const observer = new MutationObserver(highlight);
    observer.observe(list, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      for (const name of Object.values(FIND_HIGHLIGHTS)) CSS.highlights.delete(name);
    };
  }, [query, currentMessage, matches, current.visit]);

  const step = (by: number): void => {
    if (matches && count > 0) goTo(matches, (current.index + by + count) % count);
  };
  return (
    <search class="find-bar">
      <SearchField
        label={text('Find in this session')}
        query={query}
        setQuery={setQuery}
        onEnter={(isBackward) => step(isBackward ? -1 : 1)}
      >
        <span class="meta find-count" role="status">
          {matches && (count === 0 ? text('No results') : `${current.index + 1} / ${count}`)}
        </span>
        <IconButton icon="arrow-up" label={text('Previous Match')} disabled={count === 0} onClick={() => step(-1)} />
        <IconButton icon="arrow-down" label={text('Next Match')} disabled={count === 0} onClick={() => step(1)} />
      </SearchField>
    </search>
  );
}

/** Returns the first match in the current message. */
function highlightMatches(list: Element, query: string, currentMessage: string | undefined): Range | undefined {
  const ranges = { current: [] as Range[], other: [] as Range[] };
  for (const body of query.trim() === '' ? [] : list.querySelectorAll('.message-body')) {
    const message = body.closest<HTMLElement>('[data-message]')?.dataset['message'];
    const found = message === currentMessage ? ranges.current : ranges.other;
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      for (const { from, to } of findMatches(node.data, query)) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        found.push(range);
      }
    }
  }
  CSS.highlights.set(FIND_HIGHLIGHTS.current, new Highlight(...ranges.current));
  CSS.highlights.set(FIND_HIGHLIGHTS.other, new Highlight(...ranges.other));
  return ranges.current[0];
}
