import { render } from 'preact';
import { page } from './page-instance.ts';
import { App } from './parts/app.tsx';
import { readTranslations } from './texts.ts';

const root = document.getElementById('root');
readTranslations(document.getElementById('translations')?.textContent ?? '{}');
if (!root) throw new Error('the page lacks its root element');
refuseDrops();
keepFocus(root, () => page.composer?.focus());
reportFocus();
render(<App />, root);
window.addEventListener('message', (event) => page.receive(event.data));
window.addEventListener('error', ({ message }) => {
  // Chromium reports an observer's change that causes another one, although it delivers that in the next frame.
  if (!message.startsWith('ResizeObserver loop')) page.post({ type: 'pageFault', text: message.slice(0, 4_000) });
});
page.post({ type: 'ready' });

function reportFocus(): void {
  let reported = false;
  const report = (): void => {
    const focused = document.hasFocus();
    if (focused !== reported) page.post({ type: 'focusChanged', focused });
    reported = focused;
  };
  // No single event covers all changes of the focus.
  for (const type of ['focus', 'blur', 'focusin', 'keydown', 'pointerdown'] as const)
    window.addEventListener(type, () => setTimeout(report));
}

/** Ignores dropped files and links, which would otherwise replace the page. */
function refuseDrops(): void {
  for (const type of ['dragover', 'drop'] as const)
    document.addEventListener(type, (event) => {
      if (!(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
    });
}

/**
 * Moves the focus to the nearest focusable ancestor if the focused element is removed or disabled, or calls `fallback`
 * if all ancestors were removed. By default, browsers move the focus to the body, and keyboard users would have to
 * start at the top of the page.
 */
function keepFocus(root: HTMLElement, fallback: () => void): void {
  let focused: HTMLElement | undefined;
  /** The focusable ancestors of `focused`, innermost first. */
  let ancestors: HTMLElement[] = [];
  const restoreFocus = (): void => {
    if (!focused || (focused.isConnected && !focused.matches(':disabled'))) return;
    const { activeElement } = document;
    // Don't override code that has moved the focus already.
    if (activeElement !== null && activeElement !== document.body && activeElement !== focused) return;
    focused = undefined;
    if (!document.hasFocus()) return;
    const next = ancestors.find((element) => element.isConnected);
    if (next) next.focus({ preventScroll: true });
    else fallback();
  };
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    focused = target;
    ancestors = [];
    for (let at = target.parentElement; at && at !== root; at = at.parentElement)
      if (at.hasAttribute('tabindex')) ancestors.push(at);
  });
  // VS Code focuses the page, but none of its elements.
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body) fallback();
  });
  new MutationObserver(restoreFocus).observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}
