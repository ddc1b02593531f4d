/** How long (ms) more elements are waited for: a reply that is arriving is drawn again and again. */
const PAUSE = 50;

/**
 * Has what is drawn in `root` looked at by `find`, and what that returns read a little later, all of it together and
 * without what is gone by then.
 */
export function gatherDrawn(
  root: HTMLElement,
  find: (added: HTMLElement) => readonly HTMLElement[],
  read: (found: readonly HTMLElement[]) => Promise<void>,
): void {
  const waiting = new Set<HTMLElement>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const take = (): void => {
    timer = undefined;
    const found = [...waiting].filter((element) => element.isConnected);
    waiting.clear();
    void read(found);
  };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node instanceof HTMLElement) for (const element of find(node)) waiting.add(element);
    if (waiting.size > 0) timer ??= setTimeout(take, PAUSE);
  }).observe(root, { childList: true, subtree: true });
}
