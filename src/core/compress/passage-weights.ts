import { speakerOf, type Corpus, type IndexedPassage } from './corpus.ts';
import type { DetectedEvent, Span } from '../model/key-event.ts';
import type { Role } from '../model/message.ts';
import { excludeUninformative } from './exclude-uninformative.ts';
import { outputKind } from './line-patterns.ts';
import { isProse } from './passages.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { runYielding } from '../pace/steps.ts';
import { isEscaped, lineSteps } from '../text/lines.ts';
import { markPastedCode } from '../text/pasted-code.ts';
import { isSmallTalk } from '../text/small-talk.ts';

/** Announces the next step without a result ("Let me check"), in English, Portuguese, Spanish, German, and French. */
const NARRATION =
  /^(?:(?:ok(?:ay)?|good|great|perfect|excellent|now|next|first|finally|alright|right|so|sure|wait|hmm|interesting|hm+)\b[\s,.!:;–—-]*)*(?:(?:and |also |then |but )?(?:let me|let['’]s (?:see|check|look|start|first|now)|i['’]ll (?:now |also |\p{L}+ly |start|first|begin|check|look|read|explore|examine|search|verify|update|create|write|run|fix|add|make|help|conduct|put)|i (?:will now|need to (?:check|look|see|read|understand|figure)|should (?:check|look|verify)|have (?:the|a|all|everything)\b|now have|['’]m going to|am going to)|i can see the|time to|moving on|here(?:['’]s| is) (?:a |the )?(?:summary|overview|breakdown|what|my)|(?:now|next|also|then),? (?:let me|i['’]ll|i need|add|update|remove|fix|run|check|verify|create|the|build|test|rename|write)\b|also (?:updat|check|fix|add)\w*|(?:agora|primeiro) vou|vou (?:agora |primeiro )?\p{L}+r\b|deixe-me|voy a |déjame|ahora voy|jetzt (?:werde|schaue|prüfe)|ich werde (?:nun|jetzt)|je vais |laissez-moi))/iu;

/** Text that an agent's client inserts as the user, as the assistant, or as a tool's result. */
const HARNESS =
  /^(?:\[Request interrupted|Caveat: The messages below|<(?:command-|local-command|system-reminder|task-notification|ide_)|\/[a-z-]+$|If you need specific details from before|Please continue the conversation from where|This session is being continued|Your task is to create a detailed summary|The user doesn['’]t want to proceed|(?:Analysis|Summary):?$|Entered plan mode|Exit(?:ed|ing) plan mode|In plan mode, you should|Remember: DO NOT write|When ready, use ExitPlanMode|agentId: \w+ \(|Async agent launched|Output too large \(|Preview \(first |API Error: |The file \S+ has been (?:updated|created)|No files found)/iu;

/** Opening and closing phrases of an assistant without content. */
const COURTESY =
  /^(?:i apologi[sz]e|hello\b|if you have any (?:specific|other|further|questions)|let me know if|feel free|it seems there was a misunderstanding|thank you for)/iu;

/** A slash command with at most one argument. With more words, it's a request. */
const COMMAND = /^\/[a-z-]+(?: \S+)?$/u;

/** Directory listings, numbered file lines, diff headers, long JSON, and colored output. */
const LISTED =
  /\[\d+(?:;\d+)*m|^@@ -\d|^new file mode |^\{"[^\n]{300}|^(?:[dl-]?(?:[r-][w-][xsStT-]){2,3}[@+.]? +\d|\d+(?:→|│))/u;

const COMMITTED = /^Commit [0-9a-f]{7,40}\b|^\[[\w/.-]+ [0-9a-f]{7,40}\]/u;
const UNDONE = /^Removed: [0-9a-f]{7,40} (?!style)/u;
const STYLE = /^\S+ \S+ style\b/u;

/** Requests for a summary or for suggested prompts, and summaries from which a session continues. */
const RECAP =
  /^\s*(?:<analysis>|\[SUGGESTION MODE: |This session is being continued from a previous conversation|Your task is to create a detailed summary of the conversation|(?:CRITICAL: )?Respond with TEXT ONLY)/u;

/** Whether a message repeats earlier ones. A first message never does: nothing else records what came before it. */
export const isRecap = (text: string, position: number): boolean => position > 0 && RECAP.test(text);

/** The offset of a client's compaction summary, after its draft; 0 without a heading; undefined for other messages. */
export function compactionSummaryStart(text: string): number | undefined {
  return HAND_OVER.test(text) ? Math.max(0, text.search(HAND_OVER_SUMMARY)) : undefined;
}

const HAND_OVER = /^\s*This session is being continued from a previous conversation/u;
const HAND_OVER_SUMMARY = /^(?:<summary>|Summary:)/mu;

/** An assistant's instructions to a subagent aren't part of the conversation. */
const INSTRUCTIONS =
  /\b(?:[Bb]e (?:very )?thorough\b|[Rr]eport back\b|I need (?:you )?to (?:deeply |fully |thoroughly )?understand:)|^(?:Thoroughly |Carefully )?(?:[Ee]xplore|Investigate|Research|Search|Design|Review|Analy[sz]e|I need (?:you )?to (?:deeply |fully )?(?:understand|find|know))\b[^\n]{20,}/u;

const OUTCOME_WORDS =
  /\b(?:because|since|so that|instead|root cause|caused? by|fix(?:ed|es)?|decided|chose|rejected|recommend|cannot|can['’]t|must|never|always|only|not|fails?|failed|passes|passed|removed|renamed|replaced|default|limit|why|should|now|no longer)\b|\d/iu;

/**
 * Returns a factor for each passage: how useful it is to somebody who continues without the rest. Reports at the end of
 * a turn count more than text along the way; announcements and harness texts count nothing, and headings little; lines
 * of long messages count less. The smaller `room`, a share of the messages, the stronger the effect: with plenty of
 * room, names and values that only output contains are wanted as well. In a short chat, all sentences that inform count
 * equally.
 */
export async function usefulnessFactors(
  corpus: Corpus,
  room: number,
  pace: CancellableYielder,
  events: ReadonlyMap<number, readonly DetectedEvent[]> = new Map(),
): Promise<Float64Array> {
  const factors = await factorsBySpeech(corpus, room, pace);
  if (corpus.isShortChat) await excludeUninformative(corpus, factors, events, pace);
  // Passages with key events weigh two to three times as much, and with plenty of room, three to five times.
  for (const [message, found] of events) {
    if (pace.isDue()) await pace.yield();
    for (let at = corpus.firstOf[message]!; at < corpus.firstOf[message + 1]!; at++) {
      const { start, end } = corpus.passages[at]!;
      const importance = Math.max(0, ...found.map((one) => (one.start < end && start < one.end ? one.importance : 0)));
      if (importance > 0) factors[at]! *= importance ** (1 + plentyOf(room) / 2);
    }
  }
  return factors;
}

async function factorsBySpeech(corpus: Corpus, room: number, pace: CancellableYielder): Promise<Float64Array> {
  const { texts, roles, passages, firstOf } = corpus;
  const factors = new Float64Array(passages.length).fill(1);
  if (corpus.isShortChat) return factors;
  const alike = new SimilarLineFilter();
  let hasReport = false;
  for (let message = texts.length - 1; message >= 0; message--) {
    const role = roles[message]!;
    const text = texts[message]!;
    if (role === 'user' && !HARNESS.test(text)) hasReport = false;
    const isReport = role === 'assistant' && !hasReport;
    const pasted = role === 'user' ? await pastedSpans(text, pace) : [];
    let pastedAt = 0;
    let proseLength = 0;
    for (let at = firstOf[message]!; at < firstOf[message + 1]!; at++) {
      const passage = passages[at]!;
      if (pace.isDue(passage.text.length * PATTERNS)) await pace.yield();
      factors[at] = factorOf(passage, speakerOf(corpus, passage), isReport);
      if (alike.isSurplus(passage)) factors[at]! *= ALIKE_FACTOR;
      while (pastedAt < pasted.length && pasted[pastedAt]!.end <= passage.start) pastedAt++;
      const isPasted = pastedAt < pasted.length && pasted[pastedAt]!.start <= passage.start;
      if (isPasted && outputKind(passage.text) !== 'error') factors[at]! *= PASTED_FACTOR;
      if (passage.kind === 'prose') proseLength += passage.text.length;
    }
    const length = LONG_MESSAGE / Math.max(LONG_MESSAGE, proseLength);
    let weight = role === 'user' ? length : Math.sqrt(length);
    if (role === 'tool') weight = proseLength > 0 ? 1 : FILE_SHOWN.test(text) ? 0.1 : 1;
    else if (isRecap(text, message) || (role === 'assistant' && INSTRUCTIONS.test(text))) weight *= RECAP_FACTOR;
    for (let at = firstOf[message]!; at < firstOf[message + 1]!; at++) factors[at]! *= weight;
    if (isReport && proseLength > MIN_REPORT_LENGTH) hasReport = true;
  }
  const plenty = plentyOf(room);
  return factors.map((factor) => (factor === 0 ? LAST_FACTOR * plenty : factor ** (1 - plenty)));
}

/** Code and output that a user pasted without a fence. */
async function pastedSpans(text: string, pace: CancellableYielder): Promise<readonly Span[]> {
  const lines = await runYielding(lineSteps(text, { tool: false }), pace);
  return runYielding(markPastedCode(text, lines), pace);
}

/** Shares of the messages. Up to `SCARCE`, the weights apply fully; from `PLENTY` on, not at all. */
const SCARCE = 0.028;
const PLENTY = 0.05;
const plentyOf = (room: number): number => Math.min(1, Math.max(0, (room - SCARCE) / (PLENTY - SCARCE)));

/** For commands and announcements, with plenty of room: they're taken if there is nothing else. */
const LAST_FACTOR = 0.001;

/** A tool that shows a file or search results. Text that looks like an error there isn't one. */
export const FILE_SHOWN = /^\s*<tool-use data-tool-type="(?:read|search|write)"/u;

/** Number of patterns tested per line, to estimate the time. */
const PATTERNS = 6;

/** Detects lines of output that begin alike, such as names of passed tests. Expects the newest line first. */
export class SimilarLineFilter {
  private readonly seen = new Map<string, number>();

  isSurplus(passage: IndexedPassage): boolean {
    const { text: words } = passage;
    if (passage.kind === 'names') return false;
    const letters = (): string => words.replace(/[^\p{L}]+/gu, ' ');
    if (isProse(passage) && letters().length >= words.length * MIN_PROSE_SHARE) return false;
    const first: string[] = [];
    for (const [word] of words.matchAll(PLAIN_WORDS)) if (first.push(word) === STARTING_WORDS) break;
    const beginning = first.join(' ') || letters();
    const count = this.seen.get(beginning) ?? 0;
    this.seen.set(beginning, count + 1);
    return count >= (passage.kind === 'error' ? MAX_ALIKE_ERRORS : MAX_ALIKE);
  }
}

/** Lines with a smaller share of letters and spaces aren't prose. */
const MIN_PROSE_SHARE = 0.7;
const PLAIN_WORDS = /(?<!\S)(?:\p{L}\p{Ll}+|\p{Lu}{2,}|\p{Lo}{2,})(?=[:,.]?(?!\S))/gu;
const STARTING_WORDS = 3;
const MAX_ALIKE = 2;
const MAX_ALIKE_ERRORS = 8;
const ALIKE_FACTOR = 0.02;
const RECAP_FACTOR = 0.15;
/** Makes pasted code and output count like a tool's, except for errors. */
const PASTED_FACTOR = 0.05;
/** Beyond this many UTF-16 units of prose, the lines of a message count less. */
const LONG_MESSAGE = 1_200;
/** In UTF-16 units of prose. If a turn's last message is shorter, the one before it counts as a report as well. */
const MIN_REPORT_LENGTH = 120;
/** Factor for an assistant's report, because its base score is much lower than a user's: see `BASE_SCORES`. */
const REPORT_FACTOR = 5;
const REMARK_FACTOR = 1.2;
const SHOWN_FACTOR = 0.5;
/** Factor for lines that name a commit. Other output counts little, but a commit sums up the work. */
const COMMIT_FACTOR = 8;
/** A user's request may be only a few words. */
const FEW_WORDS = /^\p{L}[\p{L}'’]* \p{L}[\p{L}'’]*(?: |$)/u;

const LINE_MARKS = /^[\s#>*_`-]+/;

/** Whether a line isn't content, but harness text, part of a listing, or a bare command. */
export function isScaffolding(words: string): boolean {
  const text = words.replace(LINE_MARKS, '');
  return HARNESS.test(text) || LISTED.test(text) || COMMAND.test(text) || isEscaped(text);
}

function factorOf({ text: words, kind, running }: IndexedPassage, role: Role, isReport: boolean): number {
  if (isScaffolding(words)) return 0;
  const text = words.replace(LINE_MARKS, '');
  switch (kind) {
    case 'heading':
    case 'call':
    case 'names':
      return 0.1;
    case 'thought':
      return NARRATION.test(text) ? 0 : 0.5;
    case 'text':
    case 'line':
      return SHOWN_FACTOR;
    case 'error':
      return 1;
    case 'outcome':
      return UNDONE.test(text) ? 2 * COMMIT_FACTOR : COMMITTED.test(text) && !STYLE.test(text) ? COMMIT_FACTOR : 1;
    case 'quoted':
      return role !== 'user' ? SHOWN_FACTOR : running ? 1 : 0.2;
    default:
      break;
  }
  if (role !== 'user' && (NARRATION.test(text) || COURTESY.test(text))) return 0;
  if (isSmallTalk(text)) return 0;
  // A line that only introduces the next one is useless without it.
  if (/[:：]\**$/u.test(text)) return role === 'user' ? 0.4 : 0.15;
  if (role === 'user') return running || FEW_WORDS.test(text) ? (/[?？]\W{0,8}$/u.test(text) ? 0.6 : 1) : 0.1;
  return (isReport ? REPORT_FACTOR : REMARK_FACTOR) * (OUTCOME_WORDS.test(text) ? 1 : 0.5);
}
