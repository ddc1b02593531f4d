/** What a line of a message is, before anything is made of its words. */
export type LineKind =
  'blank' | 'prose' | 'heading' | 'bullet' | 'numbered' | 'table' | 'quoted' | 'machine' | 'added' | 'markup';

export interface Line {
  readonly kind: LineKind;
  /** UTF-16 offsets of the content: without indent, list marker, line number, trailing space. */
  readonly start: number;
  readonly end: number;
  /** Inside a tag of thinking aloud. */
  readonly thinking: boolean;
  /** Inside a code fence or a tool's output. */
  readonly fenced: boolean;
  readonly indent: number;
}

/** Longest part of a line that patterns look at; what is behind it cannot change a line's kind. */
const PEEK = 240;

const FENCE = /^(?:`{3,}|~{3,})\s*([\w+#.-]*)/;
const SOURCE_TAG = /^<\/?(?:source|code|pre|diff)>/i;
const LINE_NUMBER = /^\s{0,8}\d{1,7}(?:→|│|\t|█)[ \t]?(?:[-+](?=[ \t]|_|<|$))?/;
const SEARCH = /^<{5,9} ?(?:SEARCH|HEAD|ORIGINAL|Updated|[\w/.-]+)?\s*$/;
const REPLACE = /^>{5,9}(?: ?(?:REPLACE|UPDATED|[\w/.-]+))?\s*$/;
const TOOL_OPEN = /^(?:<tool[-_]use\b|Tool use: \*\*|<function_results>|<tool_result|_?\*\*Tool )/i;
const TOOL_CLOSE = /<\/(?:tool[-_]use|tool_result|function_results)>/i;
const DETAILS_OPEN = /<details>/i;
const DETAILS_CLOSE = /<\/details>/i;
const THINK_OPEN = /<think(?:ing)?>/i;
const THINK_CLOSE = /<\/think(?:ing)?>/i;
const COMMAND_TAG = /^<\/?(?:command-|local-command|system-reminder|bash-|user-memory|ide_)[\w-]*>/i;
const TAG_ONLY = /^(?:<\/?[a-z][^<>]{0,160}>\s*)+$/i;
const SUMMARY = /^<summary>/i;
const TURN = /^_\*\*(?:Agent|User|Assistant)\b/;
const HEADING = /^#{1,6}\s+/;
const BULLET = /^(?:[-*+•·‣◦▪]|[-*] \[[ xX]\])\s+/;
const NUMBERED = /^(?:\(?\d{1,3}[.)、]|[a-zA-Z][.)]|[①-⑳]|\d{1,3}．)\s*(?=\S)/;
const RULE = /^[-=_*~─═|+: ]{3,}$/;
const DIFF_HEAD = /^(?:@@ |diff --git |index [0-9a-f]{6,}|--- \S|\+\+\+ \S)/;
const STACK = /^(?:at\s+\S+.*[(:]|File "|Traceback \(most recent|\s*\^+\s*$|~+\^|goroutine \d|Caused by: )/;
const LOG =
  /^(?:\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\d\d:\d\d:\d\d[ .,]|\[\d\d:\d\d|time=\d|\w{3} \d\d \d\d:\d\d:\d\d|(?:DEBUG|INFO|TRACE|NOTICE)\b[ :\]])/;
const CODE =
  /^(?:import |from \S+ import|export |const |let \w+ ?=|var |function |def |class \w+.*[:{]$|return\b.*[;)]$|if ?\(|for ?\(|while ?\(|public |private |#include|package |use \w+::|fn |pub |SELECT |INSERT |CREATE TABLE|\}|\{|\)|<\/?\w+[ >]|\/\/|\/\*|\*\/|\$ |> \w+@|PS [A-Z]:)|[;{}]\s*$|^\w[\w.]* ?= ?[^=].*[)\]}"'0-9]$|^\w[\w.]*\([^)]*\);?$/;

/**
 * Cuts a message into lines and says what each is: prose, a list item, code, a tool's output. Patterns look at the first
 * `PEEK` characters of a line only and none can backtrack over more than a bounded run, so the pass is linear.
 * A message that starts inside a fence (transcripts cut at tool calls do) is told by a bare fence on its first line.
 */
export function readLines(text: string, options: { readonly machine: boolean }): Line[] {
  const lines: Line[] = [];
  let fence = '';
  let fenceInfo = '';
  let inBlock = false;
  let inTool = false;
  let details = 0;
  let thinking = false;
  let inCommand = false;
  let at = 0;
  let first = true;
  while (at <= text.length) {
    let stop = text.indexOf('\n', at);
    if (stop === -1) stop = text.length;
    let start = at;
    let end = stop;
    at = stop + 1;
    const number = LINE_NUMBER.exec(text.slice(start, Math.min(end, start + 24)));
    if (number !== null) start += number[0].length;
    let indent = 0;
    while (start < end && isSpace(text.charCodeAt(start))) {
      start++;
      indent++;
    }
    while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
    if (start >= end) {
      lines.push({ kind: 'blank', start, end: start, thinking, fenced: fence !== '', indent });
      first = false;
      continue;
    }
    const head = text.slice(start, Math.min(end, start + PEEK));
    const fenceMark =
      FENCE.exec(head) ?? (SOURCE_TAG.test(head) ? ['~~~', head.startsWith('</') ? '' : 'source'] : null);
    if (fenceMark !== null) {
      if (fence !== '') fence = '';
      else if (!(first && fenceMark[1] === '')) {
        fence = '```';
        fenceInfo = (fenceMark[1] ?? '').toLowerCase();
      }
      push('markup');
      continue;
    }
    if (inBlock) {
      if (REPLACE.test(head)) inBlock = false;
      push('machine', true);
      continue;
    }
    if (head.startsWith('<<<<<') && SEARCH.test(head)) {
      inBlock = true;
      push('machine', true);
      continue;
    }
    if (COMMAND_TAG.test(head)) {
      inCommand = !/<\/[\w-]+>\s*$/.test(text.slice(Math.max(start, end - 60), end));
      push('markup');
      continue;
    }
    if (inCommand) {
      if (/<\/[\w-]+>\s*$/.test(text.slice(Math.max(start, end - 60), end))) inCommand = false;
      push('markup');
      continue;
    }
    if (head.startsWith('<')) {
      if (THINK_OPEN.test(head)) thinking = true;
      if (TOOL_OPEN.test(head)) inTool = true;
      const opens = DETAILS_OPEN.test(head);
      if (opens) details++;
      const content = skipTags(start, end);
      const closes = DETAILS_CLOSE.test(head);
      if (closes) details = Math.max(0, details - 1);
      if (SUMMARY.test(head) && inTool) {
        push('markup');
        continue;
      }
      if (content >= end || (TAG_ONLY.test(head) && end - start <= PEEK)) {
        closeTags(head);
        push('markup');
        continue;
      }
      start = content;
    } else if (TOOL_OPEN.test(head)) {
      inTool = true;
      push('markup');
      continue;
    }
    const rest = start === end ? '' : text.slice(start, Math.min(end, start + PEEK));
    const tailText = text.slice(Math.max(start, end - 80), end);
    const endsThink = THINK_CLOSE.test(tailText);
    const endsTool = TOOL_CLOSE.test(tailText);
    if (tailText.includes('</')) end = stripClosingTags(start, end);
    classify(rest, indent);
    if (endsThink) thinking = false;
    if (endsTool) {
      inTool = false;
      details = 0;
    }
    first = false;

    function push(kind: LineKind, fenced = fence !== '' || inTool): void {
      lines.push({ kind, start, end, thinking, fenced, indent });
      first = false;
    }
    function closeTags(line: string): void {
      if (THINK_CLOSE.test(line)) thinking = false;
      if (TOOL_CLOSE.test(line)) {
        inTool = false;
        details = 0;
        fence = '';
      } else if (DETAILS_CLOSE.test(line) && details === 0) inTool = false;
    }
    function skipTags(from: number, to: number): number {
      let here = from;
      for (;;) {
        while (here < to && isSpace(text.charCodeAt(here))) here++;
        if (text.charCodeAt(here) !== 60 || here >= to) return here;
        const length = text.slice(here, Math.min(to, here + 160)).indexOf('>');
        if (length === -1) return here;
        const close = here + length;
        const name = text.slice(here + 1, close);
        if (!/^\/?[a-z][\w-]*(?:\s[^<>]*)?\/?$/i.test(name) || /error/i.test(name)) return here;
        if (/^summary$/i.test(name)) {
          const done = text.slice(close, Math.min(to, close + 400)).indexOf('</summary>');
          if (done === -1) return to;
          here = close + done + 10;
        } else here = close + 1;
      }
    }
    function stripClosingTags(from: number, to: number): number {
      let last = to;
      while (last > from && text.charCodeAt(last - 1) === 62) {
        const tail = Math.max(from, last - 40);
        const open = text.slice(tail, last).lastIndexOf('</');
        if (open === -1) break;
        last = tail + open;
        while (last > from && isSpace(text.charCodeAt(last - 1))) last--;
      }
      return last;
    }
    function classify(line: string, depth: number): void {
      if (start >= end) {
        push('markup');
        return;
      }
      if (fence !== '') {
        const diff = fenceInfo === 'diff' || fenceInfo === 'patch';
        if (diff && line.startsWith('+') && !line.startsWith('+++')) {
          start++;
          while (start < end && isSpace(text.charCodeAt(start))) start++;
          push(start < end ? 'added' : 'markup', true);
        } else push('machine', true);
        return;
      }
      if (options.machine || inTool) {
        push('machine', true);
        return;
      }
      if (TURN.test(line)) push('markup');
      else if (HEADING.test(line)) {
        start += HEADING.exec(line)![0].length;
        push('heading');
      } else if (RULE.test(line)) push('markup');
      else if (DIFF_HEAD.test(line) || STACK.test(line) || LOG.test(line)) push('machine', false);
      else if (line.startsWith('|') && line.endsWith('|')) push('table');
      else if (line.startsWith('> ')) push('quoted');
      else if (BULLET.test(line)) {
        start += BULLET.exec(line)![0].length;
        push('bullet');
      } else if (NUMBERED.test(line)) {
        start += NUMBERED.exec(line)![0].length;
        push('numbered');
      } else if (CODE.test(line) || (depth >= 4 && /[=(){};]|::|->/.test(line))) push('machine', false);
      else push('prose');
    }
  }
  return lines;
}

const isSpace = (code: number): boolean =>
  code === 32 || code === 9 || code === 13 || code === 0xa0 || code === 0x3000 || code === 0x200b || code === 0xfeff;
