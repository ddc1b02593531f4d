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
