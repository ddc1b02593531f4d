import { asSpoken } from '../text/fence.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { speakerOf, type Corpus, type IndexedPassage } from './corpus.ts';
import { extract, type ExtractOptions } from './extractive.ts';
import { isEcho } from './line-marks.ts';
import { isSaid, passageText } from './passages.ts';
import { shownResults } from './shown-results.ts';
import type { Pace } from './source.ts';
import { AlikeLines, handOverFrom, isRetelling, isScaffolding } from './telling.ts';

/** From so many lines on, what was omitted from a message is marked: once, since a mark costs as much as a short line. */
const MARKED_LINES = 12;

/** Among lines of output the unusual counts for more: what nobody reads is lost. */
const NOVELTY = 4;

/** Room that marks and speakers' names take, as a share of the budget. */
const MARKS_SHARE = 0.06;

/** Of what is left beside everything that people and assistants said, lines of output take at most this share of the budget. */
const OUTPUT_SHARE = 0.5;

/** What people and assistants said leaves so much of the budget to results that output alone tells. */
const SAID_SHARE = 0.9;

/** Of the room for output, results of commands take at most this share. */
const RESULTS_SHARE = 0.6;

/**
 * A run of messages as a summarizer reads it: everything that people and assistants said, the results of commands, then
 * of output, pasted files, diffs and code the lines that inform, within a budget; what was omitted is marked. Where what
 * was said alone exceeds the budget, the most informative of it.
 */
export async function digest(
  corpus: Corpus,
  range: { readonly from: number; readonly to: number },
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  pace: Pace,
): Promise<string> {
  const { read, alike } = await readable(corpus, range, pace);
  let budget = Math.floor(budgetTokens * (1 - MARKS_SHARE));
  for (;;) {
    const shared = { counter, pace, range };
    const said = await extract(corpus, {
      ...shared,
      budgetTokens: Math.floor(budget * SAID_SHARE),
      takes: (one) => isSaid(one) && read.has(one),
      labelTokens: 2,
    });
    const left = Math.min(budget - said.tokens, Math.floor(budget * OUTPUT_SHARE));
    const results = await shownResults(corpus, range, Math.floor(left * RESULTS_SHARE), counter, pace);
    const rest = left - results.tokens;
    const unseen = new Set([...read].filter((one) => isSaid(one) || !results.holds(one)));
    const informs = rest > 0 ? await informing(corpus, unseen, alike, rest, shared) : [];
    const answers = new Set(said.passages.map(({ message, start }) => `${message} ${start}`));
    const shown = results.passages.filter(({ message, start }) => !answers.has(`${message} ${start}`));
    const chosen = [...said.passages, ...shown, ...informs].sort((a, b) => a.message - b.message || a.start - b.start);
    const text = renderDigest(corpus, chosen);
    const over = counter.text(text) - budgetTokens;
    if (over <= 0 || chosen.length === 0) return text;
    budget = Math.max(0, budget - over - 8);
  }
}

/**
 * Lines of output: a little of each message, then of the room that is left what informs most, wherever it stands, and
 * what was said in lines that begin alike, as those of a table do.
 */
async function informing(
  corpus: Corpus,
  read: ReadonlySet<IndexedPassage>,
  alike: ReadonlySet<IndexedPassage>,
  budgetTokens: number,
  shared: Pick<ExtractOptions, 'counter' | 'pace' | 'range'>,
): Promise<readonly IndexedPassage[]> {
  const options = { ...shared, novelty: NOVELTY };
  const takes = (one: IndexedPassage): boolean => !isSaid(one) && read.has(one);
  const little = await extract(corpus, { ...options, budgetTokens, takes, partOf: perMessage(corpus) });
  const taken = new Set(little.passages);
  const more = await extract(corpus, {
    ...options,
    budgetTokens: budgetTokens - little.tokens,
    takes: (one) => alike.has(one) || (takes(one) && !taken.has(one)),
  });
  return [...little.passages, ...more.passages];
}

/**
 * Passages that tell something: no scaffolding, nothing told over again, and of lines that begin alike the newest few;
 * beside them what else was said in such lines.
 */
async function readable(
  corpus: Corpus,
  range: { readonly from: number; readonly to: number },
  pace: Pace,
): Promise<{ read: ReadonlySet<IndexedPassage>; alike: ReadonlySet<IndexedPassage> }> {
  const read = new Set<IndexedPassage>();
  const alike = new Set<IndexedPassage>();
  const lines = new AlikeLines();
  for (let message = range.to; message >= range.from; message--) {
    const text = corpus.texts[message]!;
    const handOver = handOverFrom(text);
    if (handOver === undefined && isRetelling(text, message)) continue;
    for (let at = corpus.firstOf[message + 1]! - 1; at >= corpus.firstOf[message]!; at--) {
      const passage = corpus.passages[at]!;
      const words = passageText(passage, text);
      if (pace.isDue(words.length * PATTERNS)) await pace.rest();
      if (isScaffolding(words) || (message > 0 && passage.start < (handOver ?? 0))) continue;
      // An assistant's own words have no line numbers before them.
      if (isSaidEcho(corpus, passage)) continue;
      if (!lines.isOneTooMany(words, passage)) read.add(passage);
      else if (isSaid(passage)) alike.add(passage);
    }
  }
  return { read, alike };
}

/** So many patterns look at each line. */
const PATTERNS = 5;

/** What one message may show at first, in tokens: of a listing a remark or two and what it defines; more of a text or a report. */
const SHOWN_TOKENS = { listing: 30, names: 40, echo: 90, other: 600 } as const;

/** What of a message a passage belongs to. `echo`: a file's lines as a tool numbers them. */
function partOfMessage(corpus: Corpus, { message, kind, inListing, start }: IndexedPassage): keyof typeof SHOWN_TOKENS {
  if (inListing) return 'listing';
  return kind === 'names' ? 'names' : isEcho(corpus.texts[message]!, start) ? 'echo' : 'other';
}

const isSaidEcho = (corpus: Corpus, one: IndexedPassage): boolean =>
  speakerOf(corpus, one) !== 'tool' && one.text === undefined && isEcho(corpus.texts[one.message]!, one.start);

function perMessage(corpus: Corpus): (passage: IndexedPassage) => { left: number } {
  const parts = new Map<string, { left: number }>();
  return (passage) => {
    const part = partOfMessage(corpus, passage);
    const key = `${passage.message} ${part}`;
    const known = parts.get(key) ?? { left: SHOWN_TOKENS[part] };
    parts.set(key, known);
    return known;
  };
}

/** Passages by message, each under its speaker, with one mark where many of a message's lines are missing. */
function renderDigest(corpus: Corpus, passages: readonly IndexedPassage[]): string {
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
      parts.push(passageText(passage, text));
      end = passage.end;
    }
    if (passages[at]?.message !== message) omitted += linesBetween(text, end, text.length);
    if (omitted >= MARKED_LINES) parts.push(`… ${omitted} lines omitted`);
    lines.push(`${speaker}: ${asSpoken(parts.join('\n'))}`);
  }
  return lines.join('\n');
}

/** Lines that stand between two passages; one break parts neighbours. */
function linesBetween(text: string, start: number, end: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) breaks++;
  return start === 0 ? breaks : Math.max(0, breaks - 1);
}
