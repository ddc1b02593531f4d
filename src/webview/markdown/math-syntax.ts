import type MarkdownIt from 'markdown-it';

/** Maximum length of a formula, in characters. Longer ones are text. */
export const MAX_FORMULA_LENGTH = 4_000;

const INLINE_DELIMITERS = [
  { open: '$$', close: '$$', display: true },
  { open: '\\(', close: '\\)', display: false },
  { open: '$', close: '$', display: false },
] as const;

/** The closing delimiter of a multi-line formula that begins with `line`; undefined for other lines. */
export function closingDelimiterFor(line: string): '$$' | '\\]' | undefined {
  const text = line.trim();
  const close = text.startsWith('$$') ? '$$' : text.startsWith('\\[') ? '\\]' : undefined;
  return close !== undefined && !text.slice(2).includes(close) ? close : undefined;
}

/**
 * Makes a parser read `$…$`, `\(…\)`, `$$…$$`, and `\[…\]` as formulas. A `$` must not be separated from the formula by
 * a space, nor touch a letter or digit on its other side, so that prices and `$HOME/$USER` aren't formulas.
 */
export function addMathSyntax(markdown: InstanceType<typeof MarkdownIt>): void {
  markdown.inline.ruler.before('escape', 'math', (state, silent) => {
    const { src, pos, posMax } = state;
    const delimiters = INLINE_DELIMITERS.find(({ open }) => src.startsWith(open, pos));
    if (!delimiters) return false;
    const start = pos + delimiters.open.length;
    const end = findUnescaped(src, start, posMax, delimiters.close);
    const formula = end === -1 ? '' : src.slice(start, end);
    if (formula.trim() === '' || formula.length > MAX_FORMULA_LENGTH) return false;
    const isDelimited = !/\w/.test(src[pos - 1] ?? '') && !/\w/.test(src[end + 1] ?? '') && !/^\s|\s$/.test(formula);
    if (delimiters.open === '$' && !isDelimited) return false;
    if (!silent) {
      const token = state.push('math', 'code', 0);
      token.content = formula;
      token.attrSet('class', delimiters.display ? 'math-display' : 'math-inline');
    }
    state.pos = end + delimiters.close.length;
    return true;
  });

  markdown.block.ruler.before(
    'fence',
    'math_block',
    (state, startLine, endLine, silent) => {
      const lineAt = (line: number): string =>
        state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]);
      const first = lineAt(startLine).trimEnd();
      const isSingleLine =
        /^(?:\$\$.+\$\$|\\\[.+\\\])$/.test(first) &&
        findUnescaped(first, 2, first.length, first.slice(-2)) === first.length - 2;
      const close = isSingleLine ? undefined : closingDelimiterFor(first);
      if (!isSingleLine && close === undefined) return false;
      let line = startLine;
      let formula = first.slice(2);
      while (close !== undefined && !formula.trimEnd().endsWith(close)) {
        line++;
        // A line with less indentation ends the list item.
        const isOutside = line >= endLine || (state.sCount[line]! < state.blkIndent && !state.isEmpty(line));
        if (isOutside || formula.length > MAX_FORMULA_LENGTH) return false;
        formula += `\n${lineAt(line)}`;
      }
      formula = formula.trimEnd().slice(0, -2);
      if (formula.trim() === '' || formula.length > MAX_FORMULA_LENGTH) return false;
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

/** The offset of the first `delimiter` without a backslash from `start` to before `limit`; -1 if there is none. */
function findUnescaped(source: string, start: number, limit: number, delimiter: string): number {
  for (
    let end = source.indexOf(delimiter, start);
    end !== -1 && end < limit;
    end = source.indexOf(delimiter, end + 1)
  ) {
    let escapes = 0;
    while (source[end - 1 - escapes] === '\\') escapes++;
    // An even number of backslashes is escaped backslashes, not an escaped delimiter.
    if (escapes % 2 === 0) return end;
  }
  return -1;
}
