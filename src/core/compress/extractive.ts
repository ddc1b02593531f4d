import type { Span } from '../model/key-event.ts';
import { MaxHeap } from '../tokens/max-heap.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { quoteSpeakerLabels } from '../text/prompt-sections.ts';
import { speakerOf, type Corpus, type IndexedPassage } from './corpus.ts';
import type { MessageRange } from './source-message.ts';
import { speakerOfPassage, speakerPrefix, type PassageKind } from './passages.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';

/** The base score of a passage's token, by kind of line and speaker. */
const BASE_SCORES: Readonly<Record<PassageKind, readonly [user: number, assistant: number, tool: number]>> = {
  prose: [6, 0.45, 0.2],
  quoted: [5, 1, 0.3],
  heading: [1, 0.2, 0.1],
  thought: [0.3, 0.1, 0.1],
  error: [1.5, 0.4, 0.3],
  outcome: [1, 0.4, 0.2],
  call: [0.5, 0.2, 0.2],
  text: [0.4, 0.2, 0.1],
  names: [0.2, 0.1, 0.1],
  line: [0.1, 0.05, 0.03],
  noted: [8, 8, 8],
};

/** Position (UTF-16 units) from which text counts less, because long messages are often pasted documents. */
const LONG_MESSAGE = 6000;

export interface ExtractOptions {
  readonly budgetTokens: number;
  readonly counter: Pick<TokenCounter, 'text'>;
  readonly pace: CancellableYielder;
  /** Spans, by message, that are kept verbatim elsewhere. Passages inside them aren't taken. */
  readonly kept?: ReadonlyMap<number, readonly Span[]> | undefined;
  /** Tokens that the caller adds to each passage as a label. */
  readonly labelTokens?: number;
  /** Weight of unusual sentences; default `USUAL_NOVELTY`. */
  readonly novelty?: number | undefined;
  /** Reduces the score of routine text for users as well. Used for old messages. */
  readonly discountsUserRoutine?: boolean;
  /** Reduction, 0…1, for passages whose terms were all mentioned in sentences before. */
  readonly repetitionPenalty?: number;
  /** Whether a passage may be taken; by default, any. */
  readonly takes?: (passage: IndexedPassage) => boolean;
  /** The remaining tokens for a passage's part of the messages, so that each part gets some. */
  readonly partOf?: (passage: IndexedPassage) => { left: number };
  /** A factor for each passage, by its index in the corpus; passages with 0 aren't taken. */
  readonly factors?: Float64Array | undefined;
  /** The messages to extract from; by default, all. */
  readonly range?: MessageRange;
}

/** A part with fewer tokens left is done, because few passages are so short. */
const MIN_LEFT = 12;

const BREAK_TOKENS = 1;

/**
 * Selects the most informative passages within a budget, in their original order, with an upper estimate of their
 * tokens: greedy by score per token, where each term counts only once (submodular coverage, Lin and Bilmes, 2011, with
 * the lazy updates of Minoux, 1978). O(n log n) in the number of passages.
 */
export async function extractPassages(
  corpus: Corpus,
  options: ExtractOptions,
): Promise<{ readonly passages: readonly IndexedPassage[]; readonly tokens: number }> {
  const { counter, pace, budgetTokens } = options;
  const { from, to } = options.range ?? { from: 0, to: corpus.texts.length - 1 };
  const { termWeights } = corpus;
  const covered = new Uint8Array(corpus.terms.length);
  const first = corpus.firstOf[from]!;
  const beyond = corpus.firstOf[to + 1]!;
  const heap = new MaxHeap();
  const tokens = new Int32Array(beyond - first);
  const { novelty = USUAL_NOVELTY } = options;
  const scoreOf = (index: number): number => {
    const passage = corpus.passages[index]!;
    let gain = 0;
    let rarity = 0;
    let mentioned = 0;
    for (const term of passage.terms) {
      const before = covered[term]!;
      if (passage.running) {
        const rare = corpus.rarity[term]!;
        rarity += rare;
        // A sentence about a term that was mentioned before may still be new.
        gain += novelty * rare * rare * (before === 0 ? 1 : NAMED_BEFORE);
      }
      if (before === SENTENCE) {
        mentioned++;
        continue;
      }
      // A heading or a command only mentions a term; a sentence explains it.
      if (passage.running) gain += termWeights[term]! * (before === LISTED ? 1 - LISTED_SHARE : 1);
      else if (before === 0) gain += termWeights[term]! * LISTED_SHARE;
    }
    const cost = tokens[index - first]! + BREAK_TOKENS;
    const rarityFactor = isRoutine(corpus, passage, options.discountsUserRoutine === true)
      ? rarity / Math.max(1, passage.terms.length)
      : 1;
    const noveltyFactor = 1 - (options.repetitionPenalty ?? 0) * (mentioned / Math.max(1, passage.terms.length)) ** 3;
    return (
      (basePassageScore(corpus, passage) * rarityFactor * noveltyFactor + gain / (cost + 3)) *
      (options.factors?.[index] ?? 1)
    );
  };
  const cover = (passage: IndexedPassage): void => {
    const how = passage.running ? SENTENCE : LISTED;
    for (const term of passage.terms) covered[term] = Math.max(covered[term]!, how);
  };
  for (let index = first; index < beyond; index++) {
    const passage = corpus.passages[index]!;
    if (options.takes?.(passage) === false || options.factors?.[index] === 0) continue;
    if (inside(options.kept?.get(passage.message), passage)) {
      cover(passage);
      continue;
    }
    tokens[index - first] = estimateTokens(passage);
    heap.push(scoreOf(index), index);
    if (pace.isDue(200)) await pace.yield();
  }
  const chosen: number[] = [];
  let used = 0;
  let misses = 0;
  /** Messages with the speakers whose names are shown. */
  const named = new Set<string>();
  while (heap.size > 0 && misses < MAX_MISSES) {
    const { item: index } = heap.pop();
    const passage = corpus.passages[index]!;
    if (pace.isDue(200)) await pace.yield();
    const part = options.partOf?.(passage);
    if (part && part.left < MIN_LEFT) continue;
    tokens[index - first] = corpus.passageTokens[index] ||= counter.text(passage.text);
    const now = scoreOf(index);
    if (heap.size > 0 && now < heap.topKey() - 1e-9) {
      heap.push(now, index);
      continue;
    }
    const speech = `${passage.message} ${passage.speaker}`;
    const nameTokens = named.has(speech) ? 0 : counter.text(speakerPrefix(passage));
    const cost = tokens[index - first]! + nameTokens + BREAK_TOKENS + (options.labelTokens ?? 0);
    if (part && part.left < cost) continue;
    if (used + cost > budgetTokens) {
      misses++;
      continue;
    }
    used += cost;
    named.add(speech);
    if (part) part.left -= cost;
    chosen.push(index);
    cover(passage);
    if (pace.isDue(cost * 4)) await pace.yield();
  }
  chosen.sort((a, b) => a - b);
  return { passages: chosen.map((index) => corpus.passages[index]!), tokens: used };
}

/** Default weight of a sentence's rare terms, each of which counts by its rarity squared. */
const USUAL_NOVELTY = 1;
const NAMED_BEFORE = 0.5;

/** Whether a passage counts less if its words are common. This applies to narration, but usually not to users. */
function isRoutine(corpus: Corpus, passage: IndexedPassage, discountsUsers: boolean): boolean {
  const { kind, running } = passage;
  if (corpus.isShortChat) return false;
  if (!running || (speakerOf(corpus, passage) === 'user' && !discountsUsers)) return false;
  return kind === 'prose' || kind === 'text' || kind === 'thought' || kind === 'noted';
}

/** How a term was mentioned: in a list, heading, or command, or in a sentence. */
const LISTED = 1;
const SENTENCE = 2;

/** What a mention outside a sentence is worth. */
const LISTED_SHARE = 0.25;

/** Stop after this many passages that didn't fit: the budget counts as full. */
const MAX_MISSES = 400;

/** Base score of a sentence in a chat of short messages. Answers tell more than questions. */
const SHORT_CHAT = { statement: 0.4, question: 0.04 } as const;

export function basePassageScore(corpus: Corpus, passage: IndexedPassage): number {
  if (corpus.isShortChat && passage.kind === 'prose') {
    const isQuestion = /[?？]["”』」)\s]*$/u.test(passage.text);
    return isQuestion ? SHORT_CHAT.question : SHORT_CHAT.statement;
  }
  const role = speakerOf(corpus, passage);
  const speaker = role === 'user' ? 0 : role === 'tool' ? 2 : 1;
  const score = BASE_SCORES[passage.kind][speaker];
  const late = passage.start > LONG_MESSAGE ? LONG_MESSAGE / passage.start : 1;
  return score * late * (passage.running ? 1 : 0.7);
}

/** Estimates tokens from characters: 4 per token, or 1.6 in non-Latin scripts. Only candidates are counted exactly. */
function estimateTokens({ text, start, end, isSlice }: IndexedPassage): number {
  const middle = text.charCodeAt(((start + end) >> 1) - start);
  return Math.ceil(text.length / (middle < 0x250 || !isSlice ? 4 : 1.6));
}

/**
 * Whether a single span covers the passage except for a few characters. Spans aren't added up, because the words
 * between two of them would be lost.
 */
function inside(spans: readonly Span[] | undefined, passage: Span): boolean {
  const length = passage.end - passage.start;
  if (!spans || length === 0) return false;
  return spans.some((span) => {
    const left = length - Math.max(0, Math.min(span.end, passage.end) - Math.max(span.start, passage.start));
    return left <= EDGE_CHARS && left < length;
  });
}

const EDGE_CHARS = 4;

/** The speaker label of a summary's own text, as opposed to quotes. */
export const NOTED_LABEL = 'summary';

/**
 * Renders passages in their original order. Adjacent passages are rendered as one slice. A label is added when the role
 * changes, and after the words of somebody whom the text names, when others follow.
 */
export function renderPassages(corpus: Corpus, passages: readonly IndexedPassage[]): string {
  const lines: string[] = [];
  let lastRole = '';
  let lastSpeaker = '';
  for (let at = 0; at < passages.length;) {
    const first = passages[at]!;
    const text = corpus.texts[first.message]!;
    let end = first.end;
    let next = at + 1;
    for (; next < passages.length; next++) {
      const passage = passages[next]!;
      if (!first.isSlice || !passage.isSlice) break;
      if (passage.message !== first.message || !isBlank(text, end, passage.start)) break;
      end = passage.end;
    }
    const role = first.kind === 'noted' ? NOTED_LABEL : speakerOf(corpus, first);
    const speakerIn = (passage: IndexedPassage): string => (role === 'user' ? speakerOfPassage(passage) : '');
    const label = role === lastRole && (speakerIn(first) !== '' || lastSpeaker === '') ? '' : `${role}: `;
    lastRole = role;
    lastSpeaker = speakerIn(passages[next - 1]!);
    const said = first.isSlice ? text.slice(first.start, end) : first.text;
    lines.push(label + quoteSpeakerLabels(speakerPrefix(first, passages[at - 1]) + said));
    at = next;
  }
  return lines.join('\n');
}

const isBlank = (text: string, start: number, end: number): boolean => !/[^\0- ]/.test(text.slice(start, end));
