import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { lookUpFile, lookUpFormula } from './host-lookups.ts';
import { characterName, filePath, HIDDEN_CHARACTERS, linkTarget, type LinkTarget } from './links.ts';
import { sanitizeMath } from './sanitize.ts';

/**
 * Prepares sanitized nodes for the page: replaces links by elements without an href, so that no click or drag can
 * navigate; links existing files; renders formulas; adds check boxes to task lists; lets wide tables scroll; makes
 * hidden characters visible.
 */
export function decorate(root: DocumentFragment): void {
  for (const anchor of root.querySelectorAll('a')) replaceLink(anchor);
  for (const code of root.querySelectorAll(':not(pre) > code')) markFileName(code);
  for (const item of root.querySelectorAll('li')) addCheckBox(item);
  for (const table of root.querySelectorAll('table')) wrapTable(table);
  showHiddenCharacters(root);
  for (const code of root.querySelectorAll<HTMLElement>('.math-inline, .math-display')) renderFormula(code);
}

function replaceLink(anchor: HTMLAnchorElement): void {
  const span = createLinkElement(linkTarget(anchor.getAttribute('href') ?? ''));
  span.append(...anchor.childNodes);
  anchor.replaceWith(span);
}

function markFileName(code: Element): void {
  if (code.closest('[role="link"], [data-file], .math-inline, .math-display')) return;
  const target = filePath(code.textContent);
  if (!target) return;
  const span = createLinkElement(target);
  code.replaceWith(span);
  span.append(code);
}

function createLinkElement(target: LinkTarget): HTMLElement {
  const span = document.createElement('span');
  if (target.kind === 'file') {
    const { path, line, column } = target;
    span.dataset['file'] = path;
    const tooltip = text('Open {0}', line ? `${path}:${line}` : path);
    const position = { path, ...(line && { line }), ...(column && { column }) };
    lookUpFile(span, path, () => makeLink(span, tooltip, () => page.request('openFile', position)));
  } else if (target.kind !== 'refused') {
    const { kind, href } = target;
    const tooltip = kind === 'web' ? text('Open {0}', href) : text('Go to Message');
    makeLink(span, tooltip, () => page.request('openLink', { href }));
  }
  return span;
}

/** The host opens links, because the page must not navigate, and asks before it opens a web address. */
function makeLink(span: HTMLElement, tooltip: string, open: () => unknown): void {
  Object.assign(span, { className: 'link', role: 'link', tabIndex: 0, title: tooltip });
  span.addEventListener('click', open);
  span.addEventListener('keydown', ({ key }) => {
    if (key === 'Enter') open();
  });
}

function addCheckBox(item: HTMLLIElement): void {
  const holder = item.firstElementChild?.tagName === 'P' ? item.firstElementChild : item;
  const first = holder.firstChild;
  const found = first instanceof Text && /^\[([ xX])\][ \t]+/.exec(first.data);
  if (!found) return;
  const done = found[1] !== ' ';
  first.data = first.data.slice(found[0].length);
  const box = Object.assign(document.createElement('span'), {
    className: `task-box codicon ${done ? 'codicon-pass-filled' : 'codicon-circle-large-outline'}`,
    role: 'img',
    ariaLabel: text(done ? 'done' : 'not done'),
  });
  holder.prepend(box);
  item.classList.add('task-item');
}

/** Replaces a formula by its MathML. Invalid formulas stay as their source. */
function renderFormula(code: HTMLElement): void {
  const display = code.classList.contains('math-display');
  lookUpFormula(code, { tex: code.textContent, display }, (mathml) => {
    if (mathml === '') return;
    const { className, textContent: title } = code;
    const formula = Object.assign(document.createElement('span'), { className, title });
    formula.append(sanitizeMath(mathml));
    code.replaceWith(formula);
  });
}

function wrapTable(table: HTMLTableElement): void {
  const frame = document.createElement('div');
  Object.assign(frame, { className: 'table-frame', tabIndex: 0, role: 'group' });
  table.replaceWith(frame);
  frame.append(table);
}

function showHiddenCharacters(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: Text[] = [];
  while (walker.nextNode()) {
    const node = walker.currentNode as Text;
    if (node.data.search(HIDDEN_CHARACTERS) !== -1) found.push(node);
  }
  for (const node of found) {
    // The capturing group makes every second piece a hidden character.
    const pieces = node.data.split(new RegExp(`(${HIDDEN_CHARACTERS.source})`)).map((piece, index) => {
      if (index % 2 === 0) return piece;
      const name = characterName(piece);
      return Object.assign(document.createElement('span'), { className: 'hidden-character', textContent: name });
    });
    node.replaceWith(...pieces);
  }
}
