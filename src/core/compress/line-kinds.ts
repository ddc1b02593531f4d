/** Words that name a failure in output, in languages whose tools and people say so. */
const ERROR =
  /\b(?:error|errors|failed|failure|failures|fatal|panic|exception|traceback|undefined|unresolved|cannot|can't|could not|unable to|not found|no such|denied|refused|timed? ?out|deprecated|warning|erro|falha|falhou|aviso|fehler|fehlgeschlagen|warnung|erreur|échec|avertissement|errore|fallito|fallo|ошибка|сбой)\b|\b[A-Z]\w*(?:Error|Exception|Warning)\b|\bFAIL\b|[✗✘❌]|错误|失败|警告|エラー|失敗|오류|실패/iu;

/** Results: counts of tests, exit codes, commits, durations, versions. */
const OUTCOME =
  /\b\d+ (?:passed|passing|failed|failing|skipped|tests?|errors?|warnings?|problems?|insertions?|deletions?|files? changed)\b|\b(?:exit code|exit status|exited with)\b|^(?:ok|PASS|FAIL|---? ?(?:PASS|FAIL))\b|\b(?:commit|committed|applied edit to|created|updated successfully|removed|added|merged|deployed|installed)\b.*\S|[✓✔✅]|^\[[\w/-]+ [0-9a-f]{7,}\]/i;

const SIGNATURE =
  /^(?:[+-] ?)?(?:(?:export|public|private|protected|static|abstract|async|default|pub|final|override|inline|virtual)\s+)*(?:function|func|fn|def|class|interface|struct|enum|trait|impl|type|module|namespace|package|CREATE TABLE|create table)\s+[\w(*&$]/;

/** Errors stand early in a line or are the line; deep inside data they are noise. */
const LONGEST_SCAN = 300;

export function isErrorLine(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_SCAN) return false;
  return ERROR.test(text.slice(start, end)) && !isCodeLine(text, start, end);
}

export function isOutcomeLine(text: string, start: number, end: number): boolean {
  if (end - start > LONGEST_SCAN) return false;
  return OUTCOME.test(text.slice(start, end)) && !isCodeLine(text, start, end);
}

export function isSignatureLine(text: string, start: number, end: number): boolean {
  return SIGNATURE.test(text.slice(start, Math.min(end, start + LONGEST_SCAN)));
}

/** Whether a line reads as code: it ends as statements and blocks do, or assigns, calls or returns. */
export function isCodeLine(text: string, start: number, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  // ; { } ( [ ,
  if (last === 59 || last === 123 || last === 125 || last === 40 || last === 91) return true;
  return CODE.test(text.slice(start, Math.min(end, start + LONGEST_SCAN)));
}

const CODE =
  /^(?:if|for|while|return|import|from|const|let|var|else|elif|switch|case|try|catch|except)\b.*[({=:;]|\w\s*:?=\s*\S|^[@<}\])]|=>|->|\w\([^ ]*\)\s*[{:;]?$/;
