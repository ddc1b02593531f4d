import { linkToFile } from './markdown/decorate.ts';

/** Names that are asked about together, and how long (ms) more are waited for. */
const BATCH = 100;
const PAUSE = 50;

/**
 * Makes links of the file names on the page that are files of the workspace. A name that leads nowhere stays text. What
 * exists is remembered; what does not is asked about again when it is drawn again, since it may have been made.
 */
export class FileLinks {
  readonly #ask: (paths: readonly string[]) => Promise<readonly string[] | undefined>;
  readonly #existing = new Set<string>();
  readonly #waiting = new Set<HTMLElement>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(root: HTMLElement, ask: (paths: readonly string[]) => Promise<readonly string[] | undefined>) {
    this.#ask = ask;
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes)
        for (const node of addedNodes) if (node instanceof HTMLElement) this.#look(node);
    }).observe(root, { childList: true, subtree: true });
  }

  #look(added: HTMLElement): void {
    const named = [...added.querySelectorAll<HTMLElement>('[data-file]')];
    if (added.dataset['file'] !== undefined) named.push(added);
    for (const span of named) {
      if (this.#existing.has(span.dataset['file']!)) linkToFile(span);
      else this.#waiting.add(span);
    }
    if (this.#waiting.size > 0) this.#timer ??= setTimeout(() => void this.#check(), PAUSE);
  }

  async #check(): Promise<void> {
    this.#timer = undefined;
    // A reply that is arriving is drawn again and again.
    const spans = [...this.#waiting].filter((span) => span.isConnected);
    this.#waiting.clear();
    const paths = [...new Set(spans.map((span) => span.dataset['file']!))];
    for (let from = 0; from < paths.length; from += BATCH) {
      for (const path of (await this.#ask(paths.slice(from, from + BATCH))) ?? []) this.#existing.add(path);
    }
    for (const span of spans) if (this.#existing.has(span.dataset['file']!)) linkToFile(span);
  }
}
