import { text } from '../texts.ts';
import { characterName, filePath, HIDDEN_CHARACTERS, linkTarget, type LinkTarget } from './links.ts';

const targets = new WeakMap<Element, LinkTarget>();

/** The target of the link that contains an element, if `decorate` created one. */
export function targetAt(element: Element | null): LinkTarget | undefined {
  const link = element?.closest('[role="link"]');
  return link ? targets.get(link) : undefined;
}

/**
 * Adds behavior to sanitized nodes: links lose their hrefs, so that no click or drag can navigate, and store their
 * target; file names become candidates for links; task items get check boxes; hidden characters are shown.
 */
export function decorate(root: DocumentFragment): void {
  for (const anchor of root.querySelectorAll('a')) replaceLink(anchor);
  for (const code of root.querySelectorAll(':not(pre) > code')) linkFile(code);
  for (const item of root.querySelectorAll('li')) boxTask(item);
  for (const table of root.querySelectorAll('table')) wrapTable(table);
  showHidden(root);
}

function replaceLink(anchor: HTMLAnchorElement): void {
  const span = link(linkTarget(anchor.getAttribute('href') ?? ''));
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
  // Only the host knows which files exist: see `linkFiles`.
  if (target.kind === 'file') span.dataset['file'] = target.path;
  else if (target.kind === 'web') makeLink(span, text('Open {0}', target.href));
  else if (target.kind === 'message') makeLink(span, text('Go to Message'));
  return span;
}

/** Makes the name of an existing file a link. */
export function linkToFile(span: HTMLElement): void {
  const target = targets.get(span);
  if (target?.kind === 'file')
    makeLink(span, text('Open {0}', `${target.path}${target.line ? `:${target.line}` : ''}`));
}

/** `hint` shows where the link leads. */
function makeLink(span: HTMLElement, hint: string): void {
  span.className = 'link';
  span.setAttribute('role', 'link');
  span.tabIndex = 0;
  span.title = hint;
}

function boxTask(item: HTMLLIElement): void {
  const holder = item.firstElementChild?.tagName === 'P' ? item.firstElementChild : item;
  const first = holder.firstChild;
  const found = first instanceof Text && /^\[([ xX])\][ \t]+/.exec(first.data);
  if (!found) return;
  const done = found[1] !== ' ';
  first.data = first.data.slice(found[0].length);
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

/** Replaces hidden characters by marks with their names. */
function showHidden(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.search(HIDDEN_CHARACTERS) !== -1) found.push(node);
  }
  for (const node of found) {
    // Every second part is such a character.
    const pieces = node.data.split(new RegExp(`(${HIDDEN_CHARACTERS.source})`)).map((piece, index) => {
      if (index % 2 === 0) return piece;
      const mark = document.createElement('span');
      mark.className = 'hidden-character';
      mark.textContent = characterName(piece);
      return mark;
    });
    node.replaceWith(...pieces);
  }
}
