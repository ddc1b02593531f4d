import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { HitView } from '../../protocol/views.ts';
import { placesIn } from '../find.ts';
import { usePage } from '../page-context.ts';
import { isEnter } from '../sending.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { IconButton } from './elements.tsx';

/** The search field of a panel, which has the focus. */
export function SearchField(props: {
  readonly field?: RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly query: string;
  readonly setQuery: (query: string) => void;
  readonly onEnter?: (isBack: boolean) => void;
}) {
  const own = useRef<HTMLInputElement>(null);
  const { field = own, label, query, setQuery, onEnter } = props;
  useEffect(() => field.current?.focus(), []);
  return (
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
  );
}

export function ClosePanel() {
  const page = usePage();
  return <IconButton icon="close" label={text('Close')} onClick={() => page.leavePanel()} />;
}

/** Pause in typing before a search starts, in ms. */
const TYPING_PAUSE = 150;

/** Searches for the typed text when typing pauses; `take` gets undefined for an empty text. */
function useTyped<Answer>(
  words: string,
  search: (words: string) => Promise<Answer | undefined>,
  take: (answer: Answer | undefined) => void,
): void {
  useEffect(() => {
    let isCurrent = true;
    if (words.trim() === '') take(undefined);
    const seek = async (): Promise<void> => {
      const answer = words.trim() === '' ? undefined : await search(words);
      if (isCurrent && answer !== undefined) take(answer);
    };
    const timer = setTimeout(() => void seek(), TYPING_PAUSE);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [words]);
}

/** Searches all messages of the session, and scrolls to a result. */
export function RecallPanel() {
  const page = usePage();
  const [query, setQuery] = useState(page.recallQuery);
  const [hits, setHits] = useState<readonly HitView[]>();
  useTyped(query.trim(), async (words) => (await page.ask('recall', { query: words })) ?? [], setHits);
  return (
    <section class="panel" tabIndex={-1} aria-label={text('Search')}>
      <div class="line">
        <SearchField label={text('Search this session')} query={query} setQuery={setQuery} />
        <ClosePanel />
      </div>
      <ul class="session-list" aria-live="polite">
        {hits?.map(({ message, position, start, text: words }) => (
          <li key={`${message}-${start}`} class="session">
            <button
              type="button"
              class="session-open fill"
              disabled={position === null}
              onClick={() => {
                page.show('none');
                if (position !== null) page.list?.reveal(position);
              }}
            >
              <span class="hit-text">{words}</span>
              {position !== null && <span class="meta">{text('Message {0}', position + 1)}</span>}
            </button>
          </li>
        ))}
        {hits?.length === 0 && <li class="meta nothing">{text('No results in this session')}</li>}
      </ul>
    </section>
  );
}

/** The highlight's name in the style sheet. */
const FOUND = 'found';

/** Finds literal text in all messages of the session, including those that aren't rendered. */
export function FindBar({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const [words, setWords] = useState('');
  const [found, setFound] = useState<readonly number[]>();
  const [at, setAt] = useState(0);
  const count = found?.length ?? 0;

  const go = (positions: readonly number[], index: number): void => {
    setAt(index);
    const position = positions[index];
    if (position !== undefined) page.list?.reveal(position, true);
  };

  useTyped(
    words,
    (sought) => page.ask('find', { words: sought }),
    (positions) => {
      setFound(positions);
      if (!positions) return;
      // The first match in or below the view, or else the last match above it.
      const here = page.savedFor(session.id)?.place?.position ?? session.transcript.total;
      const next = positions.findIndex((each) => each >= here);
      go(positions, next === -1 ? positions.length - 1 : next);
    },
  );

  // Rows are mounted and unmounted during scrolling.
  useEffect(() => {
    const list = document.querySelector('.rows');
    if (!list) return undefined;
    highlight(list, words);
    const observer = new MutationObserver(() => highlight(list, words));
    observer.observe(list, { childList: true, subtree: true, characterData: true });
    return () => {
      observer.disconnect();
      CSS.highlights.delete(FOUND);
    };
  }, [words, session.id]);

  const step = (by: number): void => {
    if (found && count > 0) go(found, (at + by + count) % count);
  };
  return (
    <search class="find-bar line">
      <SearchField
        label={text('Find in this session')}
        query={words}
        setQuery={setWords}
        onEnter={(isBack) => step(isBack ? -1 : 1)}
      />
      <span class="meta find-count" role="status">
        {found && (count === 0 ? text('No results') : `${at + 1} / ${count}`)}
      </span>
      <IconButton icon="arrow-up" label={text('Previous Match')} disabled={count === 0} onClick={() => step(-1)} />
      <IconButton icon="arrow-down" label={text('Next Match')} disabled={count === 0} onClick={() => step(1)} />
      <ClosePanel />
    </search>
  );
}

/** Highlights the matches in rendered messages. */
function highlight(list: Element, words: string): void {
  const ranges: Range[] = [];
  for (const body of words.trim() === '' ? [] : list.querySelectorAll('.message-body')) {
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode as Text;
      for (const { from, to } of placesIn(node.data, words)) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set(FOUND, new Highlight(...ranges));
}
