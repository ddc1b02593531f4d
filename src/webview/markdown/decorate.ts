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
  // Which files there are only the host knows: see `linkFiles`.
  if (target.kind === 'file') span.dataset['file'] = target.path;
  else if (target.kind === 'web') makeLink(span, text('Open {0}', target.href));
  else if (target.kind === 'message') makeLink(span, text('Go to Message'));
  return span;
}

/** Lets the name of a file that exists be followed. */
export function linkToFile(span: HTMLElement): void {
  const target = targets.get(span);
  if (target?.kind === 'file')
    makeLink(span, text('Open {0}', `${target.path}${target.line ? `:${target.line}` : ''}`));
}

/** `hint` says where the link leads before it is followed. */
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

/** Replaces each hidden character under `root` by a mark with its name. */
function showHidden(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.search(HIDDEN_CHARACTERS) !== -1) found.push(node);
  }
  for (const node of found) {
    // Every second piece is such a character.
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
