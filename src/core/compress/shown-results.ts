import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Corpus, IndexedPassage } from './corpus.ts';
import { isEcho, isRule, isStatement, TAG, WRAPPERS } from './line-tests.ts';
import type { Passage } from './passages.ts';
import type { Pace } from './source.ts';
import { AlikeLines, FILE_SHOWN, isScaffolding } from './telling.ts';

/** What a message shows of results at most, in UTF-16 units: the largest for which all messages' results have room; else the newest have it. */
const SHOWN_CHARS = [1_600, 800, 400, 200] as const;
/** Output begins with what it is about and ends with what it comes to. */
const HEAD_SHARE = 0.4;
/** Longer lines are data. */
const MAX_LINE_LENGTH = 300;
/** From this share of statements on a block is code, of which a few lines that a diff adds are shown. */
const CODE_SHARE = 0.3;
const MAX_ADDED = 6;

/** Lines of output that stand for themselves, in order, with their tokens. */
export interface ShownResults {
  readonly passages: readonly IndexedPassage[];
  readonly tokens: number;
  /** Whether one of them says this passage. */
  holds(passage: Passage): boolean;
}

/**
 * What commands printed and what blocks in messages show, as far as it is neither a file's contents nor code: a result
 * that no sentence repeats stands there alone. The start and the end of each, within a budget.
 */
export async function shownResults(
  { texts, roles }: Pick<Corpus, 'texts' | 'roles'>,
  { from, to }: { readonly from: number; readonly to: number },
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  pace: Pace,
): Promise<ShownResults> {
  const blocks: IndexedPassage[][] = [];
  const alike = new AlikeLines();
  for (let message = to; message >= from && budgetTokens > 0; message--) {
    const text = texts[message]!;
    if (pace.isDue(text.length)) await pace.rest();
    if (FILE_SHOWN.test(text)) continue;
    for (const block of blocksIn(text, message, roles[message] === 'tool').reverse()) {
      const fresh = block.toReversed().filter((one) => !alike.isOneTooMany(text.slice(one.start, one.end), one));
      blocks.push(fresh.reverse());
    }
  }
  let passages: IndexedPassage[] = [];
  let tokens = 0;
  for (const chars of SHOWN_CHARS) {
    passages = [];
    tokens = 0;
    let isWhole = true;
    // The newest first: where the smallest part of each is too much, they are what is shown.
    for (const block of blocks) {
      const part = startAndEnd(block, chars);
      let more = 0;
      for (const { message, start, end } of part) {
        if (pace.isDue((end - start) * 4)) await pace.rest();
        more += counter.text(texts[message]!.slice(start, end)) + 1;
      }
      isWhole = tokens + more <= budgetTokens;
      if (!isWhole) break;
      passages.push(...part);
      tokens += more;
    }
    if (isWhole) break;
  }
  const spans = new Map<number, Passage[]>();
  for (const one of passages) spans.set(one.message, [...(spans.get(one.message) ?? []), one]);
  const holds = ({ message, start, end, text }: Passage): boolean =>
    text === undefined && spans.get(message)?.some((one) => one.start <= start && end <= one.end) === true;
  return { passages, tokens, holds };
}

/** The lines of what a tool printed, or of each fenced block: all of a text, of code what a diff adds. */
function blocksIn(text: string, message: number, isOutput: boolean): IndexedPassage[][] {
  const blocks: IndexedPassage[][] = [];
  let block: IndexedPassage[] = [];
  let code = 0;
  let isOpen = isOutput;
  const close = (): void => {
    const isCode = code >= block.length * CODE_SHARE;
    const isAdded = ({ start }: Passage): boolean => text[start] === '+' && text[start + 1] !== '+';
    if (block.length > 0) blocks.push(isCode ? block.filter(isAdded).slice(0, MAX_ADDED) : block);
    block = [];
    code = 0;
  };
  for (let at = 0; at < text.length;) {
    let next = text.indexOf('\n', at);
    if (next === -1) next = text.length;
    const line = text.slice(at, next);
    const start = at + line.length - line.trimStart().length;
    const end = start + line.trim().length;
    if (FENCE.test(line)) {
      if (!isOutput) {
        close();
        isOpen = !isOpen;
      }
    } else if (isOpen && isShown(text, start, end)) {
      if (isStatement(text, start, end)) code++;
      block.push({ message, start, end, kind: 'line', running: false, text: undefined, inListing: false, terms: [] });
    }
    at = next + 1;
  }
  if (isOutput) close();
  return blocks;
}

const FENCE = /^\s*(?:```|~~~)/;
/** Trees of files, frames of a stack or a diff. */
const LISTED = /^(?:at \S+ \(|[├│└]|index [0-9a-f]{6}|diff --git |(?:---|\+\+\+) )/;

function isShown(text: string, start: number, end: number): boolean {
  if (end - start < 2 || end - start > MAX_LINE_LENGTH || isRule(text, start, end) || isEcho(text, start)) return false;
  const line = text.slice(start, end);
  const tag = TAG.exec(line)?.[2]?.toLowerCase();
  const isPath = line.includes('/') && !line.includes(' ');
  return !(tag !== undefined && WRAPPERS.has(tag)) && !isPath && !LISTED.test(line) && !isScaffolding(line);
}

/** Of a block the lines at its start and its end, of so many UTF-16 units in all. */
function startAndEnd(block: readonly IndexedPassage[], chars: number): readonly IndexedPassage[] {
  const length = ({ start, end }: Passage): number => end - start + 1;
  let left = chars - block.reduce((all, one) => all + length(one), 0);
  if (left >= 0) return block;
  let head = 0;
  for (let used = 0; used + length(block[head]!) <= chars * HEAD_SHARE; head++) used += length(block[head]!);
  let tail = head;
  for (; left < 0; tail++) left += length(block[tail]!);
  return [...block.slice(0, head), ...block.slice(tail)];
}
