import { text } from '../texts.ts';
import { highlightSoon } from './highlight.ts';
import { HIDDEN_CHARACTERS } from './links.ts';

export type CodeAction = 'copy' | 'insert' | 'newFile' | 'apply' | 'preview';

const ACTIONS: readonly { readonly action: CodeAction; readonly label: () => string; readonly icon: string }[] = [
  { action: 'apply', label: () => text('Apply in Editor'), icon: 'git-pull-request-go-to-changes' },
  { action: 'copy', label: () => text('Copy'), icon: 'copy' },
  { action: 'insert', label: () => text('Insert at Cursor'), icon: 'insert' },
  { action: 'newFile', label: () => text('Open in New File'), icon: 'new-file' },
  { action: 'preview', label: () => text('Preview Diagram'), icon: 'open-preview' },
];

interface Source {
  readonly code: string;
  readonly language: string;
}

const sources = new WeakMap<Element, Source>();

/** What a button of a code block asks for, with the code as it came; undefined for any other element. */
export function codeActionAt(element: Element): (Source & { readonly action: CodeAction }) | undefined {
  const button = element.closest<HTMLElement>('.code-action');
  const source = button && sources.get(button.closest('.code-block') ?? button);
  const action = ACTIONS.find((each) => each.action === button?.dataset['action'])?.action;
  return source && action ? { ...source, action } : undefined;
}

/** Gives code that was rendered its frame, with what can be done with it. It is coloured once, when it is whole. */
export function frameCode(pre: HTMLElement, isWhole: boolean): void {
  const code = pre.firstElementChild as HTMLElement;
  const language = /language-(\S+)/.exec(code.className)?.[1] ?? '';
  const source = { code: code.textContent, language };
  const block = document.createElement('div');
  block.className = 'code-block';
  const bar = document.createElement('div');
  bar.className = 'code-bar line';
  const name = document.createElement('span');
  name.className = 'meta fill';
  name.textContent = language;
  bar.append(name);
  for (const { action, label, icon } of ACTIONS) {
    if (action === 'preview' && language.toLowerCase() !== 'mermaid') continue;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = `icon-button code-action codicon codicon-${icon}`;
    button.dataset['action'] = action;
    button.title = label();
    button.setAttribute('aria-label', label());
    bar.append(button);
  }
  sources.set(block, source);
  pre.replaceWith(block);
  pre.tabIndex = 0;
  block.append(bar, pre);
  if (!isWhole) return;
  code.textContent = source.code.replace(/\n$/, '');
  // What is hidden in it is shown by `decorate`, and colours would cover that.
  if (code.textContent.search(HIDDEN_CHARACTERS) === -1) highlightSoon(code, language.toLowerCase());
}
