import { useEffect, useRef, useState } from 'preact/hooks';
import type { HitView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { PanelSearch } from './panel-search.tsx';

/** How long the typing must pause before it is searched for, in ms. */
const TYPING_PAUSE = 150;

/** Finds what was said in the session, however long ago, and goes there. */
export function RecallPanel() {
  const page = usePage();
  const [query, setQuery] = useState(page.recallQuery);
  const [hits, setHits] = useState<readonly HitView[]>();
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const words = query.trim();
    if (words === '') {
      setHits(undefined);
      return undefined;
    }
    let current = true;
    const timer = setTimeout(() => {
      void page.ask('recall', { query: words }).then((found) => {
        if (current) setHits(found ?? []);
      });
    }, TYPING_PAUSE);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [query]);
  return (
    <section class="panel" tabIndex={-1} aria-label={text('recall')}>
      <PanelSearch field={field} label={text('recallField')} query={query} setQuery={setQuery} />
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
              {hit.position !== null && <span class="meta">{text('recallHit', hit.position + 1)}</span>}
            </button>
          </li>
        ))}
        {hits?.length === 0 && <li class="meta nothing">{text('recallNothing')}</li>}
      </ul>
    </section>
  );
}
