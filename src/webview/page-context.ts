import { createContext } from 'preact';
import { useContext, useLayoutEffect, useState } from 'preact/hooks';
import type { Page, Signal } from './page.ts';

export const PageContext = createContext<Page | undefined>(undefined);

export function usePage(): Page {
  const page = useContext(PageContext);
  if (!page) throw new Error('a part of the page was drawn outside of it');
  return page;
}

/** Draws the part anew after each change of the state; listens before the next message can come. */
export function usePageChanges(page: Page): void {
  const [, setRevision] = useState(0);
  useLayoutEffect(() => page.onChange(() => setRevision((revision) => revision + 1)), [page]);
}

/** Listens to signals while the part is there. */
export function useSignal(handle: (signal: Signal) => void): void {
  const page = usePage();
  useLayoutEffect(() => page.onSignal(handle), [page, handle]);
}
