import { gatherDrawn } from './gather-drawn.ts';
import { linkToFile } from './markdown/decorate.ts';

/** Names that are asked about together. */
const BATCH = 100;

/**
 * Makes links of the file names on the page that are files of the workspace. A name that leads nowhere stays text. What
 * exists is remembered; what does not is asked about again when it is drawn again, since it may have been made.
 */
export class FileLinks {
  readonly #ask: (paths: readonly string[]) => Promise<readonly string[] | undefined>;
  readonly #existing = new Set<string>();

  constructor(root: HTMLElement, ask: (paths: readonly string[]) => Promise<readonly string[] | undefined>) {
    this.#ask = ask;
    gatherDrawn(
      root,
      (added) => {
        const named = [...added.querySelectorAll<HTMLElement>('[data-file]')];
        if (added.dataset['file'] !== undefined) named.push(added);
        return named.filter((span) => !this.#link(span));
      },
      (spans) => this.#check(spans),
    );
  }

  async #check(spans: readonly HTMLElement[]): Promise<void> {
    const paths = [...new Set(spans.map((span) => span.dataset['file']!))];
    for (let from = 0; from < paths.length; from += BATCH) {
      for (const path of (await this.#ask(paths.slice(from, from + BATCH))) ?? []) this.#existing.add(path);
    }
    for (const span of spans) this.#link(span);
  }

  /** False where no such file is known. */
  #link(span: HTMLElement): boolean {
    const exists = this.#existing.has(span.dataset['file']!);
    if (exists) linkToFile(span);
    return exists;
  }
}
