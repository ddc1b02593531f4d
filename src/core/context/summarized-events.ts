import { sentLevelOf } from './ledger-lines.ts';
import { FUNCTION_WORDS } from '../events/subject.ts';
import type { KeyEventId, NodeId } from '../model/ids.ts';
import type { KeyEvent } from '../model/key-event.ts';
import type { Role } from '../model/message.ts';
import type { SummaryNode } from '../model/summary.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import { lineSpans } from '../text/lines.ts';
import { sentencesOf } from '../text/sentences.ts';
import type { PrefixFacts } from '../state/session-state.ts';
import { visitWords } from '../text/words.ts';

/** Words are compared by their beginning, in UTF-16 units, so that inflected forms count as the same word. */
const STEM_LENGTH = 6;
/** A word with a digit counts as this many words, because a paraphrase keeps it. */
const DIGIT_WEIGHT = 3;
const HAS_DIGIT = /\d/;

/** Whether all summaries are sent as written from the messages. Merged and brief ones omit more. */
export const areSummariesAsWritten = (state: Pick<PrefixFacts, 'frontier' | 'levels'>): boolean =>
  state.frontier.every(({ node }) => node.children.length === 0 && sentLevelOf(state, node.id) !== 'brief');

interface EventPlace {
  readonly node: SummaryNode;
  readonly role: Role;
}

/**
 * The key events that a model read before it wrote their messages' summary, with the share of these events' words that
 * the summary repeats, 0…1. It's the same for all events of a summary, because a good summary says what matters of what
 * its model read, though in other words, and a vague one doesn't. Events in tool output are included, because what a
 * model wasn't shown of it is hardly worth quoting.
 *
 * @param read what the model read for each summary
 */
export async function summarizedShares(
  events: Iterable<KeyEvent>,
  read: ReadonlyMap<NodeId, string>,
  placeOf: (event: KeyEvent) => EventPlace | undefined,
  pace: CancellableYielder,
): Promise<Map<KeyEventId, number>> {
  const shown = new Map<SummaryNode, KeyEvent[]>();
  const shares = new Map<KeyEventId, number>();
  const fromTools: { readonly id: KeyEventId; readonly node: SummaryNode }[] = [];
  for (const event of events) {
    const place = placeOf(event);
    const record = place && read.get(place.node.id);
    if (record === undefined) continue;
    const { node, role } = place!;
    if (pace.isDue(record.length / CHARS_PER_COST)) await pace.yield();
    if (contains(record, event.quote)) shown.set(node, [...(shown.get(node) ?? []), event]);
    else if (role === 'tool') fromTools.push({ id: event.id, node });
  }
  const shareOfNode = new Map<SummaryNode, number>();
  for (const [node, ofNode] of shown) {
    if (pace.isDue()) await pace.yield();
    const stems = stemsOf(node.detailed);
    const share = ofNode.reduce((sum, { quote }) => sum + repeatedShare(quote, stems), 0) / ofNode.length;
    shareOfNode.set(node, share);
    for (const { id } of ofNode) shares.set(id, share);
  }
  for (const { id, node } of fromTools) shares.set(id, shareOfNode.get(node) ?? 0);
  return shares;
}

/** Searching so many characters takes as long as one unit of work for `CancellableYielder`. */
const CHARS_PER_COST = 16;

/** Whether a text contains each sentence of a quote. Its sentences may be on separate lines. */
const contains = (text: string, quote: string): boolean =>
  text.includes(quote) ||
  [...lineSpans(quote)]
    .flatMap(({ start, end }) => sentencesOf(quote, start, end))
    .every(({ start, end }) => text.includes(quote.slice(start, end)));

function repeatedShare(quote: string, summarized: ReadonlySet<string>): number {
  let all = 0;
  let repeated = 0;
  for (const stem of stemsOf(quote)) {
    const weight = HAS_DIGIT.test(stem) ? DIGIT_WEIGHT : 1;
    all += weight;
    if (summarized.has(stem)) repeated += weight;
  }
  return all === 0 ? 0 : repeated / all;
}

function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  visitWords(text, (word) => {
    if (!FUNCTION_WORDS.has(word)) stems.add(HAS_DIGIT.test(word) ? word : word.slice(0, STEM_LENGTH));
  });
  return stems;
}
