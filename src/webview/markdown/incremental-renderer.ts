import { BlockSplitter, hasGrownEnough } from './block-splitter.ts';
import { appendCode, appendText, addCodeFrame, updateCode } from './code-block.ts';
import { decorate } from './decorate.ts';
import { renderMarkdown, type MarkdownEnvironment } from './parser.ts';
import { sanitize } from './sanitize.ts';

/** The last block of a streaming message. */
interface OpenBlock {
  readonly element: HTMLElement;
  /** Number of characters that are rendered as Markdown. */
  renderedLength: number;
  /** Number of visible characters. Those after `renderedLength` are plain text. */
  shownLength: number;
  /** The splitter's `isCodeClosed` at the last rendering. */
  isCodeClosed: boolean;
}

/** An incomplete line that may become a code fence. It's hidden until it's complete. */
const INCOMPLETE_LINE = /^[ \t]*(?:[`~]+|`{3,}[^`]*|~~~.*)$/;

/** Renders a message's Markdown. When text is added, only the last block and new ones are rendered. */
export class IncrementalRenderer {
  readonly #host: HTMLElement;
  #splitter = new BlockSplitter();
  #text = '';
  #environment: MarkdownEnvironment;
  #closedBlocks: HTMLElement[] = [];
  #openBlock: OpenBlock | undefined;
  #isFinished = false;

  /** `breaks`: whether line breaks in paragraphs are kept. */
  constructor(host: HTMLElement, breaks: boolean) {
    this.#host = host;
    this.#environment = { breaks };
  }

  /** Renders the message's complete `text`. `isFinal`: no text will be added. */
  update(text: string, isFinal: boolean): void {
    if (this.#isFinished && text === this.#text) return;
    if (this.#isFinished || !text.startsWith(this.#text)) this.#reset();
    this.#splitter.push(text.slice(this.#text.length));
    this.#text = text;
    if (isFinal) this.#splitter.finish();
    else this.#host.classList.add('live');
    const { closed, open } = this.#splitter;
    for (const block of closed.slice(this.#closedBlocks.length)) {
      const element = this.#openBlock?.element ?? this.#appendBlock();
      this.#render(block, element, true);
      this.#closedBlocks.push(element);
      this.#openBlock = undefined;
    }
    if (isFinal) this.#finish(closed);
    else if (open !== '') this.#showOpenBlock(open);
  }

  #showOpenBlock(block: string): void {
    const lastLine = block.lastIndexOf('\n') + 1;
    const text = INCOMPLETE_LINE.test(block.slice(lastLine)) ? block.slice(0, lastLine) : block;
    if (text === '') return;
    const { isCodeClosed } = this.#splitter;
    const openBlock = (this.#openBlock ??= {
      element: this.#appendBlock(),
      renderedLength: 0,
      shownLength: 0,
      isCodeClosed,
    });
    if (hasGrownEnough(text.length, openBlock.renderedLength) || isCodeClosed !== openBlock.isCodeClosed) {
      this.#render(text, openBlock.element, false);
      openBlock.renderedLength = text.length;
      openBlock.isCodeClosed = isCodeClosed;
    } else {
      const added = text.slice(openBlock.shownLength);
      if (isCodeClosed || !appendCode(openBlock.element.lastElementChild, added)) appendText(openBlock.element, added);
    }
    openBlock.shownLength = text.length;
  }

  #appendBlock(): HTMLElement {
    const element = Object.assign(document.createElement('div'), { className: 'block' });
    this.#host.append(element);
    return element;
  }

  #render(block: string, element: HTMLElement, isComplete: boolean): void {
    const { references } = this.#environment;
    // An incomplete block must not define links, because the first definition of a link wins.
    const environment = isComplete ? this.#environment : { ...this.#environment, references: { ...references } };
    const nodes = sanitize(renderMarkdown(block, environment));
    const first = nodes.firstElementChild;
    const isReused = updateCode(element.firstElementChild, first, isComplete);
    if (isReused) first?.remove();
    for (const pre of nodes.querySelectorAll('pre')) addCodeFrame(pre, isComplete);
    decorate(nodes);
    if (!isReused) {
      element.replaceChildren(nodes);
      return;
    }
    for (const node of [...element.childNodes].slice(1)) node.remove();
    element.append(nodes);
  }

  /** Renders blocks with links again, because links may be defined after they are used. */
  #finish(blocks: readonly string[]): void {
    this.#isFinished = true;
    if (Object.keys(this.#environment.references ?? {}).length === 0) return;
    for (const [index, block] of blocks.entries())
      if (block.includes(']')) this.#render(block, this.#closedBlocks[index]!, true);
  }

  #reset(): void {
    this.#host.replaceChildren();
    this.#splitter = new BlockSplitter();
    this.#text = '';
    this.#environment = { breaks: this.#environment.breaks };
    this.#closedBlocks = [];
    this.#openBlock = undefined;
    this.#isFinished = false;
  }
}
