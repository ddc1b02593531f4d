const FENCE = /^(`{3,}(?!.*`)|~{3,})([^]*)/;

/** Tells whether a line is in a fenced code block. */
export class CodeFence {
  #open = '';

  get isOpen(): boolean {
    return this.#open !== '';
  }

  line(line: string): void {
    const [, marks = '', info = ''] = FENCE.exec(line) ?? [];
    if (this.#open === '') this.#open = marks;
    else if (info.trim() === '' && marks.startsWith(this.#open)) this.#open = '';
  }

  close(): void {
    this.#open = '';
  }
}
