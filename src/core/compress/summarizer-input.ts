import { FenceReader } from '../text/fences.ts';
import { lineSpans } from '../text/lines.ts';
import { quoteSpeakerLabels } from '../text/prompt-sections.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { passagesIn, speakerOf, type Corpus, type IndexedPassage } from './corpus.ts';
import type { MessageRange } from './source-message.ts';
import { extractPassages, type ExtractOptions } from './extractive.ts';
import { isFileLine, isRule, isStatement, TAG, WRAPPERS } from './line-patterns.ts';
import { isProse, newPassage, speakerPrefix, type Passage } from './passages.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { SimilarLineFilter, FILE_SHOWN, compactionSummaryStart, isRecap, isScaffolding } from './passage-weights.ts';

/** With fewer omitted lines, a message gets no mark, because a mark costs tokens, too. */
const MIN_MARKED_LINES = 12;

/** Weight of unusual lines in tool output. */
const NOVELTY = 4;

/** Share of the budget for marks and speakers' names. */
const MARKS_SHARE = 0.06;

/** Maximum share of the budget for tool output. */
const MAX_OUTPUT_SHARE = 0.5;

/** Maximum share of the budget for prose; the rest is for results that only tool output contains. */
const PROSE_SHARE = 0.9;

/** Maximum share of the room for tool output that results of commands take. */
const RESULTS_SHARE = 0.6;

/**
 * The input of a summarizer for a range of messages, within a budget: all prose, results of commands, and then the
 * informative lines of output, pasted files, diffs, and code. If the prose alone exceeds the budget, its most
 * informative part. Omissions are marked.
 */
export async function buildSummarizerInput(
  corpus: Corpus,
  range: MessageRange,
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  pace: CancellableYielder,
): Promise<string> {
  const { read, alike } = await readable(corpus, range, pace);
  const hasOutput = [...read].some((one) => !isProse(one));
  let budget = Math.floor(budgetTokens * (hasOutput ? 1 - MARKS_SHARE : 1));
  for (;;) {
    const shared = { counter, pace, range };
    const takes = (one: IndexedPassage): boolean => isProse(one) && read.has(one);
    const proseBudget = Math.floor(budget * (hasOutput ? PROSE_SHARE : 1));
    const prose = await extractPassages(corpus, { ...shared, budgetTokens: proseBudget, takes, labelTokens: 2 });
    const outputBudget = Math.min(budget - prose.tokens, Math.floor(budget * MAX_OUTPUT_SHARE));
    const results = await selectResults(corpus, range, Math.floor(outputBudget * RESULTS_SHARE), counter, pace);
    const remaining = outputBudget - results.tokens;
    const unshown = new Set([...read].filter((one) => isProse(one) || !results.contains(one)));
    const informative = remaining > 0 ? await informativeLines(corpus, unshown, alike, remaining, shared) : [];
    const proseStarts = new Set(prose.passages.map(({ message, start }) => `${message} ${start}`));
    const newResults = results.passages.filter(({ message, start }) => !proseStarts.has(`${message} ${start}`));
    const chosen = [...prose.passages, ...newResults, ...informative].sort(
      (a, b) => a.message - b.message || a.start - b.start,
    );
    const text = renderSummarizerInput(corpus, chosen);
    const excess = counter.text(text) - budgetTokens;
    if (excess <= 0 || chosen.length === 0) return text;
    budget = Math.max(0, budget - excess - 8);
  }
}

/** A few lines of each message's output, then the most informative ones, with prose in lines that begin alike. */
async function informativeLines(
  corpus: Corpus,
  read: ReadonlySet<IndexedPassage>,
  alike: ReadonlySet<IndexedPassage>,
  budgetTokens: number,
  shared: Pick<ExtractOptions, 'counter' | 'pace' | 'range'>,
): Promise<readonly IndexedPassage[]> {
  const options = { ...shared, novelty: NOVELTY };
  const takes = (one: IndexedPassage): boolean => !isProse(one) && read.has(one);
  const partOf = budgetsPerMessage(corpus);
  const firstLines = await extractPassages(corpus, { ...options, budgetTokens, takes, partOf });
  const taken = new Set(firstLines.passages);
  const more = await extractPassages(corpus, {
    ...options,
    budgetTokens: budgetTokens - firstLines.tokens,
    takes: (one) => alike.has(one) || (takes(one) && !taken.has(one)),
  });
  return [...firstLines.passages, ...more.passages];
}

/** `read`: the passages to select from, of lines that begin alike only the newest. `alike`: prose among the others. */
async function readable(
  corpus: Corpus,
  range: MessageRange,
  pace: CancellableYielder,
): Promise<{ read: ReadonlySet<IndexedPassage>; alike: ReadonlySet<IndexedPassage> }> {
  const read = new Set<IndexedPassage>();
  const alike = new Set<IndexedPassage>();
  const lines = new SimilarLineFilter();
  for (let message = range.to; message >= range.from; message--) {
    const text = corpus.texts[message]!;
    const handOver = compactionSummaryStart(text);
    if (handOver === undefined && isRecap(text, message)) continue;
    for (const passage of passagesIn(corpus, message).toReversed()) {
      if (pace.isDue(passage.text.length * PATTERNS)) await pace.yield();
      if (isScaffolding(passage.text) || (message > 0 && passage.start < (handOver ?? 0))) continue;
      // Numbered lines in prose quote a file.
      if (isSaidEcho(corpus, passage)) continue;
      if (!lines.isSurplus(passage)) read.add(passage);
      else if (isProse(passage)) alike.add(passage);
    }
  }
  return { read, alike };
}

/** Number of patterns tested per line, to estimate the time. */
const PATTERNS = 5;

/** Tokens per message in the first pass: a few for listings, more for text and reports. */
const SHOWN_TOKENS = { listing: 30, names: 40, echo: 90, other: 600 } as const;

/** The part of a message that a passage belongs to. `echo`: lines of a file with line numbers. */
function partOfMessage(corpus: Corpus, { message, kind, inListing, start }: IndexedPassage): keyof typeof SHOWN_TOKENS {
  if (inListing) return 'listing';
  return kind === 'names' ? 'names' : isFileLine(corpus.texts[message]!, start) ? 'echo' : 'other';
}

const isSaidEcho = (corpus: Corpus, one: IndexedPassage): boolean =>
  speakerOf(corpus, one) !== 'tool' && one.isSlice && isFileLine(corpus.texts[one.message]!, one.start);

function budgetsPerMessage(corpus: Corpus): (passage: IndexedPassage) => { left: number } {
  const parts = new Map<string, { left: number }>();
  return (passage) => {
    const part = partOfMessage(corpus, passage);
    const key = `${passage.message} ${part}`;
    const budget = parts.get(key) ?? { left: SHOWN_TOKENS[part] };
    parts.set(key, budget);
    return budget;
  };
}

/** Renders passages by message with their speakers, and a mark if many lines of a message are omitted. */
function renderSummarizerInput(corpus: Corpus, passages: readonly IndexedPassage[]): string {
  const lines: string[] = [];
  let end = 0;
  for (let at = 0; at < passages.length;) {
    const { message } = passages[at]!;
    const text = corpus.texts[message]!;
    const parts: string[] = [];
    if (passages[at - 1]?.message !== message) end = 0;
    let omitted = 0;
    const speaker = speakerOf(corpus, passages[at]!);
    for (; at < passages.length && passages[at]!.message === message; at++) {
      const passage = passages[at]!;
      if (speakerOf(corpus, passage) !== speaker) break;
      omitted += linesBetween(text, end, passage.start);
      parts.push(speakerPrefix(passage, passages[at - 1]) + passage.text);
      end = passage.end;
    }
    if (passages[at]?.message !== message) omitted += linesBetween(text, end, text.length);
    if (omitted >= MIN_MARKED_LINES) parts.push(`… ${omitted} lines omitted`);
    lines.push(`${speaker}: ${quoteSpeakerLabels(parts.join('\n'))}`);
  }
  return lines.join('\n');
}

/** In text without line breaks, this many UTF-16 units count as a line. */
const UNBROKEN_LINE_CHARS = 200;

/** Number of lines between two passages, or before the first one if `start` is 0. */
function linesBetween(text: string, start: number, end: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) breaks++;
  if (breaks === 0) return Math.max(0, Math.floor((end - start) / UNBROKEN_LINE_CHARS));
  return start === 0 ? breaks : breaks - 1;
}

/**
 * Maximum length of a result, in UTF-16 units. The largest value at which all results fit is used; if none fits, only
 * the newest results are included.
 */
const RESULT_CHARS = [1_600, 800, 400, 200] as const;
/** Share for the beginning of an output, which names its subject; the rest is for its end, which has the result. */
const HEAD_SHARE = 0.4;
/** In UTF-16 units. Longer lines are data. */
const MAX_LINE_LENGTH = 300;
/** Minimum share of statements for a block to count as code. Of code, only a few lines added by a diff are shown. */
const CODE_SHARE = 0.3;
const MAX_ADDED = 6;

interface SelectedResults {
  readonly passages: readonly IndexedPassage[];
  readonly tokens: number;
  contains(passage: Passage): boolean;
}

/**
 * Results: what commands printed, and blocks in messages, unless they are file contents or code. Takes the beginning
 * and end of each, within a budget.
 */
export async function selectResults(
  { texts, roles }: Pick<Corpus, 'texts' | 'roles'>,
  { from, to }: MessageRange,
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  pace: CancellableYielder,
): Promise<SelectedResults> {
  const blocks: IndexedPassage[][] = [];
  const alike = new SimilarLineFilter();
  for (let message = to; message >= from && budgetTokens > 0; message--) {
    const text = texts[message]!;
    if (pace.isDue(text.length)) await pace.yield();
    if (FILE_SHOWN.test(text)) continue;
    for (const block of blocksIn(text, message, roles[message] === 'tool').reverse()) {
      const fresh = block.toReversed().filter((one) => !alike.isSurplus(one));
      blocks.push(fresh.reverse());
    }
  }
  let passages: IndexedPassage[] = [];
  let tokens = 0;
  for (const chars of RESULT_CHARS) {
    passages = [];
    tokens = 0;
    let fits = true;
    // Newest first, so that those are kept if even the smallest part of each doesn't fit.
    for (const block of blocks) {
      const part = startAndEnd(block, chars);
      let partTokens = 0;
      for (const line of part) {
        if (pace.isDue(line.text.length * 4)) await pace.yield();
        partTokens += counter.text(line.text) + 1;
      }
      fits = tokens + partTokens <= budgetTokens;
      if (!fits) break;
      passages.push(...part);
      tokens += partTokens;
    }
    if (fits) break;
  }
  const spans = new Map<number, Passage[]>();
  for (const one of passages) spans.set(one.message, [...(spans.get(one.message) ?? []), one]);
  const contains = ({ message, start, end, isSlice }: Passage): boolean =>
    isSlice && spans.get(message)?.some((one) => one.start <= start && end <= one.end) === true;
  return { passages, tokens, contains };
}

/** The lines of a tool's output or of each fenced block. Of code, only lines added by a diff. */
function blocksIn(text: string, message: number, isOutput: boolean): IndexedPassage[][] {
  const blocks: IndexedPassage[][] = [];
  let block: IndexedPassage[] = [];
  let code = 0;
  const fences = new FenceReader(text);
  const close = (): void => {
    const isCode = code >= block.length * CODE_SHARE;
    const isAdded = ({ start }: Passage): boolean => text[start] === '+' && text[start + 1] !== '+';
    if (block.length > 0) blocks.push(isCode ? block.filter(isAdded).slice(0, MAX_ADDED) : block);
    block = [];
    code = 0;
  };
  for (const span of lineSpans(text)) {
    const line = text.slice(span.start, span.end);
    const start = span.start + line.length - line.trimStart().length;
    const end = start + line.trim().length;
    if (fences.pass(start, end)) {
      if (!isOutput) close();
    } else if ((isOutput || fences.open) && isResultLine(text, start, end)) {
      if (isStatement(line.trim())) code++;
      block.push({ ...newPassage(message, start, end, 'line', false, line.trim()), terms: [] });
    }
  }
  if (isOutput) close();
  return blocks;
}

/** Directory trees, stack frames, and diff headers. */
const LISTED = /^(?:at \S+ \(|[├│└]|index [0-9a-f]{6}|diff --git |(?:---|\+\+\+) )/;

function isResultLine(text: string, start: number, end: number): boolean {
  const line = text.slice(start, end);
  if (line.length < 2 || line.length > MAX_LINE_LENGTH || isRule(line) || isFileLine(text, start)) return false;
  const tag = TAG.exec(line)?.[2]?.toLowerCase();
  const isPath = line.includes('/') && !/\s|:\/\/|:\d/.test(line);
  return !(tag !== undefined && WRAPPERS.has(tag)) && !isPath && !LISTED.test(line) && !isScaffolding(line);
}

/** The first and last lines of a block, up to `chars` UTF-16 units in total. */
function startAndEnd(block: readonly IndexedPassage[], chars: number): readonly IndexedPassage[] {
  const length = ({ start, end }: Passage): number => end - start + 1;
  let room = chars - block.reduce((all, one) => all + length(one), 0);
  if (room >= 0) return block;
  let head = 0;
  for (let used = 0; used + length(block[head]!) <= chars * HEAD_SHARE; head++) used += length(block[head]!);
  let tail = head;
  for (; room < 0; tail++) room += length(block[tail]!);
  return [...block.slice(0, head), ...block.slice(tail)];
}
