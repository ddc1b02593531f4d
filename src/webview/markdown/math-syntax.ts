import type MarkdownIt from 'markdown-it';

/** Longer formulas aren't rendered, in characters. */
export const MAX_FORMULA = 4_000;

const INLINE = [
  { open: '$$', close: '$$', display: true },
  { open: '\\(', close: '\\)', display: false },
  { open: '$', close: '$', display: false },
] as const;

/** The closing mark of a formula that begins with this line; undefined if the line begins none. */
export function mathOpenedBy(line: string): '$$' | '\\]' | undefined {
  const text = line.trim();
  const close = text.startsWith('$$') ? '$$' : text.startsWith('\\[') ? '\\]' : undefined;
  return close !== undefined && !text.slice(2).includes(close) ? close : undefined;
}

/**
 * Parses `$…$`, `\(…\)`, `$$…$$`, and `\[…\]` as formulas. A single dollar must be next to the formula's text, and not
 * next to a letter or digit on its other side, so that prices and `$HOME/$USER` aren't formulas.
 */
export function readMath(markdown: InstanceType<typeof MarkdownIt>): void {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const { src, pos, posMax } = state;
    const kind = INLINE.find(({ open }) => src.startsWith(open, pos));
    if (!kind) return false;
    const start = pos + kind.open.length;
    const end = closeOf(src, start, posMax, kind.close);
    const formula = end === -1 ? '' : src.slice(start, end);
    if (formula.trim() === '' || formula.length > MAX_FORMULA) return false;
    const isApart = !/\w/.test(src[pos - 1] ?? '') && !/\w/.test(src[end + 1] ?? '') && !/^\s|\s$/.test(formula);
    if (kind.open === '$' && !isApart) return false;
    if (!silent) {
      const token = state.push('math', 'code', 0);
      token.content = formula;
      token.attrSet('class', kind.display ? 'math-display' : 'math-inline');
    }
    state.pos = end + kind.close.length;
    return true;
  });

  markdown.block.ruler.before(
    'fence',
    'math_block',
    (state, startLine, endLine, silent) => {
      const lineAt = (line: number): string =>
        state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
      const first = lineAt(startLine).trimEnd();
      const isWhole = /^(?:\$\$.+\$\$|\\\[.+\\\])$/.test(first);
      const close = isWhole ? undefined : mathOpenedBy(first);
      if (!isWhole && close === undefined) return false;
      let line = startLine;
      let formula = first.slice(2);
      while (close !== undefined && !formula.trimEnd().endsWith(close)) {
        line++;
        if (line >= endLine || formula.length > MAX_FORMULA) return false;
        formula += `\n${lineAt(line)}`;
      }
      formula = formula.trimEnd().slice(0, -2);
      if (formula.trim() === '' || formula.length > MAX_FORMULA) return false;
      if (silent) return true;
      state.push('paragraph_open', 'p', 1).map = [startLine, line + 1];
      const token = state.push('math', 'code', 0);
      token.content = formula;
      token.attrSet('class', 'math-display');
      state.push('paragraph_close', 'p', -1);
      state.line = line + 1;
      return true;
    },
    { alt: ['paragraph', 'blockquote', 'list'] },
  );

  markdown.renderer.rules['math'] = (tokens, index, _options, _environment, self) => {
    const token = tokens[index]!;
    return `<code${self.renderAttrs(token)}>${markdown.utils.escapeHtml(token.content)}</code>`;
  };
}

function closeOf(source: string, start: number, limit: number, close: string): number {
  for (let end = source.indexOf(close, start); end !== -1 && end < limit; end = source.indexOf(close, end + 1)) {
    let escapes = 0;
    while (source[end - 1 - escapes] === '\\') escapes++;
    // `\$` is a dollar sign.
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
