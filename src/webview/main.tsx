import { render } from 'preact';
import { linkFiles, setFormulas } from './drawn.ts';
import type { EditorApi } from './host-link.ts';
import { Page } from './page.ts';
import { App } from './parts/app.tsx';
import { readTranslations, text } from './texts.ts';
import { codeActionAt } from './markdown/code-block.ts';
import { targetAt } from './markdown/decorate.ts';

declare function acquireVsCodeApi(): EditorApi;

const root = document.getElementById('root');
readTranslations(document.getElementById('translations')?.textContent ?? '{}');
if (!root) throw new Error('the page lacks its root element');
const page = new Page(acquireVsCodeApi(), () => {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement && activeElement !== document.body ? activeElement : undefined;
});
activateLinks(root, page);
linkFiles(root, (paths) => page.ask('existingFiles', { paths }));
setFormulas(root, (formulas) => page.ask('renderMath', { formulas }));
keepFocus(root, () => page.composer?.focus());
reportFocus(page);
render(<App page={page} />, root);
window.addEventListener('message', (event) => page.receive(event.data));
window.addEventListener('error', (event) => page.post({ type: 'pageFault', text: event.message.slice(0, 4_000) }));
page.post({ type: 'ready' });

/** Reports to the host whether the page has the focus. */
function reportFocus(page: Page): void {
  let told = false;
  const report = (): void => {
    const focused = document.hasFocus();
    if (focused !== told) page.post({ type: 'focusChanged', focused });
    told = focused;
  };
  // Which of these events occur, and in which order, depends on what else takes the focus.
  for (const type of ['focus', 'blur', 'focusin', 'keydown', 'pointerdown'] as const)
    window.addEventListener(type, () => setTimeout(report));
}

/**
 * Handles clicks and Enter on rendered Markdown. Nothing navigates: link targets are sent to the host, which asks
 * before it opens anything outside of the workspace.
 */
function activateLinks(root: HTMLElement, page: Page): void {
  root.addEventListener('click', (event) => {
    if (event.target instanceof Element && act(event.target, page)) event.preventDefault();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof Element)) return;
    if (event.target.getAttribute('role') === 'link' && act(event.target, page)) event.preventDefault();
  });
  // A file or link dropped on the page would replace it.
  for (const type of ['dragover', 'drop'] as const) {
    root.ownerDocument.addEventListener(type, (event) => {
      if (!(event.target instanceof HTMLTextAreaElement)) event.preventDefault();
    });
  }
}

function act(element: Element, page: Page): boolean {
  const source = codeActionAt(element);
  if (source) {
    actOnCode(element, source, page);
    return true;
  }
  const target = targetAt(element);
  if (!target || target.kind === 'refused') return false;
  if (target.kind === 'file') {
    const { path, line, column } = target;
    void page.ask('openFile', { path, ...(line && { line }), ...(column && { column }) });
  } else {
    void page.ask('openLink', { href: target.href.slice(0, 8_000) });
  }
  return true;
}

function actOnCode(element: Element, source: NonNullable<ReturnType<typeof codeActionAt>>, page: Page): void {
  const { action, code, language } = source;
  if (action === 'apply') {
    const message = element.closest<HTMLElement>('[data-message]')?.dataset['message'];
    void page.ask('applyEdits', { code, ...(message !== undefined && { message }) });
    return;
  }
  const asked = page.do('codeAction', { action, text: code, ...(language !== '' && { language }) });
  void asked.then((done) => {
    if (done && action === 'copy') page.tell(text('Copied'));
  });
}

/**
 * Moves the focus if the focused element is removed or disabled: a deleted message, a dismissed toast, a button during
 * a reply. Otherwise, browsers move it to the body, and keyboard users would have to start at the top of the page.
 * `otherwise` is called if nothing around it is left.
 */
function keepFocus(root: HTMLElement, otherwise: () => void): void {
  let last: HTMLElement | undefined;
  /** Its focusable ancestors, innermost first. */
  let around: HTMLElement[] = [];
  const look = (): void => {
    if (!last || (last.isConnected && !last.matches(':disabled'))) return;
    const { activeElement } = document;
    // Something else has moved the focus already.
    if (activeElement !== null && activeElement !== document.body && activeElement !== last) return;
    last = undefined;
    if (!document.hasFocus()) return;
    const next = around.find((element) => element.isConnected);
    if (next) next.focus({ preventScroll: true });
    else otherwise();
  };
  root.addEventListener('focusin', ({ target }) => {
    if (!(target instanceof HTMLElement)) return;
    last = target;
    around = [];
    for (let at = target.parentElement; at && at !== root; at = at.parentElement)
      if (at.hasAttribute('tabindex')) around.push(at);
  });
  // VS Code focuses the page, but no element in it.
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body) otherwise();
  });
  new MutationObserver(look).observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}
