import { page } from '../page-instance.ts';
import { text } from '../texts.ts';
import { highlightSoon } from './highlight.ts';
import { HIDDEN_CHARACTERS } from './links.ts';

const ACTIONS = [
  { action: 'apply', label: () => text('Apply in Editor'), icon: 'git-pull-request-go-to-changes' },
  { action: 'copy', label: () => text('Copy'), icon: 'copy' },
  { action: 'insert', label: () => text('Insert at Cursor'), icon: 'insert' },
  { action: 'newFile', label: () => text('Open in New File'), icon: 'new-file' },
  { action: 'preview', label: () => text('Preview Diagram'), icon: 'open-preview' },
] as const;

interface CodeSource {
  code: string;
  readonly language: string;
  isComplete: boolean;
}

const sources = new WeakMap<Element, CodeSource>();

async function run(action: (typeof ACTIONS)[number]['action'], block: Element, source: CodeSource): Promise<void> {
  const { code, language } = source;
  if (action === 'apply') {
    const message = block.closest<HTMLElement>('[data-message]')?.dataset['message'];
    await page.request('applyEdits', { code, ...(message !== undefined && { message }) });
    return;
  }
  const succeeded = await page.tryRequest('codeAction', { action, text: code, ...(language !== '' && { language }) });
  if (succeeded && action === 'copy') page.toasts.show(text('Copied'));
}

/** Wraps rendered code in a frame with buttons. Complete code is highlighted. */
export function addCodeFrame(pre: HTMLElement, isComplete: boolean): void {
  const language = languageOf(pre);
  const source = { code: pre.textContent, language, isComplete };
  const block = Object.assign(document.createElement('div'), { className: 'code-block' });
  const bar = Object.assign(document.createElement('div'), { className: 'code-bar line' });
  bar.append(Object.assign(document.createElement('span'), { className: 'meta fill', textContent: language }));
  for (const { action, label, icon } of ACTIONS) {
    if (action === 'preview' && language.toLowerCase() !== 'mermaid') continue;
    const button = Object.assign(document.createElement('button'), {
      type: 'button',
      className: `icon-button code-action codicon codicon-${icon}`,
      title: label(),
      ariaLabel: label(),
    });
    button.dataset['action'] = action;
    button.addEventListener('click', () => void run(action, block, source));
    bar.append(button);
  }
  sources.set(block, source);
  pre.replaceWith(block);
  pre.tabIndex = 0;
  block.append(bar, pre);
  if (isComplete) finishCode(block, source);
}

/** Updates the code of `block`, keeping focus and selection. Returns false if it must be replaced instead. */
export function updateCode(block: Element | null, pre: Element | null, isComplete: boolean): boolean {
  const source = block && sources.get(block);
  if (!source || !pre?.matches('pre') || languageOf(pre) !== source.language) return false;
  const code = pre.textContent;
  if (source.isComplete) return code === source.code;
  if (code.search(HIDDEN_CHARACTERS) !== -1) return false;
  if (code.startsWith(source.code)) {
    appendCode(block, code.slice(source.code.length));
  } else {
    block.querySelector('code')!.textContent = code;
    source.code = code;
  }
  source.isComplete = isComplete;
  if (isComplete) finishCode(block, source);
  return true;
}

/** Appends code to `block`; returns false if it isn't a code block. */
export function appendCode(block: Element | null, added: string): boolean {
  const source = block && sources.get(block);
  if (!source) return false;
  source.code += added;
  appendText(block.querySelector('code')!, added);
  return true;
}

/** Appends to the last text node, so that a selection in it stays. */
export function appendText(element: Element, added: string): void {
  if (element.lastChild instanceof Text) element.lastChild.appendData(added);
  else element.append(added);
}

function finishCode(block: Element, { code, language }: CodeSource): void {
  const element = block.querySelector('code')!;
  const { lastChild } = element;
  if (lastChild instanceof Text && code.endsWith('\n')) lastChild.deleteData(lastChild.length - 1, 1);
  // Highlighting would remove the marks that `decorate` inserts for hidden characters.
  if (code.search(HIDDEN_CHARACTERS) === -1) highlightSoon(element, language.toLowerCase());
}

/** The language after a code fence, without a file name that may follow it. */
const languageOf = (pre: Element): string =>
  /language-([\w+#.-]{1,40})/.exec(pre.firstElementChild?.className ?? '')?.[1] ?? '';
