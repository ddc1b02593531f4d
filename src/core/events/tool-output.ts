import type { DetectedEvent } from '../model/key-event.ts';
import type { Steps } from '../pace/steps.ts';
import { isOutputOrCodeLine, type Line } from '../text/lines.ts';
import { truncate } from '../text/truncate.ts';

/** Length of a line's beginning that is examined, in UTF-16 units. */
const MAX_READ = 400;
/** More findings per message would repeat the output rather than summarize it. */
const MAX_PER_MESSAGE = 4;
const MAX_QUOTE_LENGTH = 300;
const LINES_PER_STEP = 100;

/** A cheap check. Only the few lines that pass it are matched against the patterns. */
const HINT =
  /err|exception|fail|fatal|fault|panic|denied|not ?found|no such|nomatch|noexact|exit|econn|enoent|memory|core|traceback|undefined|cannot|expected|critical|severe|not ok|answer|selected|chose|fout|fehler|eacces|etimedout|eaddr|not recognized|access|[✕✗✖❌×[]|:\d|エラー|错误|錯誤|ошибка|오류/i;

interface Pattern {
  readonly name: string;
  /** The kind of event, by default `error`. */
  readonly kind?: 'decision';
  readonly score: number;
  /** Group `q` is the quote, and group `c` the class by which repetitions are recognized. */
  readonly pattern: RegExp;
  /** Used only if no stronger pattern matches in the same message. */
  readonly weak?: boolean;
}

// Each repeated character class excludes the characters that follow, so that no pattern backtracks more than MAX_READ
// steps.
const PATTERNS: readonly Pattern[] = [
  {
    name: 'exception',
    score: 0.95,
    pattern:
      /^(?:E {2,8})?(?:[A-Z]:)?(?<q>(?:(?:Unexpected|Uncaught|Unhandled|Fatal) (?:error: )?)?(?:Exception in thread "[^"]{1,60}" )?(?<c>(?:[A-Za-z_$][\w$]{0,60}\.){0,8}[A-Z][\w$]{0,80}(?:Error|Exception|Fault|NotFound|NoExactMatch|Failure))(?:: .*|$))/u,
  },
  {
    name: 'unexpected error',
    score: 0.95,
    pattern: /^(?<q>(?:Unexpected|Uncaught|Unhandled|Fatal)[ -](?<c>error|exception)\b.*)/iu,
  },
  {
    name: 'compiler or linter error with location',
    score: 0.95,
    pattern:
      /^(?<q>[^\s:()]{1,160}(?::\d{1,6}(?::\d{1,5})?|\(\d{1,6},\d{1,5}\)):? ?(?:- )?(?:fatal )?(?<c>error(?: [A-Z]{1,6}\d{1,5})?|[A-Z]{1,3}\d{3,4}|undefined: |cannot |syntax error|panic:|expected ).*)/u,
  },
  { name: 'compiler error', score: 0.9, pattern: /^(?<q>(?<c>error(?:\[E\d{4}\]|\s+TS\d{3,5})): .*)/u },
  {
    name: 'error log line',
    score: 0.9,
    pattern: /^.{0,80}?(?<q>(?:level=|\[|\b)(?<c>ERROR|FATAL|CRITICAL|SEVERE|PANIC)\b.*)/u,
  },
  { name: 'package manager error', score: 0.9, pattern: /^(?<q>(?:npm|yarn|pnpm) (?<c>ERR!|error)\s.*)/u },
  {
    name: 'error report',
    score: 0.9,
    pattern:
      /^(?:[^\s:]{1,80}: |Output: |- |\* |<[a-z_]{1,30}>|✖ |✗ |❌ |× )?(?<q>(?<c>(?:fatal|error|panic|fout|erreur|fehler|erro|エラー|错误|錯誤|ошибка|오류))(?::|：) .*)/iu,
  },
  {
    name: 'shell error',
    score: 0.9,
    pattern:
      /^(?<q>(?:(?:ba|z|c|fi)?sh|[^\s:]{1,80}): (?:line \d+: )?.{0,200}?(?<c>command not found|No such file or directory|Permission denied|file not found|cannot access|not recognized).*)/u,
  },
  {
    name: 'failed test',
    score: 0.8,
    weak: true,
    pattern: /^(?<q>(?:--- )?(?<c>FAIL(?:ED)?|✕|✗|✖|×|not ok)[:\s]\s*\S.*)/u,
  },
  {
    name: 'non-zero exit',
    score: 0.75,
    weak: true,
    pattern: /^(?<q>.{0,80}(?<c>exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]\d{0,2})\b.*)/iu,
  },
  {
    name: 'system error or crash',
    score: 0.8,
    weak: true,
    pattern:
      /^(?<q>.{0,120}(?<c>ECONNREFUSED|ENOENT|EACCES|ETIMEDOUT|EADDRINUSE|segmentation fault|core dumped|out of memory|Traceback).*)/iu,
  },
  {
    name: 'user’s answer',
    kind: 'decision',
    score: 0.85,
    pattern: /^(?<q>\*{0,2}(?<c>Answer|User (?:answered|selected|chose))\*{0,2}:?\*{0,2}:? .*)/u,
  },
];

/** Temporary errors that aren't worth remembering: busy providers, failed edits, wrong tool calls, style warnings. */
const TEMPORARY =
  /overloaded|rate.?limit|too many requests|service unavailable|try again|ConnectionError: None|tool_use_error|sibling tool|NoExactMatch|SEARCH\b.{0,40}block|string to replace|file not found error|File has not been read|\b(?:[EW][1-7]\d{2}|F401|F541|F841|[CR]0\d{3})\b|no-unused|prettier\/|is not prettier|trailing (?:space|whitespace)|line too long|DeprecationWarning|FutureWarning/i;
const NUMBERED_LISTING = /^\d{1,6}[:\t-]/;
const SOURCE_LINE =
  /^(?:raise|throw|except|catch|return|if|assert|print|console|log|logger|self|this|const|let|var|func|def|class|import|from|\/\/|#|\*|>|@)\b|^\/\/|^[#*>]\s/;

/**
 * Finds lines of logs, tool output, and stack traces that report an error or a result. Source code that only mentions
 * errors is skipped. Each class, such as a lint code or an exception, is reported once per message. One pass; bounded
 * time per line.
 */
export function* findToolOutputEvents(text: string, lines: readonly Line[]): Steps<DetectedEvent[]> {
  const found: { readonly event: DetectedEvent; readonly weak: boolean }[] = [];
  const seen = new Set<string>();
  let hasStrong = false;
  for (const [at, line] of lines.entries()) {
    if (at % LINES_PER_STEP === LINES_PER_STEP - 1) yield;
    if (!isOutputOrCodeLine(line.kind)) continue;
    if (found.length >= 2 * MAX_PER_MESSAGE) break;
    let head = text.slice(line.start, Math.min(line.end, line.start + MAX_READ));
    if (!HINT.test(head)) continue;
    let offset = line.start;
    const mark = /^(?:#{1,4} |[>E] {2,12}|\* )/.exec(head);
    if (mark !== null) {
      offset += mark[0].length;
      head = head.slice(mark[0].length);
    }
    if (SOURCE_LINE.test(head) || NUMBERED_LISTING.test(head) || isCode(head)) continue;
    for (const { name, kind = 'error', score, pattern, weak = false } of PATTERNS) {
      const match = pattern.exec(head);
      const quote = match?.groups?.['q'];
      if (match === null || quote === undefined) continue;
      const signature = `${name} ${(match.groups?.['c'] ?? '').toLowerCase()}`;
      const ending = quote.slice(-40);
      if (deniesErrors(head) || TEMPORARY.test(head)) break;
      if (!seen.has(signature) && !seen.has(ending)) {
        seen.add(signature);
        seen.add(ending);
        const start = offset + match[0].lastIndexOf(quote);
        const end = start + truncate(quote, MAX_QUOTE_LENGTH).replace(/[\0- ]+$/, '').length;
        const importance = kind === 'decision' ? 3 : 2;
        const ownScore = score / (1 + (end - start) / 150);
        const event = {
          start,
          end,
          kind,
          quote: text.slice(start, end),
          score: ownScore,
          importance,
          reason: name,
        } as const;
        found.push({ event, weak });
        if (!weak && kind === 'error') hasStrong = true;
      }
      break;
    }
  }
  return found
    .filter(({ weak }) => !(weak && hasStrong))
    .slice(0, MAX_PER_MESSAGE)
    .map(({ event }) => event);
}

/** Whether a line reports success: "0 errors", "no error", but not "3 failed, 0 errors". */
const deniesErrors = (line: string): boolean =>
  /\b(?:0|no|zero) (?:error|fail|issue|problem|warning)/i.test(line) && !/\b[1-9]\d* (?:error|fail)/i.test(line);

/** Whether a line is source code, such as a call, an assignment, or a block, and not a sentence about code. */
const isCode = (line: string): boolean =>
  /^[\w.]+: [\w.]+,$/.test(line) ||
  (/[),]$/.test(line) && line.split('"').length % 2 === 0) ||
  (/[;{]$|^\s*[\w.]+\s*(?::?=|\()|=>|^[\w*&\[\]. ]+ :?= /.test(line) &&
    !/^[\w.]*(?:Error|Exception)\b(?!\()/.test(line));
