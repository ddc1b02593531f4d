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
export const NUMBERED = /^(?:\(?\d{1,3}[.)、]|[a-zA-Z][.)]|[①-⑳]|\d️?⃣|\d{1,3}．)\s*(?=\S)/;
export const RULE = /^[-=_*~─═|+: ]{3,}$/;
export const DIFF_HEAD = /^(?:@@ |diff --git |index [0-9a-f]{6,}|--- \S|\+\+\+ \S)/;
/** Output that people paste: progress dots, rulers of marks, exit codes, listings. */
export const OUTPUT =
  /\.{6,}|⋮|\u2588|^(?:- )?(?:hook id|exit code|hint|note|help):\s|^\s*\^|^Running: |^(?:Tokens|Cost): |^\$ \S|^[\w.-]+@[\w.-]+[:~$]|^(?:PASS|FAIL|ok|not ok)\s|^\d+ (?:passing|failing|passed|failed)|^[-drwx]{10}[.@+]?\s|^total \d+$|^(?:Read file|Listed directory|Searched codebase|Grep search|Edit(?:ed)? file|Created file|Output mode|Lines added)\b|^\*\*Chunk \d+\*\*$|^(?:\*\*)?Tool use\b/;
export const STACK = /^(?:at\s+\S+.*[(:]|File "|Traceback \(most recent|\s*\^+\s*$|~+\^|goroutine \d|Caused by: )/;
export const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[ .,]|\[\d\d:\d\d|time=\d|\w{3} \d\d \d\d:\d\d:\d\d|(?:DEBUG|INFO|TRACE|NOTICE)\b[ :\]])/;
export const CODE =
  /^(?:import |from \S+ import|export |const |let \w+ ?=|var |function |def |class \w+.*[:{]$|return\b.*[;)]$|if ?\(|for ?\(|while ?\(|public |private |#include|package |use \w+::|fn |pub |SELECT |INSERT |CREATE TABLE|\}|\{|\)|<\/?\w+[ >]|\/\/|\/\*|\*\/|\$ |> \w+@|PS [A-Z]:)|[;{}]\s*$|^\w[\w.]* ?= ?[^=].*[)\]}"'0-9]$|^\w[\w.]*\([^)]*\);?$/;
export const CLOSED = /<\/[\w-]+>\s*$/;
export const TAG_NAME = /^\/?[a-z][\w-]*(?:\s[^<>]*)?\/?$/i;
