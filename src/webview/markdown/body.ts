import { BlockSplitter, hasGrown } from './blocks.ts';
import { addCode, appendText, frameCode, growCode } from './code-block.ts';
import { decorate } from './decorate.ts';
import { renderMarkdown, type MarkdownEnvironment } from './parser.ts';
import { sanitize } from './sanitize.ts';

/** The last block, which is still growing. */
interface Tail {
  readonly element: HTMLElement;
  /** Length of the block when it was last rendered, in characters. */
  rendered: number;
  /** Number of shown characters. Those added since the last rendering are shown as plain text. */
  shown: number;
  /** Whether the code that it begins with had ended at the last rendering. */
  hasEnded: boolean;
}

/** A last line that may become the end of code, or an incomplete language. */
const UNDECIDED = /^[ \t]*(?:[`~]+|`{3,}[^`]*|~~~.*)$/;

/**
 * A message's Markdown on the page. `update` with a longer text only renders new blocks and the growing one, so that a
 * reply takes linear time.
 */
export class MarkdownBody {
  readonly #host: HTMLElement;
  readonly #breaks: boolean;
  #splitter = new BlockSplitter();
  #text = '';
  #environment: MarkdownEnvironment;
  #done: HTMLElement[] = [];
  #tail: Tail | undefined;
  #finished = false;

  /** `breaks` keeps all line breaks of a paragraph. */
  constructor(host: HTMLElement, breaks: boolean) {
    this.#host = host;
    this.#breaks = breaks;
    this.#environment = { breaks };
  }

  /** Shows `text`; `final` means that nothing will be added. */
  update(text: string, final: boolean): void {
    if (this.#finished && text === this.#text) return;
    if (this.#finished || !text.startsWith(this.#text)) this.#reset();
    this.#splitter.push(text.slice(this.#text.length));
    this.#text = text;
    if (final) this.#splitter.finish();
    else this.#host.classList.add('live');
    const { closed, open } = this.#splitter;
    for (const block of closed.slice(this.#done.length)) {
      const element = this.#tail?.element ?? this.#append();
      this.#render(block, element, true);
      this.#done.push(element);
      this.#tail = undefined;
    }
    if (final) this.#finish(closed);
    else if (open !== '') this.#showOpen(open);
  }

  #showOpen(block: string): void {
    const lastLine = block.lastIndexOf('\n') + 1;
    const text = UNDECIDED.test(block.slice(lastLine)) ? block.slice(0, lastLine) : block;
    if (text === '') return;
    const { hasEnded } = this.#splitter;
    const tail = (this.#tail ??= { element: this.#append(), rendered: 0, shown: 0, hasEnded });
    if (hasGrown(text.length, tail.rendered) || hasEnded !== tail.hasEnded) {
      this.#render(text, tail.element, false);
      tail.rendered = text.length;
      tail.hasEnded = hasEnded;
    } else {
      const more = text.slice(tail.shown);
      if (hasEnded || !addCode(tail.element.lastElementChild, more)) appendText(tail.element, more);
    }
    tail.shown = text.length;
  }

  #append(): HTMLElement {
    const element = document.createElement('div');
    element.className = 'block';
    this.#host.append(element);
    return element;
  }

  #render(block: string, element: HTMLElement, isWhole: boolean): void {
    const { references } = this.#environment;
    // The first definition of a link wins, and one that is streaming is incomplete.
    const environment = isWhole ? this.#environment : { ...this.#environment, references: { ...references } };
    const nodes = sanitize(renderMarkdown(block, environment));
    const first = nodes.firstElementChild;
    const isKept = growCode(element.firstElementChild, first, isWhole);
    if (isKept) first?.remove();
    for (const pre of nodes.querySelectorAll('pre')) frameCode(pre, isWhole);
    decorate(nodes);
    if (!isKept) {
      element.replaceChildren(nodes);
      return;
    }
    for (const node of [...element.childNodes].slice(1)) node.remove();
    element.append(nodes);
  }

  /** Renders blocks again whose links were used before their definition. */
  #finish(blocks: readonly string[]): void {
    this.#finished = true;
    if (Object.keys(this.#environment.references ?? {}).length === 0) return;
    for (const [index, block] of blocks.entries())
      if (block.includes(']')) this.#render(block, this.#done[index]!, true);
  }

  #reset(): void {
    this.#host.replaceChildren();
    this.#splitter = new BlockSplitter();
    this.#text = '';
    this.#environment = { breaks: this.#breaks };
    this.#done = [];
    this.#tail = undefined;
    this.#finished = false;
  }
}
