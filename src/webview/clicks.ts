import { codeActionAt } from './markdown/code-block.ts';
import { targetAt } from './markdown/decorate.ts';
import type { Page } from './page.ts';
import { text } from './texts.ts';

/**
 * Acts on clicks and Enter on what markdown drew. Nothing on the page navigates: what a link asks for goes to the
 * host, which asks the user before it opens anything outside of the workspace.
 */
export function activateLinks(root: HTMLElement, page: Page): void {
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
  const code = codeActionAt(element);
  if (code) {
    const { action, language } = code;
    if (action === 'apply') {
      const message = element.closest<HTMLElement>('[data-message]')?.dataset['message'];
      void page.ask('applyEdits', { code: code.code, ...(message !== undefined && { message }) });
      return true;
    }
    void page
      .do('codeAction', { action, text: code.code, ...(language !== '' && { language: language.slice(0, 100) }) })
      .then((done) => {
        if (done && action === 'copy') page.tell(text('Copied'));
      });
    return true;
  }
  const target = targetAt(element);
  switch (target?.kind) {
    case 'web':
    case 'message':
      void page.ask('openLink', { href: target.href.slice(0, 8_000) });
      return true;
    case 'file': {
      const { path, line, column } = target;
      void page.ask('openFile', { path, ...(line && { line }), ...(column && { column }) });
      return true;
    }
    case 'refused':
    case undefined:
      return false;
  }
}
