/*
 * The patterns list upper and lower case, and other scripts have their own patterns: one pattern with the flags `iu`
 * would take five times as long, and every line of output goes through them.
 */

/** Words for failures in output, in the supported languages. */
const ERROR =
  /\b(?:[Ee]rrors?|ERRORS?|E[Rr][Rr]\b|[Ff]ail(?:ed|ures?|ing)?|FAIL(?:ED|URE)?|[Ff]atal|FATAL|[Pp]anic|[Ee]xception|[Tt]raceback|[Uu]ndefined|[Uu]nresolved|[Cc]annot|[Cc]an't|[Cc]ould not|[Uu]nable to|[Nn]ot found|[Nn]o such|[Dd]enied|[Rr]efused|[Tt]imed? ?out|[Dd]eprecated|[Ww]arning|WARN(?:ING)?|[Ee]rro|[Ff]alh(?:a|ou)|[Aa]viso|[Ff]ehler|[Ff]ehlgeschlagen|[Ww]arnung|[Ee]rreur|[Aa]vertissement|[Ee]rrore|[Ff]allito|[Ff]allo)\b|[a-z](?:Error|Exception|Warning)\b/;
const ERROR_OTHER_SCRIPTS = /ошибк|сбой|не удалось|[✗✘❌]|错误|失败|警告|エラー|失敗|오류|실패|échec/i;

/** Results: test counts, exit codes, commits, durations, versions. */
const OUTCOME =
  /\b\d+ (?:passed|passing|failed|failing|skipped|tests?|errors?|warnings?|problems?|insertions?|deletions?|files? changed)\b|\b[Ee]xit(?:ed with| code| status)\b|^(?:ok|PASS|FAIL|---? ?(?:PASS|FAIL))\b|\b(?:[Cc]ommit(?:ted)?|[Aa]pplied edit to|[Cc]reated|updated successfully|[Rr]emoved|[Aa]dded|[Mm]erged|[Dd]eployed|[Ii]nstalled)\b.*\S|^\[[\w/-]+ [0-9a-f]{7,}\]/;
/** A commit's subject may look like code. */
const COMMIT = /^Commit [0-9a-f]{7,40}\b/;
const DONE_MARK = /[✓✔✅]/;
const NOT_ASCII = /[\u0080-\uffff]/;

/** In UTF-16 units. Longer lines are data; error words in them are noise. */
const MAX_SCAN_LENGTH = 300;

/** The kind of an informative line of output or code; undefined for other lines. */
export function outputKind(line: string): 'error' | 'outcome' | undefined {
  if (line.length > MAX_SCAN_LENGTH) return undefined;
  if (COMMIT.test(line)) return 'outcome';
  const isForeign = NOT_ASCII.test(line);
  const isError = ERROR.test(line) || (isForeign && ERROR_OTHER_SCRIPTS.test(line));
  const informs = isError || OUTCOME.test(line) || (isForeign && DONE_MARK.test(line));
  if (!informs || isCodeLine(line)) return undefined;
  return isError ? 'error' : 'outcome';
}

/** A user's answer to a tool, or reason for rejecting a call, which is part of the tool's result. */
const ANSWER = /^(?:\*\*Answer:\*\*|User (?:has )?answered|The user (?:said|answered|chose)\b)/u;
const ANSWER_FOLLOWS = /the user (?:said|provided the following reason)[^\n]{0,60}:$/iu;

/** Whether a line of a tool result contains a user's answer, or announces it. */
export function answerIn(line: string): 'here' | 'follows' | undefined {
  return ANSWER_FOLLOWS.test(line) ? 'follows' : ANSWER.test(line) ? 'here' : undefined;
}

/** Whether a line ends with a mark that only code has, or its beginning matches. */
const endsLikeCodeOrMatches = (pattern: RegExp, line: string): boolean =>
  !JSON_OBJECT.test(line) && (/[;{}([]$/.test(line) || pattern.test(line.slice(0, MAX_SCAN_LENGTH)));

/** A response or a record of a log. */
const JSON_OBJECT = /^\{"[^\n]*\}$/;

/** Whether a line looks like code: it ends like a statement or block, or assigns, calls, or returns. */
export const isCodeLine = (line: string): boolean => endsLikeCodeOrMatches(CODE, line);

const CODE =
  /^(?:if|for|while|return|import|from|const|let|var|else|elif|switch|case|try|catch|except)\b.*[({=:;]|\w\s*:?=\s*\S|^[@<}\])]|=>|->|\w\([^ ]*\)\s*[{:;]?$/;

/** Whether a line looks like code or a comment. A lone `a = b` doesn't count, because logs contain such lines, too. */
export const isStatement = (line: string): boolean => endsLikeCodeOrMatches(STATEMENT, line);

const STATEMENT =
  /^(?:\/\/|\/\*|\*\/|[-+]?[})\]@]|(?:if|for|while|return|import|from|const|let|var|else|elif|switch|case|try|catch|except|def|class|func|fn|type|package|use)\b[^.]*[\w"'`):,]$)|:=|=>|^[\w.$]+\(.*\)\W?$|["'`\w)],$/;

/** An HTML-like tag at the beginning of a text: whether it's a closing tag, and its name. */
export const TAG = /^<(\/?)([A-Za-z][\w-]*)[^>]*>?/;

/** Tags that wrap parts of a message. The tags themselves aren't content. */
export const WRAPPERS = new Set(
  'think thinking details summary tool-use source local-command-caveat local-command-stdout command-name command-message command-args tool_use_error system-reminder'.split(
    ' ',
  ),
);

/** A line of symbols only, such as a rule or a table border. */
export const isRule = (line: string): boolean => !/[0-9A-Za-z\u00c0-\u1fff\u2c00-\uffff]/.test(line);

/** Whether a line is a numbered line of a file: `12→` or `12│`. */
export const isNumbered = (line: string): boolean => /^\d+[→│]/.test(line);

/**
 * A file's line in an editor or a search result: `12→`, `12 |`, `L12:`, `store.ts:12:`, `store.ts-12-`. Messages about
 * a place (`store.ts:12:5: unused`), which follow after a space, and rows of a table (`12 | a | b`) don't count.
 */
const ECHO =
  /^[ \t]*(?:\d{1,6} ?(?:[→│]|\|(?!.* \| ))|L\d{1,6}\b|[^\s:]*[\w/]\.\w{1,6}(?::\d{1,6}:(?!(?:\d{1,5}(?::| -))? (?!in )[^\s*]|\d{1,5}(?:\s|$))|-\d{1,6}-))/;
const NUMBERED_BY_COLON = /^[ \t]*(\d{1,6})[:\t]/;

/** Maximum length of a path before a line number, in UTF-16 units. */
const MAX_NUMBERED_LENGTH = 160;

/** Whether the line at `at` is a line of a file. `12:` only counts if an adjacent line has an adjacent number. */
export function isFileLine(text: string, at: number): boolean {
  const start = text.lastIndexOf('\n', at - 1) + 1;
  if (ECHO.test(text.slice(start, start + MAX_NUMBERED_LENGTH))) return true;
  const number = numberAt(text, start);
  if (number === undefined) return false;
  const end = text.indexOf('\n', start);
  const before = text.lastIndexOf('\n', start - 2) + 1;
  return (end !== -1 && numberAt(text, end + 1) === number + 1) || (start > 0 && numberAt(text, before) === number - 1);
}

function numberAt(text: string, start: number): number | undefined {
  const found = NUMBERED_BY_COLON.exec(text.slice(start, start + MAX_NUMBERED_LENGTH));
  return found ? Number(found[1]) : undefined;
}

/** The length of the line number that tools print before lines of a file: `12→`, `12:`, `12|`, `12<tab>`. */
export const lineNumberLength = (line: string): number => /^(?:\d+(?:[→|\t]|:(?!\d))[\0- ]*)?/.exec(line)![0].length;

/** The length of the markup before a comment, list entry, quote, or diff line. */
export const marksLength = (line: string): number => /^[ \t/*#\-+>|;%!"']*/.exec(line)![0].length;

type DefinitionKind = 'function' | 'type' | 'class' | 'constant' | 'test';

/** Definitions in code. Those with `anywhere` may be within a line, and begin with a `KEYWORD`. */
const DEFINITIONS: readonly { readonly kind: DefinitionKind; readonly pattern: RegExp; readonly anywhere?: true }[] = [
  { kind: 'test', pattern: /^\s*--- (?:PASS|FAIL|SKIP): (\w+)/ },
  { kind: 'test', pattern: /\b(?:func|def)\s+([Tt]est\w+)/, anywhere: true },
  { kind: 'function', pattern: /\bfunc\s+(?:\([^)]*\)\s*)?([A-Za-z_]\w*)/, anywhere: true },
  { kind: 'function', pattern: /\b(?:function\*?|def|fn)\s+([A-Za-z_$][\w$]*)/, anywhere: true },
  { kind: 'class', pattern: /\bclass\s+([A-Za-z_$][\w$]*)/, anywhere: true },
  { kind: 'type', pattern: /\b(?:interface|struct|enum|trait|type)\s+([A-Za-z_$][\w$]*)/, anywhere: true },
  { kind: 'constant', pattern: /^(?:[+-] ?)?(?:export\s+)?const\s+([A-Za-z_$][\w$]*)/ },
  { kind: 'constant', pattern: /^(?:[+-] ?)?\t*([A-Z][A-Za-z0-9_]{4,})\s*(?:\w+\s*)?=\s*["'\d]/ },
];

/** Tested once before the patterns, because most lines have none. */
const KEYWORD = /\b(?:func|def|function\*?|fn|class|interface|struct|enum|trait|type)\s/;

/** In UTF-16 units. Longer lines are neither definitions nor headings with a file name. */
const MAX_LINE_LENGTH = 200;

/** The name that a line of code defines, as a sentence would mention it, and its kind. */
export function definitionIn(line: string): { readonly kind: DefinitionKind; readonly name: string } | undefined {
  if (line.length > MAX_LINE_LENGTH) return undefined;
  const hasKeyword = KEYWORD.test(line);
  for (const { kind, pattern, anywhere } of DEFINITIONS) {
    const name = anywhere === true && !hasKeyword ? undefined : pattern.exec(line)?.[1];
    if (name !== undefined && name.length > 2) return { kind, name: kind === 'function' ? `${name}()` : name };
  }
  return undefined;
}

const SEPARATORS = /[\s`"'(),:;*=<>[\]]+/;
const FILE = /^(?=.*[\w@]\.)[~\w@.+/-]{2,}\.[A-Za-z][A-Za-z0-9]{0,7}$/;
/** Host names look like file names. */
const HOST = /^[^/]*\.(?:com|org|net|io|dev)$/;

/** Extensions of files that define something. Expressions in code (`error.code`) look like a file without a folder. */
const EXTENSIONS = new Set(
  (
    'astro bash bat c cc cfg cjs clj cmake conf cpp cs csproj css cts cu cxx dart ejs el elm erl ex exs f90 fs fsx ' +
    'glsl go gradle graphql groovy h hbs hcl hh hpp hs htm html ini ipynb java jl js json jsonc jsx kt kts less ' +
    'lua m md mdx mjs ml mli mm mts nim nix pas php pl pm prisma proto ps1 py pyi rb rs rst sass scala scss sh ' +
    'sol sql styl sv svelte swift tcl tex tf toml ts tsx txt vb vue xml yaml yml zig zsh'
  ).split(' '),
);

/**
 * The file that a short line names: an argument of a call, a heading before a code block, or a diff header. Takes
 * linear time.
 */
export function fileIn(line: string): string | undefined {
  if (line.length > MAX_LINE_LENGTH || !line.includes('.')) return undefined;
  const isKnown = (word: string): boolean => EXTENSIONS.has(word.slice(word.lastIndexOf('.') + 1).toLowerCase());
  let end = 0;
  for (const word of line.split(SEPARATORS)) {
    end = line.indexOf(word, end) + word.length;
    if (!word.includes('.') || !FILE.test(word) || HOST.test(word) || word.includes('//')) continue;
    // A call's parenthesis isn't followed by a line number.
    const isCalled = line[end] === '(' && !/\d/.test(line.charAt(end + 1));
    if (word.includes('/') || (isKnown(word) && !isCalled)) return word.replace(/^\.\//, '');
  }
  return undefined;
}
