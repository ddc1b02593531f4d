/** Length of a line's beginning that determines whether it's a fence, in UTF-16 units. */
const MAX_READ = 240;

const FENCE = /^(?:(`{3,}(?!.*`)|~{3,})\s*(.*)|<(\/?)(source|code|pre|diff)>(\w*))$/i;

/** An open fence: its marks or tag, and the language of the block, in lower case, or ''. */
export interface Fence {
  readonly marks: string;
  readonly language: string;
}

/** Tells fences from other lines of a text, in order. Some clients use `<source>` and similar tags. Linear. */
export class FenceReader {
  open: Fence | undefined;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Whether `text[start, end)`, a line without indentation, opens or closes a block. */
  pass(start: number, end: number): boolean {
    const fence = this.fenceAt(start, end);
    if (fence === undefined) return false;
    const { marks, language, closes } = fence;
    const { open } = this;
    if (open !== undefined) {
      const isEnd = closes !== false && language === '' && marks.startsWith(open.marks);
      if (isEnd) this.open = undefined;
      return isEnd;
    }
    if (closes !== true && !this.isStray(fence, start, end)) this.open = { marks, language };
    return true;
  }

  /**
   * Whether a fence without a language closes a block of an earlier message: in transcripts that are cut at tool calls,
   * a message may start within a block. Then the next fence of the same kind has a language, or there is none after a
   * first line.
   */
  private isStray({ marks, language, closes }: Found, start: number, end: number): boolean {
    if (language !== '' || closes !== undefined) return false;
    const { text } = this;
    for (let at = text.indexOf('\n', end) + 1; at > 0; at = text.indexOf('\n', at) + 1) {
      let first = at;
      while (text.charCodeAt(first) === 32 || text.charCodeAt(first) === 9) first++;
      if (!'`~'.includes(text.charAt(first))) continue;
      const stop = text.indexOf('\n', first);
      const next = this.fenceAt(first, stop === -1 ? text.length : stop);
      // Other fences may be within the block.
      if (next?.marks.startsWith(marks)) return next.language !== '';
    }
    return text.lastIndexOf('\n', start) === -1;
  }

  private fenceAt(start: number, end: number): Found | undefined {
    const { text } = this;
    if (!'`~<'.includes(text.charAt(start))) return undefined;
    const found = FENCE.exec(text.slice(start, Math.min(end, start + MAX_READ)).trimEnd());
    if (found === null) return undefined;
    const [, marks = '', language = '', slash, tag = '', tagged = ''] = found;
    if (slash === undefined) return { marks, language: language.toLowerCase(), closes: undefined };
    return { marks: `<${tag.toLowerCase()}>`, language: tagged.toLowerCase(), closes: slash !== '' };
  }
}

/** `closes`: for a tag, whether it closes a block; undefined for marks. */
interface Found extends Fence {
  readonly closes: boolean | undefined;
}
