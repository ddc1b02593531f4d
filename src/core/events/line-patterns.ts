/* What lines look like; see `readLines`. Each pattern is tried on at most `PEEK` characters. */

/** Longest part of a line that patterns look at; what is behind it cannot change a line's kind. */
export const PEEK = 240;

export const FENCE = /^(?:`{3,}|~{3,})\s*([\w+#.-]*)/;
export const SOURCE_TAG = /^<\/?(?:source|code|pre|diff)>/i;
export const LINE_NUMBER = /^\d{1,7}(?:→|│|\t|█)[ \t]?(?:[-+](?=[ \t]|_|<|$))?/;
export const SEARCH = /^<{5,9} ?(?:SEARCH|HEAD|ORIGINAL|Updated|[\w/.-]+)?\s*$/;
export const REPLACE = /^>{5,9}(?: ?(?:REPLACE|UPDATED|[\w/.-]+))?\s*$/;
export const TOOL_OPEN = /^(?:<tool[-_]use\b|Tool use: \*\*|<function_results>|<tool_result|_?\*\*Tool )/i;
export const TOOL_CLOSE = /<\/(?:tool[-_]use|tool_result|function_results)>/i;
export const DETAILS_OPEN = /<details>/i;
export const DETAILS_CLOSE = /<\/details>/i;
export const THINK_OPEN = /<think(?:ing)?>/i;
export const THINK_CLOSE = /<\/think(?:ing)?>/i;
export const COMMAND_TAG = /^<\/?(?:command-|local-command|system-reminder|bash-|user-memory|ide_)[\w-]*>/i;
export const TAG_ONLY = /^(?:<\/?[a-z][^<>]{0,160}>\s*)+$/i;
export const SUMMARY = /^<summary>/i;
export const TURN = /^_\*\*(?:Agent|User|Assistant)\b/;
export const HEADING = /^#{1,6}\s+/;
export const BULLET = /^(?:[-*+•·‣◦▪]|[-*] \[[ xX]\])\s+/;
export const NUMBERED = /^(?:\(?\d{1,3}[.)、](?!\d)|[a-zA-Z][.)](?=\s)|[①-⑳]|\d️?⃣|\d{1,3}．)\s*(?=\S)/;
export const RULE = /^[-=_*~─═|+: ]{3,}$/;
export const DIFF_HEAD = /^(?:@@ |diff --git |index [0-9a-f]{6,}|--- \S|\+\+\+ \S)/;
/** Output that people paste: exceptions, places of faults, progress dots, rulers of marks, exit codes, listings. */
export const OUTPUT =
  /\.{12,}|⋮|\u2588|^(?:[a-z_]\w*\.){0,6}[A-Z]\w*(?:Error|Exception): |^[^\s:]+:\d+:\d+:? |^npm ERR!|^(?:- )?(?:hook id|exit code): |^\s*\^|^Running: |^(?:Tokens|Cost): |^\$ \S|^[\w.-]+@[\w.-]+[:~$]|^(?:PASS|FAIL)\s|^(?:ok|not ok)(?: \d|\s{2}|\t)|^\d+ (?:passing|failing|passed|failed)|^[-drwx]{10}[.@+]?\s|^total \d+$|^(?:Read file|Listed directory|Searched codebase|Grep search|Edit(?:ed)? file|Created file|Output mode|Lines added)\b|^\*\*Chunk \d+\*\*$|^(?:\*\*)?Tool use\b/;
export const STACK =
  /^(?:at\s+[\w.$<>[\]/]+\s?\(|at\s+\S+:\d|File "|Traceback \(most recent|\s*\^+\s*$|~+\^|goroutine \d|Caused by: )/;
export const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[ .,]|\[\d\d:\d\d|time=\d|\w{3} \d\d \d\d:\d\d:\d\d|(?:DEBUG|INFO|TRACE|NOTICE)\b[ :\]])/;
export const CODE =
  /^(?:import (?:[\w*{}, ]{1,80} from )?["'<{]|import [\w.]+(?: as \w+)?;?$|from \S+ import |export (?:default|const|function|class|type|interface|async|enum|\{|\*)|const [\w{[].*=|let \w+ ?=|var \w+ ?[=:;]|function\s*\w*\(|def \w+\(|class \w+.*[:{]$|return\b.*[;)]$|if ?\(|for ?\(|while ?\(|(?:public|private|protected) (?:static|class|void|async|readonly|final|[A-Z]\w* \w+ ?[;=(])|#include|package [\w.]+;?$|use \w+::|fn \w+[(<]|pub (?:fn|struct|enum|mod)|SELECT |INSERT |CREATE TABLE|\}|\{|\)|<\/?\w+[ >]|\/\/|\/\*|\*\/|\$ |PS [A-Z]:)|[;{}]\s*$|^\w[\w.]* ?= ?[^=].*[)\]}]$|^\w[\w.]*\([^)]*\);?$/;
export const CLOSED = /<\/[\w-]+>\s*$/;
export const TAG_NAME = /^\/?[a-z][\w-]*(?:\s[^<>]*)?\/?$/i;
