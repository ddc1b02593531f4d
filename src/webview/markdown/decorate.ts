import { text } from '../texts.ts';
import { characterName, filePath, HIDDEN_CHARACTERS, linkTarget, type LinkTarget } from './links.ts';

const targets = new WeakMap<Element, LinkTarget>();

/** Where the link under an element leads, if `decorate` made one there. */
export function targetAt(element: Element | null): LinkTarget | undefined {
  const link = element?.closest('[role="link"]');
  return link ? targets.get(link) : undefined;
}

/**
 * Gives sanitized nodes their behaviour: links lose their hrefs, so that no click, middle click or drag can navigate,
 * and keep their target here; file names become links; task items get their box; hidden characters are shown.
 */
export function decorate(root: DocumentFragment): void {
  for (const anchor of root.querySelectorAll('a')) replaceLink(anchor);
  for (const code of root.querySelectorAll(':not(pre) > code')) linkFile(code);
  for (const item of root.querySelectorAll('li')) boxTask(item);
  for (const table of root.querySelectorAll('table')) wrapTable(table);
  showHidden(root);
}

function replaceLink(anchor: HTMLAnchorElement): void {
  const target = linkTarget(anchor.getAttribute('href') ?? '');
  const span = link(target);
  span.append(...anchor.childNodes);
  anchor.replaceWith(span);
}

function linkFile(code: Element): void {
  if (code.closest('[role="link"], [data-file], .math-inline, .math-display')) return;
  const target = filePath(code.textContent);
  if (!target) return;
  const span = link(target);
  code.replaceWith(span);
  span.append(code);
}

function link(target: LinkTarget): HTMLElement {
  const span = document.createElement('span');
  targets.set(span, target);
  if (target.kind === 'refused') span.className = 'refused-link';
  // Which files there are only the host knows: see `linkFiles`.
  else if (target.kind === 'file') span.dataset['file'] = target.path;
  else makeLink(span, target);
  return span;
}

/** Lets the name of a file that exists be followed. */
export function linkToFile(span: HTMLElement): void {
  const target = targets.get(span);
  if (target?.kind !== 'file') return;
  makeLink(span, target);
  span.classList.add('file-link');
}

function makeLink(span: HTMLElement, target: Exclude<LinkTarget, { kind: 'refused' }>): void {
  span.className = 'link';
  span.setAttribute('role', 'link');
  span.tabIndex = 0;
  span.title = hint(target);
}

/** What a link says of where it leads before it is followed. */
function hint(target: Exclude<LinkTarget, { kind: 'refused' }>): string {
  switch (target.kind) {
    case 'web':
      return text('Open {0}', target.shown);
    case 'file':
      return text('Open {0}', `${target.path}${target.line ? `:${target.line}` : ''}`);
    case 'message':
      return text('Go to Message');
  }
}

function boxTask(item: HTMLLIElement): void {
  const holder = item.firstElementChild?.tagName === 'P' ? item.firstElementChild : item;
  const first = holder.firstChild;
  if (first?.nodeType !== Node.TEXT_NODE) return;
  const found = /^\[([ xX])\][ \t]+/.exec(first.nodeValue ?? '');
  if (!found) return;
  const done = found[1] !== ' ';
  first.nodeValue = (first.nodeValue ?? '').slice(found[0].length);
  const box = document.createElement('span');
  box.className = `task-box codicon ${done ? 'codicon-pass-filled' : 'codicon-circle-large-outline'}`;
  box.setAttribute('role', 'img');
  box.setAttribute('aria-label', text(done ? 'done' : 'not done'));
  holder.prepend(box);
  item.classList.add('task-item');
}

function wrapTable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  frame.className = 'table-frame';
  frame.tabIndex = 0;
  frame.setAttribute('role', 'group');
  table.replaceWith(frame);
  frame.append(table);
}

/** Replaces each hidden character under `root` by a mark with its name. */
export function showHidden(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if ((node.nodeValue ?? '').search(HIDDEN_CHARACTERS) !== -1) found.push(node as Text);
  }
  for (const node of found) {
    const pieces = document.createDocumentFragment();
    let end = 0;
    const value = node.nodeValue ?? '';
    for (const match of value.matchAll(HIDDEN_CHARACTERS)) {
      pieces.append(value.slice(end, match.index));
      const mark = document.createElement('span');
      mark.className = 'hidden-character';
      mark.textContent = characterName(match[0]);
      pieces.append(mark);
      end = match.index + match[0].length;
    }
    pieces.append(value.slice(end));
    node.replaceWith(pieces);
  }
}
