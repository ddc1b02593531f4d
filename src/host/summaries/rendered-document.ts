import type * as vscode from 'vscode';

/** A link in a document. Lines are 0-based, columns are UTF-16 units. */
export interface TextLink {
  readonly line: number;
  readonly start: number;
  readonly end: number;
  readonly target: vscode.Uri;
}

export interface RenderedDocument {
  readonly text: string;
  readonly links: readonly TextLink[];
}

/** A part of a line; with a URI, it's a link. */
export type LinePart = string | { readonly text: string; readonly to: vscode.Uri };

/** A line's end. The editor also ends a line at a lone carriage return. */
export const LINE_END = /\r\n?|\n/g;

/** Writes a document. Its links are recorded and not parsed, because quoted text may look like a link. */
export class DocumentWriter {
  #text = '';
  #line = 0;
  readonly #links: TextLink[] = [];

  /** Adds a heading of a depth (1 to 6) and an empty line. */
  heading(depth: number, title: string): this {
    return this.line(`${'#'.repeat(depth)} ${title}`).line();
  }

  /** Adds a line; parts with a URI become links. */
  line(...parts: readonly LinePart[]): this {
    let column = 0;
    for (const part of parts) {
      const text = (typeof part === 'string' ? part : part.text).replaceAll(LINE_END, ' ');
      if (typeof part !== 'string')
        this.#links.push({ line: this.#line, start: column, end: column + text.length, target: part.to });
      column += text.length;
      this.#text += text;
    }
    this.#text += '\n';
    this.#line++;
    return this;
  }

  /** Adds a bulleted list and an empty line. */
  list(entries: Iterable<string | readonly LinePart[]>): this {
    for (const entry of entries) this.line('- ', ...[entry].flat());
    return this.line();
  }

  /** Adds a text and an empty line. Closes an open code block in the text, so that it doesn't include the rest. */
  block(text: string): this {
    const lines = text.replaceAll(LINE_END, '\n');
    const fence = openFence(lines);
    const whole = (lines.endsWith('\n') ? lines : `${lines}\n`) + (fence && `${fence}\n`);
    this.#text += whole;
    this.#line += whole.split('\n').length - 1;
    return this.line();
  }

  /** Adds a text in a code fence that the text doesn't contain. */
  fenced(text: string): this {
    const length = Math.max(3, ...Array.from(text.matchAll(/`{3,}/g), ([run]) => run.length + 1));
    const fence = '`'.repeat(length);
    return this.block(`${fence}text\n${text}\n${fence}`);
  }

  document(): RenderedDocument {
    return { text: this.#text, links: this.#links };
  }
}

/** The fence of a code block that isn't closed, with its indentation; '' if there is none (CommonMark 4.5). */
function openFence(text: string): string {
  let open = '';
  for (const line of text.split('\n')) {
    const indent = open.search(/\S/);
    const [fence = ''] = /^ {0,3}(?:`{3,}(?=[^`]*$)|~{3,})/.exec(line) ?? [];
    const isClosed = fence.trim().startsWith(open.trim()) && fence.trim() === line.trim();
    // An indented block in a list item also ends with the item.
    const isLeft = !isClosed && line.trim() !== '' && line.search(/\S/) < indent;
    if (open === '' || isLeft) open = fence;
    else if (isClosed) open = '';
  }
  return open;
}

/** Inserts blank lines before headings, because Markdown adds a heading right below a list to the last entry. */
export const separateHeadings = (summary: string): string => summary.replaceAll(/\n(?=\*\*[^*\n]+\*\*\n)/g, '\n\n');

export const plainDocument = (text: string): RenderedDocument => ({ text, links: [] });
