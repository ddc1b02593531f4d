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

/** Tells the host whether the keyboard is in the page. */
function reportFocus(page: Page): void {
  let told = false;
  const report = (): void => {
    const focused = document.hasFocus();
    if (focused !== told) page.post({ type: 'focusChanged', focused });
    told = focused;
  };
  // Which of these comes, and in which order, differs with what else takes the focus meanwhile.
  for (const type of ['focus', 'blur', 'focusin', 'keydown', 'pointerdown'] as const)
    window.addEventListener(type, () => setTimeout(report));
}

/**
 * Acts on clicks and Enter on what markdown drew. Nothing on the page navigates: what a link asks for goes to the
 * host, which asks the user before it opens anything outside of the workspace.
 */
function activateLinks(root: HTMLElement, page: Page): void {
  root.addEventListener('click', (event) => {
    if (event.target instanceof Element && act(event.target, page)) event.preventDefault();
  });
  root.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.target instanceof Element)) return;
    if (event.target.getAttribute('role') === 'link' && act(event.target, page)) event.preventDefault();
  });
  // A file or a link dropped on the page would replace it.
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
 * Finds the keyboard another place when what had it is taken off the page or can no longer be used: a message that is
 * deleted, a toast that is dismissed, a button that rests while a reply arrives. Browsers drop it to the body, and who
 * works without a pointer would have to start at the top of the page. `otherwise` is asked when nothing around is left.
 */
function keepFocus(root: HTMLElement, otherwise: () => void): void {
  let last: HTMLElement | undefined;
  /** What stood around it and can take the keyboard, the innermost first. */
  let around: HTMLElement[] = [];
  const look = (): void => {
    if (!last || (last.isConnected && !last.matches(':disabled'))) return;
    const { activeElement } = document;
    // Somebody has seen to it already.
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
  // The editor gives the keyboard to the page, not to anything in it.
  window.addEventListener('focus', () => {
    if (document.activeElement === document.body) otherwise();
  });
  new MutationObserver(look).observe(root, { childList: true, subtree: true, attributeFilter: ['disabled'] });
}
