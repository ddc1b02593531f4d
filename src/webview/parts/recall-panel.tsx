import { useEffect, useRef, useState } from 'preact/hooks';
import type { HitView } from '../../protocol/views.ts';
import { usePage } from '../page-context.ts';
import { text } from '../texts.ts';
import { IconButton } from './icon-button.tsx';

/** Finds what was said in the session, however long ago, and goes there. */
export function RecallPanel() {
  const page = usePage();
  const [query, setQuery] = useState(page.recallQuery);
  const [hits, setHits] = useState<readonly HitView[]>();
  const field = useRef<HTMLInputElement>(null);
  const search = async () => {
    if (query.trim() !== '') setHits((await page.ask('recall', { query: query.trim() })) ?? []);
  };
  useEffect(() => {
    field.current?.focus();
    void search();
  }, []);
  return (
    <section class="panel" aria-label={text('recall')}>
      <div class="panel-head">
        <input
          ref={field}
          class="input"
          type="search"
          value={query}
          placeholder={text('recallField')}
          aria-label={text('recallField')}
          onInput={(event) => setQuery(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter') void search();
          }}
        />
        <IconButton icon="close" label={text('close')} onClick={() => page.leavePanel()} />
      </div>
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
