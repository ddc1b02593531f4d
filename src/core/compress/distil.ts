import type { Span } from '../model/key-event.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import type { Corpus, IndexedPassage } from './corpus.ts';
import { extract } from './extractive.ts';
import { passageText } from './passages.ts';
import type { Pace } from './source.ts';

/** From so many lines on, what was left out of a message is marked: once, since a mark costs as much as a short line. */
const MARKED_LINES = 12;

/** What nobody reads is lost, so the unusual counts for more here than where an extract stands beside a summary. */
const NOVELTY = 4;

/** Room that marks and speakers' names take, as a share of the budget. */
const MARKS_SHARE = 0.1;

/**
 * A run of messages as a summarizer gets to read it: what was said, and of output, pasted files, diffs and code the
 * lines that inform, within a budget; what was left out is marked. Linear but for the choice of passages, n log n.
 */
export async function distil(
  corpus: Corpus,
  range: { readonly from: number; readonly to: number },
  budgetTokens: number,
  counter: Pick<TokenCounter, 'text'>,
  pace: Pace,
  wanted?: ReadonlyMap<number, readonly Span[]>,
): Promise<string> {
  let budget = Math.floor(budgetTokens * (1 - MARKS_SHARE));
  for (;;) {
    const { passages } = await extract(corpus, {
      budgetTokens: budget,
      counter,
      pace,
      range,
      novelty: NOVELTY,
      ...(wanted && { wanted }),
    });
    const text = renderDistillate(corpus, passages);
    const over = counter.text(text) - budgetTokens;
    if (over <= 0 || passages.length === 0) return text;
    budget = Math.max(0, budget - over - 8);
  }
}

/** Passages by message, each under its speaker, with one mark where many of a message's lines are missing. */
function renderDistillate(corpus: Corpus, passages: readonly IndexedPassage[]): string {
  const lines: string[] = [];
  for (let at = 0; at < passages.length;) {
    const { message } = passages[at]!;
    const text = corpus.texts[message]!;
    const parts: string[] = [];
    let end = 0;
    let left = 0;
    for (; at < passages.length && passages[at]!.message === message; at++) {
      const passage = passages[at]!;
      left += linesBetween(text, end, passage.start);
      parts.push(passageText(passage, text));
      end = passage.end;
    }
    left += linesBetween(text, end, text.length);
    if (left >= MARKED_LINES) parts.push(`… ${left} lines left out`);
    lines.push(`${corpus.roles[message]!}: ${parts.join('\n')}`);
  }
  return lines.join('\n');
}

/** Lines that stand between two passages; one break parts neighbours. */
function linesBetween(text: string, start: number, end: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) breaks++;
  return start === 0 ? breaks : Math.max(0, breaks - 1);
}
