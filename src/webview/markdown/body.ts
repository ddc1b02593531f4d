import { BlockSplitter, readFence, type Block } from './blocks.ts';
import { CodeBlock } from './code-block.ts';
import { decorate } from './decorate.ts';
import { renderMarkdown, type MarkdownEnvironment } from './parser.ts';
import { sanitize } from './sanitize.ts';

/** An open block up to this size is rendered anew with each update, a longer one when it has grown by an eighth. */
const RENDERED_EACH_TIME = 4_000;

/**
 * A message's markdown on the page. What is shown stays: `update` with a longer text renders the blocks that are new
 * and the one that is still growing, so that a reply costs time linear in its length.
 */
export class MarkdownBody {
  readonly #stretches: Stretches;
  #splitter = new BlockSplitter();
  #text = '';
  readonly #breaks: boolean;
  #environment: MarkdownEnvironment;
  #done: { readonly block: Block; readonly element: HTMLElement }[] = [];
  #tail: Tail | undefined;
  #finished = false;

  /** With `breaks` every line end of a paragraph is kept. */
  constructor(host: HTMLElement, breaks: boolean) {
    this.#stretches = new Stretches(host);
    this.#breaks = breaks;
    this.#environment = { breaks };
  }

  /** Shows `text`; with `final` nothing will be added to it. */
  update(text: string, final: boolean): void {
    if (this.#finished && text === this.#text) return;
    if (this.#finished || !text.startsWith(this.#text)) this.#reset();
    this.#stretches.settle();
    this.#splitter.push(text.slice(this.#text.length));
    this.#text = text;
    if (final) this.#splitter.finish();
    const { closed, open } = this.#splitter;
    while (this.#done.length < closed.length) this.#close(closed[this.#done.length]!);
    if (open) this.#showOpen(open);
    if (final) this.#finish();
  }

  #close(block: Block): void {
    const tail = this.#tail;
    this.#tail = undefined;
    if (tail?.code && block.kind === 'code') {
      tail.code.finish(block.text);
      this.#done.push({ block, element: tail.element });
      return;
    }
    const element = tail && !tail.code ? tail.element : this.#append(block);
    if (tail?.code) tail.element.remove();
    this.#render(block, element);
    this.#done.push({ block, element });
  }

  #showOpen(block: Block): void {
    if (block.kind === 'code') {
      if (!this.#tail?.code) {
        // The info string must be complete, or the block would be named after its first letters.
        if (!block.text.includes('\n')) return;
        this.#tail?.element.remove();
        const code = new CodeBlock(readFence(block.text).language);
        this.#stretches.append(code.element, false);
        this.#tail = { element: code.element, code, rendered: 0, rest: undefined };
      }
      this.#tail.code?.update(block.text);
      return;
    }
    if (this.#tail?.code) {
      this.#tail.element.remove();
      this.#tail = undefined;
    }
    this.#tail ??= { element: this.#append(block), code: undefined, rendered: 0, rest: undefined };
    const tail = this.#tail;
    if (block.text.length <= RENDERED_EACH_TIME || block.text.length >= tail.rendered * 1.125) {
      this.#render(block, tail.element);
      tail.rendered = block.text.length;
      tail.rest = undefined;
      return;
    }
    if (!tail.rest) {
      tail.rest = document.createTextNode('');
      tail.element.append(tail.rest);
    }
    const rest = block.text.slice(tail.rendered);
    tail.rest.appendData(rest.slice(tail.rest.length));
  }

  #append(block: Block): HTMLElement {
    const element = document.createElement('div');
    element.className = `block block-${block.kind}`;
    // A long list comes in several blocks, and reads as one.
    this.#stretches.append(element, block.kind === 'list' && this.#done.at(-1)?.block.kind === 'list');
    return element;
  }

  #render(block: Block, element: HTMLElement): void {
    if (block.kind === 'code') {
      const code = new CodeBlock(readFence(block.text).language);
      code.finish(block.text);
      element.replaceChildren(code.element);
      return;
    }
    const nodes = sanitize(renderMarkdown(block.text, this.#environment));
    // A fence inside a list or a quotation gets the same frame as one that stands alone.
    for (const pre of nodes.querySelectorAll('pre')) {
      const language = /language-(\S+)/.exec(pre.firstElementChild?.className ?? '')?.[1] ?? '';
      const code = new CodeBlock(language);
      code.finish(asFence(pre.textContent, language));
      pre.replaceWith(code.element);
    }
    decorate(nodes);
    element.replaceChildren(nodes);
  }

  /** Links that were used before their definition came are rendered again, once. */
  #finish(): void {
    this.#finished = true;
    const definitions = this.#environment.references;
    if (!definitions || Object.keys(definitions).length === 0) return;
    for (const { block, element } of this.#done) {
      if (block.kind !== 'code' && block.text.includes(']')) this.#render(block, element);
    }
  }

  #reset(): void {
    this.#stretches.clear();
    this.#splitter = new BlockSplitter();
    this.#text = '';
    this.#environment = { breaks: this.#breaks };
    this.#done = [];
    this.#tail = undefined;
    this.#finished = false;
  }
}

interface Tail {
  readonly element: HTMLElement;
  readonly code: CodeBlock | undefined;
  /** Characters of the block that are rendered; the rest stands behind them as plain text. */
  rendered: number;
  rest: Text | undefined;
}

function asFence(code: string, language: string): string {
  let fence = '```';
  while (code.includes(fence)) fence += '`';
  return `${fence}${language}\n${code}${code.endsWith('\n') || code === '' ? '' : '\n'}${fence}`;
}

/** Blocks of a stretch, at least: so much of the end of an arriving reply is laid out anew when a block is added. */
const BLOCKS = 16;

/**
 * Where the blocks of a message stand: in stretches of some blocks each. What is added touches the last stretch alone.
 * The browser may skip those before it while they are out of view, at the height that they have; without stretches it
 * would go through every block of the message for each one that comes.
 */
export class Stretches {
  readonly #host: HTMLElement;
  #last: HTMLElement | undefined;
  #settled = 0;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  /** Adds an element at the end; with `continues` it belongs into the stretch of the one before it. */
  append(element: HTMLElement, continues: boolean): void {
    if (!this.#last || (this.#last.childElementCount >= BLOCKS && !continues)) {
      this.#last = document.createElement('div');
      this.#last.className = 'stretch';
      this.#host.append(this.#last);
    }
    this.#last.append(element);
  }

  /**
   * Lets the browser skip the stretches that no longer change, but for the newest of them. To be called before anything
   * is changed, so that reading heights costs no layout of its own.
   */
  settle(): void {
    const { children } = this.#host;
    for (; this.#settled < children.length - 2; this.#settled++) {
      const stretch = children[this.#settled];
      if (!(stretch instanceof HTMLElement)) continue;
      stretch.style.containIntrinsicBlockSize = `${stretch.offsetHeight}px`;
      stretch.classList.add('settled');
    }
  }

  clear(): void {
    this.#host.replaceChildren();
    this.#last = undefined;
    this.#settled = 0;
  }
}
