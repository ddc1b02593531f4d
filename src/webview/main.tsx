import { render } from 'preact';
import { linkFiles, renderFormulas } from './host-lookups.ts';
import { page } from './page-instance.ts';
import { App } from './parts/app.tsx';
import { readTranslations, text } from './texts.ts';
import { codeActionAt } from './markdown/code-block.ts';
import { linkTargetAt } from './markdown/decorate.ts';

const root = document.getElementById('root');
readTranslations(document.getElementById('translations')?.textContent ?? '{}');
if (!root) throw new Error('the page lacks its root element');
activateLinks(root);
linkFiles(root);
renderFormulas(root);
keepFocus(root, () => page.composer?.focus());
reportFocus();
render(<App />, root);
window.addEventListener('message', (event) => page.receive(event.data));
window.addEventListener('error', (event) => page.post({ type: 'pageFault', text: event.message.slice(0, 4_000) }));
page.post({ type: 'ready' });

/** Tells the host whether the page has the focus. */
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

/**
 * Handles clicks and Enter on links and code buttons. The page never navigates: the host opens links, and asks before
 * it opens anything outside of the workspace.
 */
function activateLinks(root: HTMLElement): void {
  root.addEventListener('click', (event) => {
    if (event.target instanceof Element && activate(event.target)) event.preventDefault();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof Element)) return;
    if (event.target.getAttribute('role') === 'link' && activate(event.target)) event.preventDefault();
  });
  // By default, a dropped file or link would replace the page.
  for (const type of ['dragover', 'drop'] as const) {
    root.ownerDocument.addEventListener(type, (event) => {
      if (!(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
    });
  }
}

/** Runs the action of the link or code button that contains `element`; returns false if there is none. */
function activate(element: Element): boolean {
  const source = codeActionAt(element);
  if (source) {
    runCodeAction(element, source);
    return true;
  }
  const target = linkTargetAt(element);
  if (!target || target.kind === 'refused') return false;
  if (target.kind === 'file') {
    const { path, line, column } = target;
    void page.request('openFile', { path, ...(line && { line }), ...(column && { column }) });
  } else {
    void page.request('openLink', { href: target.href });
  }
  return true;
}

function runCodeAction(element: Element, source: NonNullable<ReturnType<typeof codeActionAt>>): void {
  const { action, code, language } = source;
  if (action === 'apply') {
    const message = element.closest<HTMLElement>('[data-message]')?.dataset['message'];
    void page.request('applyEdits', { code, ...(message !== undefined && { message }) });
    return;
  }
  const request = page.tryRequest('codeAction', { action, text: code, ...(language !== '' && { language }) });
  void request.then((succeeded) => {
    if (succeeded && action === 'copy') page.toasts.show(text('Copied'));
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
