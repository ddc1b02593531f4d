import type * as vscode from 'vscode';

/** A place in a document that leads elsewhere. Lines are 0-based, columns UTF-16 units. */
export interface PageLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly target: vscode.Uri;
}

/** A document as it is shown. */
export interface Page {
  readonly text: string;
  readonly links: readonly PageLink[];
}

/** A piece of a line; with an address it is a link. */
export type Part = string | { readonly text: string; readonly to: vscode.Uri };

/** Writes a document, and notes its links as it goes: what is quoted in it may look like one. */
export class PageWriter {
  #text = '';
  #line = 0;
  readonly #links: PageLink[] = [];

  /** A heading of that depth (1 to 6) and an empty line. */
  heading(depth: number, title: string): this {
    return this.line(`${'#'.repeat(depth)} ${title}`).line();
  }

  /** One line; parts with an address become links. */
  line(...parts: readonly Part[]): this {
    let column = 0;
    for (const part of parts) {
      const text = (typeof part === 'string' ? part : part.text).replaceAll('\n', ' ');
      if (typeof part !== 'string')
        this.#links.push({ line: this.#line, start: column, end: column + text.length, target: part.to });
      column += text.length;
      this.#text += text;
    }
    this.#text += '\n';
    this.#line++;
    return this;
  }

  /** A text as it is, and an empty line. */
  block(text: string): this {
    const whole = text.endsWith('\n') ? text : `${text}\n`;
    this.#text += whole;
    this.#line += whole.split('\n').length - 1;
    return this.line();
  }

  /** A text between fences that it does not hold. */
  fenced(text: string): this {
    const longest = Math.max(3, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length + 1));
    const fence = '`'.repeat(longest);
    return this.block(`${fence}text\n${text}\n${fence}`);
  }

  page(): Page {
    return { text: this.#text, links: this.#links };
  }
}

/** A summary to be rendered: without a line between, Markdown takes the heading below a list into its last entry. */
export const headingsApart = (summary: string): string => summary.replaceAll(/\n(?=\*\*[^*\n]+\*\*\n)/g, '\n\n');

/** A document that is nothing but its text. */
export const plainPage = (text: string): Page => ({ text, links: [] });
