import { text } from '../texts.ts';
import { readFence } from './blocks.ts';
import { showHidden } from './decorate.ts';
import { highlightSoon } from './highlight.ts';

export type CodeAction = 'copy' | 'insert' | 'newFile' | 'apply' | 'preview';

const ACTIONS: readonly { readonly action: CodeAction; readonly label: () => string; readonly icon: string }[] = [
  { action: 'apply', label: () => text('Apply in Editor'), icon: 'git-pull-request-go-to-changes' },
  { action: 'copy', label: () => text('Copy'), icon: 'copy' },
  { action: 'insert', label: () => text('Insert at Cursor'), icon: 'insert' },
  { action: 'newFile', label: () => text('Open in New File'), icon: 'new-file' },
  { action: 'preview', label: () => text('Preview Diagram'), icon: 'open-preview' },
];

interface Source {
  code: string;
  readonly language: string;
}

const sources = new WeakMap<Element, Source>();

/** What a button of a code block asks for, with the code as it came; undefined for any other element. */
export function codeActionAt(
  element: Element | null,
): { action: CodeAction; code: string; language: string; button: HTMLElement } | undefined {
  const button = element?.closest<HTMLElement>('.code-action');
  const source = button && sources.get(button.closest('.code-block') ?? button);
  const action = ACTIONS.find((each) => each.action === button?.dataset['action'])?.action;
  return button && source && action ? { action, code: source.code, language: source.language, button } : undefined;
}

/** A code block on the page. While it grows its text is appended; it is coloured once, when it is whole. */
export class CodeBlock {
  readonly element: HTMLElement;
  readonly #code: HTMLElement;
  readonly #source: Source;
  readonly #text = document.createTextNode('');

  constructor(language: string) {
    this.#source = { code: '', language };
    this.element = document.createElement('div');
    this.element.className = 'code-block';
    const bar = document.createElement('div');
    bar.className = 'code-bar';
    const name = document.createElement('span');
    name.className = 'code-language';
    name.textContent = language;
    bar.append(name);
    for (const { action, label, icon } of ACTIONS) {
      if (action !== 'preview' || language.toLowerCase() === 'mermaid') bar.append(actionButton(action, label(), icon));
    }
    const pre = document.createElement('pre');
    pre.tabIndex = 0;
    this.#code = document.createElement('code');
    this.#code.append(this.#text);
    pre.append(this.#code);
    this.element.append(bar, pre);
    sources.set(this.element, this.#source);
  }

  /** Shows the fence's code so far. A last line that may become the closing fence is held back. */
  update(fence: string): void {
    const { code, closed } = readFence(fence);
    const shown = closed ? code : code.replace(/(^|\n)[ \t]*[`~]+$/, '$1');
    const before = this.#source.code;
    if (shown.startsWith(before)) this.#text.appendData(shown.slice(before.length));
    else this.#text.data = shown;
    this.#source.code = shown;
  }

  /** Shows the whole code, coloured. */
  finish(fence: string): void {
    this.update(fence);
    const shown = this.#source.code.replace(/\n$/, '');
    this.#text.data = shown;
    showHidden(this.#code);
    if (this.#code.firstElementChild === null) {
      highlightSoon(this.#code, shown, this.#source.language.toLowerCase());
    }
  }
}

function actionButton(action: CodeAction, label: string, icon: string): HTMLButtonElement {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = `icon-button code-action codicon codicon-${icon}`;
  button.dataset['action'] = action;
  button.title = label;
  button.setAttribute('aria-label', label);
  return button;
}
