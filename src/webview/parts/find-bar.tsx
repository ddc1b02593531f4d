import { useEffect, useRef, useState } from 'preact/hooks';
import { placesIn } from '../find.ts';
import { usePage } from '../page-context.ts';
import { isEnter } from '../sending.ts';
import type { OpenSession } from '../state.ts';
import { text } from '../texts.ts';
import { IconButton } from './icon-button.tsx';
import { useTyped } from './session-panels.tsx';

/** The highlight's name in the style sheet. */
const FOUND = 'found';

/** Finds literal text in all messages of the session, including those that aren't rendered. */
export function FindBar({ session }: { readonly session: OpenSession }) {
  const page = usePage();
  const field = useRef<HTMLInputElement>(null);
  const [words, setWords] = useState('');
  const [found, setFound] = useState<readonly number[]>();
  const [at, setAt] = useState(0);

  useEffect(() => {
    field.current?.focus();
    // Select the text so that typing replaces it when Find is invoked again.
    field.current?.select();
  }, []);

  const go = (positions: readonly number[], index: number): void => {
    setAt(index);
    const position = positions[index];
    if (position !== undefined) page.signal({ type: 'reveal', position, stay: true });
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
    if (found && found.length > 0) go(found, (at + by + found.length) % found.length);
  };
  return (
    <search class="panel-head find-bar">
      <input
        ref={field}
        class="input"
        type="search"
        value={words}
        placeholder={text('Find in this session')}
        aria-label={text('Find in this session')}
        onInput={(event) => setWords(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (isEnter(event)) step(event.shiftKey ? -1 : 1);
        }}
      />
      <span class="meta find-count" role="status">
        {found && (found.length === 0 ? text('No results') : `${at + 1} / ${found.length}`)}
      </span>
      <IconButton icon="arrow-up" label={text('Previous Match')} disabled={!found?.length} onClick={() => step(-1)} />
      <IconButton icon="arrow-down" label={text('Next Match')} disabled={!found?.length} onClick={() => step(1)} />
      <IconButton icon="close" label={text('Close')} onClick={() => page.leavePanel()} />
    </search>
  );
}

/** Highlights the matches in rendered messages. */
function highlight(list: Element, words: string): void {
  const ranges: Range[] = [];
  for (const body of words.trim() === '' ? [] : list.querySelectorAll('.message-body')) {
    const walker = document.createTreeWalker(body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      for (const { from, to } of placesIn(node.nodeValue ?? '', words)) {
        const range = document.createRange();
        range.setStart(node, from);
        range.setEnd(node, to);
        ranges.push(range);
      }
    }
  }
  CSS.highlights.set(FOUND, new Highlight(...ranges));
}
