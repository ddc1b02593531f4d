/** Adjacent lines of a file and their replacement. `line` is the 1-based number of the first one. */
export interface Hunk {
  readonly find: readonly string[];
  readonly put: readonly string[];
  readonly line?: number;
}

/** `text` is a file or an excerpt; only the file shows which. `beginsWithPath`: its first line names the path. */
export type Change =
  | { readonly kind: 'text'; readonly text: string; readonly beginsWithPath?: true }
  | { readonly kind: 'hunks'; readonly hunks: readonly Hunk[] };

/** A change to a file that a code block proposes. */
export interface FileEdit {
  /** The path as written in the response; undefined if the response names no file. */
  readonly path?: string;
  readonly code: string;
  readonly change: Change;
}

const FENCE = /^[ \t]{0,12}(`{3,}|~{3,}(?!~))([^`]*)$/;
const SEARCH = /^<{5,9} ?(?:SEARCH|ORIGINAL|HEAD)\s*$/i;
const DIVIDER = /^={5,9}\s*$/;
const REPLACE = /^>{5,9} ?(?:REPLACE|UPDATED)?\s*$/i;
/** The end of a merge conflict, which names a branch or commit. A quoted merge conflict isn't an edit. */
const CONFLICT_END = /^>{5,9} \S/;
const HUNK_HEAD = /^@@(?: -(\d{1,9})(?:,(\d{1,9}))?)?/;
const SOURCE_FILE =
  /\.(?:[cm]?[jt]sx?|json[c5]?|pyi?|rb|go|rs|java|kts?|swift|[ch]|cc|cpp|hpp|cs|php|sh|ps1|sql|html?|s?css|less|vue|svelte|mdx?|txt|ya?ml|toml|ini|xml|env|lua|dart|exs?|scala|tf|gradle|proto|graphql)$/i;

/** The edits that a response proposes, in order: in fenced blocks, and SEARCH/REPLACE blocks outside of fences. */
export function parseEdits(response: string): readonly FileEdit[] {
  const lines = response.split(/\r?\n/);
  const edits: FileEdit[] = [];
  let open: { readonly mark: string; readonly info: string; readonly from: number } | undefined;
  let isSearching = false;
  let previousPath: string | undefined;
  const add = (block: readonly string[], info: string, before: readonly string[]): void => {
    const found = editsOf(block, info, before, previousPath);
    edits.push(...found);
    previousPath = found.findLast(({ path }) => path !== undefined)?.path ?? previousPath;
  };
  for (const [at, line] of lines.entries()) {
    if (SEARCH.test(line.trimStart())) {
      // An unclosed block would contain all later ones.
      if (!isClosed(lines, at)) continue;
      isSearching = true;
      // Outside of a fence, the marker itself begins the block.
      open ??= { mark: '', info: '', from: at };
    } else if (isSearching && REPLACE.test(line.trimStart())) {
      isSearching = false;
      if (open?.mark !== '') continue;
      add(lines.slice(open.from, at + 1), '', linesBefore(lines, open.from));
      open = undefined;
    } else if (isSearching && CONFLICT_END.test(line)) {
      isSearching = false;
      if (open?.mark === '') open = undefined;
    } else if (!isSearching) {
      const fence = FENCE.exec(line);
      if (!fence) continue;
      const [, mark, info] = fence;
      if (!open) open = { mark: mark!, info: info!.trim(), from: at + 1 };
      else if (mark!.startsWith(open.mark) && info!.trim() === '') {
        const indent = /^[ \t]*/.exec(line)![0];
        const code = lines.slice(open.from, at).map((one) => (one.startsWith(indent) ? one.slice(indent.length) : one));
        add(code, open.info, linesBefore(lines, open.from - 1));
        open = undefined;
      }
    }
  }
  return edits;
}

/** Whether the SEARCH block that begins in a line ends before another one begins. */
function isClosed(lines: readonly string[], from: number): boolean {
  for (let at = from + 1; at < lines.length; at++) {
    const bare = lines[at]!.trimStart();
    if (SEARCH.test(bare)) return false;
    if (REPLACE.test(bare) || CONFLICT_END.test(lines[at]!)) return true;
  }
  return false;
}

/** The lines before a block that may name its file: the name and up to two blank lines. */
const linesBefore = (lines: readonly string[], at: number): string[] => lines.slice(Math.max(0, at - 3), at);

/** `previousPath` is the file of the previous edit, to which SEARCH/REPLACE blocks without a path apply as well. */
function editsOf(lines: readonly string[], info: string, before: readonly string[], previousPath?: string): FileEdit[] {
  const code = lines.join('\n');
  const namedPath = pathInInfo(info) ?? pathBefore(before);
  if (lines.some((line) => SEARCH.test(line.trimStart()))) return searchReplace(lines, code, namedPath ?? previousPath);
  if (/^(?:diff|patch)\b/i.test(info) || isDiff(lines)) return unifiedDiff(lines, code, namedPath);
  const commentPath = pathInComment(lines[0] ?? '');
  const path = namedPath ?? commentPath;
  const beginsWithPath = path !== undefined && commentPath !== undefined && isSameFile(path, commentPath);
  return [
    {
      ...(path !== undefined && { path }),
      code,
      change: { kind: 'text', text: code, ...(beginsWithPath && { beginsWithPath }) },
    },
  ];
}

const isDiff = (lines: readonly string[]): boolean =>
  lines.some((line, at) => line.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') === true) ||
  (lines.some((line) => HUNK_HEAD.test(line)) && lines.some((line) => /^[-+]/.test(line)));

type PlacedHunk = Hunk & { readonly path: string | undefined };

const byFile = (hunks: readonly PlacedHunk[], code: string): FileEdit[] =>
  [...new Set(hunks.map(({ path }) => path))].map((path) => ({
    ...(path !== undefined && { path }),
    code,
    change: { kind: 'hunks', hunks: hunks.filter((hunk) => hunk.path === path) },
  }));

function searchReplace(lines: readonly string[], code: string, named: string | undefined): FileEdit[] {
  const hunks: PlacedHunk[] = [];
  let path = named;
  let find: string[] = [];
  let put: string[] | undefined;
  let isOpen = false;
  let line: number | undefined;
  for (const one of lines) {
    const bare = one.trimStart();
    if (SEARCH.test(bare)) [isOpen, find, put, line] = [true, [], undefined, undefined];
    else if (!isOpen) path = pathAlone(one) ?? pathInComment(one) ?? path;
    else if (put === undefined && DIVIDER.test(bare)) put = [];
    else if (put && REPLACE.test(bare)) {
      hunks.push({ path, find, put, ...(line !== undefined && { line }) });
      isOpen = false;
    } else if (put) put.push(one);
    else if (find.length === 0 && /^:start_line: ?\d{1,9}\s*$/.test(one)) line = Number(one.slice(12));
    else if (find.length > 0 || !/^(?:-{5,9}|:end_line: ?\d{1,9})\s*$/.test(one)) find.push(one);
  }
  return byFile(hunks, code);
}

function unifiedDiff(lines: readonly string[], code: string, named: string | undefined): FileEdit[] {
  const hunks: PlacedHunk[] = [];
  let path = named;
  let find: string[] = [];
  let put: string[] = [];
  let line: number | undefined;
  let completeUntil = 0;
  const close = (): void => {
    const isChange = find.length !== put.length || find.some((one, index) => one !== put[index]);
    if (isChange) hunks.push({ path, find, put, ...(line !== undefined && { line }) });
    [find, put, line] = [[], [], undefined];
  };
  for (let at = 0; at < lines.length; at++) {
    const one = lines[at]!;
    const head = HUNK_HEAD.exec(one);
    if (one.startsWith('--- ') && lines[at + 1]?.startsWith('+++ ') === true) {
      close();
      const [from, to] = [diffPath(one), diffPath(lines[++at]!)];
      path = to === '/dev/null' ? from : to;
    } else if (head) {
      close();
      if (head[1] !== undefined) line = Number(head[1]);
      completeUntil = endOfCompleteHunk(lines, at + 1, Number(head[2] ?? '1'));
    } else if (at >= completeUntil && isElision(one)) close();
    else if (/^(?:diff --git |index [0-9a-f]{6,}|(?:new|deleted) file mode |\\ )/.test(one)) continue;
    else if (one.startsWith('-')) find.push(one.slice(1));
    else if (one.startsWith('+')) put.push(one.slice(1));
    else {
      // Models sometimes omit the space before a context line.
      const context = one.startsWith(' ') ? one.slice(1) : one;
      find.push(context);
      put.push(context);
    }
  }
  close();
  return byFile(hunks, code);
}

/** The line after a hunk if it has all lines of the file that its head announces, and thus no elision; otherwise 0. */
function endOfCompleteHunk(lines: readonly string[], from: number, count: number): number {
  let at = from;
  let missing = count;
  for (; at < lines.length && (missing > 0 || lines[at]!.startsWith('+')); at++) {
    if (HUNK_HEAD.test(lines[at]!)) return 0;
    if (!lines[at]!.startsWith('+')) missing--;
  }
  return missing === 0 && !/^(?: |-(?!-- ))/.test(lines[at] ?? '') ? at : 0;
}

/** The path of a `---` or `+++` line, without `a/` or `b/` and anything after a tab. */
const diffPath = (line: string): string =>
  line
    .slice(4)
    .split('\t')[0]!
    .trim()
    .replace(/^[ab]\//, '');

/** Whether a line marks omitted lines: `// ...`, `# … rest of the code …`, `...`. */
export function isElision(line: string): boolean {
  const bare = line
    .trim()
    .replace(/^(?:\/\/|#|--|;|\/\*|<!--|\{\/\*|\*|%)\s*/, '')
    .replace(/(?:\*\/\}?|-->)$/, '')
    .trimEnd();
  if (/^(?:\.{3}|…)$/.test(bare)) return true;
  return bare !== line.trim() && /^(?:\.{3}|…)/.test(bare) && bare.length < 120;
}

function pathInInfo(info: string): string | undefined {
  const named = /(?:title|file|filename|filepath|path)=["']?([^"'\s}]{1,260})/i.exec(info)?.[1];
  if (named !== undefined) return named;
  const [language = '', secondWord = ''] = info.split(/[\s{]/, 2);
  const afterColon = language.slice(language.indexOf(':') + 1);
  return [afterColon, secondWord].find((word) => isPath(word) && (word.includes('/') || SOURCE_FILE.test(word)));
}

/** The path in the line before a block: alone, as a heading, bold, or as inline code. */
function pathBefore(before: readonly string[]): string | undefined {
  const line = before.findLast((one) => one.trim() !== '') ?? '';
  const alone = pathAlone(line);
  if (alone !== undefined) return alone;
  const quoted = [...line.slice(-600).matchAll(/`([^`\s]{1,260})`/g)].map(([, word]) => word!);
  return quoted.findLast((word) => isPath(word) && (word.includes('/') || SOURCE_FILE.test(word)));
}

/** A path that is alone on its line except for emphasis. */
function pathAlone(line: string): string | undefined {
  const bare = line
    .trim()
    .slice(0, 300)
    .replace(/^(?:#{1,6} |[-*+] |\d{1,3}[.)] )/, '')
    .replace(/^\**(?:(?:new |modified )?file(?:name|path)?: ?)?\**/i, '')
    .replace(/[`*]/g, '')
    .replace(/:\d{0,7}$/, '')
    .trim();
  return isPath(bare) ? bare : undefined;
}

/** A path that is alone in a comment, as in the first line of many code blocks. */
function pathInComment(line: string): string | undefined {
  const comment = /^(?:\/\/|#|--|;|\/\*|<!--)\s?(.{1,300})$/.exec(line.trim())?.[1];
  const bare = comment?.replace(/\s?(?:\*\/|-->)$/, '').replace(/^file(?:name|path)?: ?/i, '');
  return bare !== undefined && isPath(bare) && (bare.includes('/') || SOURCE_FILE.test(bare)) ? bare : undefined;
}

/** Whether one of the paths ends with the other. */
function isSameFile(a: string, b: string): boolean {
  const [one, other] = [rooted(a), rooted(b)];
  return one.endsWith(other) || other.endsWith(one);
}

const rooted = (path: string): string => `/${path.replaceAll('\\', '/').replace(/^(?:\.?\/)+/, '')}`;

function isPath(word: string): boolean {
  if (word.length > 260 || /[\s<>"'|?*`(){},;=]/.test(word) || word.includes('//')) return false;
  const name = word.slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1);
  return /^(?:Dockerfile|Makefile|LICENSE|README)$/.test(name) || /^[\w@.[\]~+-]{0,120}\.[A-Za-z]\w{0,9}$/.test(name);
}
