/** An HTML-like tag at the start of a text: whether it closes, and its name. */
export const TAG = /^<(\/?)([A-Za-z][\w-]*)[^>]*>?/;

/** Tags that wrap a message's parts and say nothing themselves. */
export const WRAPPERS = new Set([
  'think',
  'thinking',
  'details',
  'summary',
  'tool-use',
  'source',
  'local-command-caveat',
  'local-command-stdout',
  'command-name',
  'command-message',
  'command-args',
  'tool_use_error',
  'system-reminder',
]);

/** A line of marks alone: a rule, a table's border. */
export function isRule(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) {
    const unit = text.charCodeAt(at);
    if ((unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122) || unit > 0x2bff)
      return false;
    if (unit >= 0xc0 && unit < 0x2000) return false;
  }
  return true;
}

/** Whether a line is one of a file as tools show it: `12→` or `12│`. */
export function isNumbered(text: string, start: number, end: number): boolean {
  let at = start;
  while (at < end && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  return at > start && at < end && (text.charCodeAt(at) === 0x2192 || text.charCodeAt(at) === 0x2502);
}

/** A file's line as an editor or a search shows it: `12→`, `12 |`, `L12:`, `store.ts:12:`, `store.ts-12-`. */
const ECHO = /^[ \t]*(?:\d{1,6} ?[→│|]|L\d{1,6}\b|[^\s:]*[\w/]\.\w{1,6}(?::\d{1,6}:|-\d{1,6}-))/;
const NUMBERED_BY_COLON = /^[ \t]*(\d{1,6})[:\t]/;

/** Whether the line at `at` shows a line of a file; `12:` does where the next or the one before counts on. */
export function isEcho(text: string, at: number): boolean {
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

/** Paths before a line number are no longer than this, in UTF-16 units. */
const MAX_NUMBERED_LENGTH = 160;

/** Past the line number that tools print before a file's lines: `12→`, `12:`, `12|`, `12<tab>`. */
export function skipLineNumber(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) >= 48 && text.charCodeAt(at) <= 57) at++;
  if (at === start || at >= end) return start;
  const unit = text.charCodeAt(at);
  if (unit !== 0x2192 && unit !== 58 && unit !== 124 && unit !== 9) return start;
  at++;
  while (at < end && text.charCodeAt(at) <= 32) at++;
  return at;
}

/** Past the marks before a comment, a list entry, a quote or a diff's line. */
export function skipMarks(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && MARKS.has(text.charCodeAt(at))) at++;
  return at;
}

const MARKS = new Set(Array.from(' \t/*#-+>|;%!"\'', (char) => char.charCodeAt(0)));
