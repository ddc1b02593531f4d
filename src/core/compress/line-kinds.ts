/*
 * Cases are spelled out and scripts kept apart: the same patterns with the flags `iu` take five times as long, and
 * every line of output goes through them.
 */

/** Words that name a failure in output, in languages whose tools and people say so. */
const ERROR =
  /\b(?:[Ee]rrors?|ERRORS?|E[Rr][Rr]\b|[Ff]ail(?:ed|ures?|ing)?|FAIL(?:ED|URE)?|[Ff]atal|FATAL|[Pp]anic|[Ee]xception|[Tt]raceback|[Uu]ndefined|[Uu]nresolved|[Cc]annot|[Cc]an't|[Cc]ould not|[Uu]nable to|[Nn]ot found|[Nn]o such|[Dd]enied|[Rr]efused|[Tt]imed? ?out|[Dd]eprecated|[Ww]arning|WARN(?:ING)?|[Ee]rro|[Ff]alh(?:a|ou)|[Aa]viso|[Ff]ehler|[Ff]ehlgeschlagen|[Ww]arnung|[Ee]rreur|[Aa]vertissement|[Ee]rrore|[Ff]allito|[Ff]allo)\b|[a-z](?:Error|Exception|Warning)\b/;
const ERROR_OTHER_SCRIPTS = /ошибк|сбой|не удалось|[✗✘❌]|错误|失败|警告|エラー|失敗|오류|실패|échec/i;

/** What users answered to a tool that asked them, or said as they stopped one: it stands in the tool's result. */
const ANSWER = /^(?:\*\*Answer:\*\*|User (?:has )?answered|The user (?:said|answered|chose)\b)/u;
const ANSWER_FOLLOWS = /the user (?:said|provided the following reason)[^\n]{0,60}:$/iu;

/** Whether a line of a tool's result is a user's answer, or says that it follows. */
export function answerIn(line: string): 'here' | 'follows' | undefined {
  return ANSWER_FOLLOWS.test(line) ? 'follows' : ANSWER.test(line) ? 'here' : undefined;
}

/** Results: counts of tests, exit codes, commits, durations, versions. */
const OUTCOME =
  /\b\d+ (?:passed|passing|failed|failing|skipped|tests?|errors?|warnings?|problems?|insertions?|deletions?|files? changed)\b|\b[Ee]xit(?:ed with| code| status)\b|^(?:ok|PASS|FAIL|---? ?(?:PASS|FAIL))\b|\b(?:[Cc]ommit(?:ted)?|[Aa]pplied edit to|[Cc]reated|updated successfully|[Rr]emoved|[Aa]dded|[Mm]erged|[Dd]eployed|[Ii]nstalled)\b.*\S|^\[[\w/-]+ [0-9a-f]{7,}\]/;
/** A commit's subject may read as code. */
const COMMIT = /^Commit [0-9a-f]{7,40}\b/;
const DONE_MARK = /[✓✔✅]/;

/** Longer lines are data; what they say of errors is noise. */
const MAX_SCAN_LENGTH = 300;

/** What a line of output or code tells. */
export type OutputKind = 'error' | 'outcome';

/** The kind of a line of output or code that informs; undefined for any other. */
export function outputKind(text: string, start: number, end: number): OutputKind | undefined {
  if (end - start > MAX_SCAN_LENGTH) return undefined;
  const line = text.slice(start, end);
  if (COMMIT.test(line)) return 'outcome';
  const foreign = !isAscii(line);
  const error = ERROR.test(line) || (foreign && ERROR_OTHER_SCRIPTS.test(line));
  const outcome = !error && (OUTCOME.test(line) || (foreign && DONE_MARK.test(line)));
  if (!error && !outcome) return undefined;
  return isCodeLine(text, start, end) ? undefined : error ? 'error' : 'outcome';
}

function isAscii(line: string): boolean {
  for (let at = 0; at < line.length; at++) if (line.charCodeAt(at) > 127) return false;
  return true;
}

/** Whether a line reads as code: it ends as statements and blocks do, or assigns, calls or returns. */
export const isCodeLine = (text: string, start: number, end: number): boolean => reads(CODE, text, start, end);

function reads(pattern: RegExp, text: string, start: number, end: number): boolean {
  return ';{}(['.includes(text[end - 1]!) || pattern.test(text.slice(start, Math.min(end, start + MAX_SCAN_LENGTH)));
}

const CODE =
  /^(?:if|for|while|return|import|from|const|let|var|else|elif|switch|case|try|catch|except)\b.*[({=:;]|\w\s*:?=\s*\S|^[@<}\])]|=>|->|\w\([^ ]*\)\s*[{:;]?$/;

/** Whether a line can only be code, or a comment in it; assignments, which logs have as well, do not count. */
export const isStatement = (text: string, start: number, end: number): boolean => reads(STATEMENT, text, start, end);

const STATEMENT =
  /^(?:\/\/|\/\*|\*\/|[-+]?[})\]@]|(?:if|for|while|return|import|from|const|let|var|else|elif|switch|case|try|catch|except|def|class|func|fn|type|package|use)\b[^.]*[\w"'`):,]$)|:=|=>|^[\w.$]+\(.*\)\W?$|["'`\w)],$/;
