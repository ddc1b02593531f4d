import type { Role } from '../model/message.ts';
import { firstIndexWhere } from './binary-search.ts';
import { COVERAGE_SHARE, KIND_TERM_SHARE, KIND_TERM_WEIGHT, matchSimilarity, rarityOf, termScore } from './ranking.ts';
import { parseQuery, SYNONYM_WEIGHT, type QueryTerm } from './query.ts';
import {
  frequencyAt,
  indexOfWord,
  prefixRange,
  STORED_ROLES,
  visitPostings,
  wordAt,
  type IndexBlock,
} from './index-block.ts';

/** Factor for the scores of tool output, which answers fewer questions than messages of users and assistants. */
export const TOOL_WEIGHT = 0.6;
/** Maximum number of words per block that are compared for a prefix. A prefix with more is too short to be useful. */
const MAX_PREFIX_WORDS = 40;

export interface SearchedBlock {
  readonly block: IndexBlock;
  /** Number of messages at its beginning that are still valid; a later block replaces the others. */
  readonly valid: number;
}

export interface BlockHit {
  /** Index of the block. */
  readonly block: number;
  /** Index of the message within the block. */
  readonly message: number;
  readonly score: number;
}

/** Per-message buffers for a search over all blocks: 13 bytes per message, reused by later searches. */
export class SearchScratch {
  /** A message's score for the query. */
  score = new Float32Array(0);
  /** A message's score for the current term. */
  scoreForTerm = new Float32Array(0);
  /** Summed rarity of the query terms that a message contains. */
  covered = new Float32Array(0);
  hasKindTerm = new Uint8Array(0);
  /** Messages that match any term. */
  found: number[] = [];
  /** Messages that match the current term. */
  foundByTerm: number[] = [];

  reset(messages: number): void {
    if (messages > this.score.length) {
      this.score = new Float32Array(messages);
      this.scoreForTerm = new Float32Array(messages);
      this.covered = new Float32Array(messages);
      this.hasKindTerm = new Uint8Array(messages);
    } else {
      for (const message of this.found) this.score[message] = this.covered[message] = this.hasKindTerm[message] = 0;
    }
    this.found = [];
  }

  raiseTermScore(message: number, value: number): void {
    const before = this.scoreForTerm[message]!;
    if (value <= before) return;
    if (before === 0) this.foundByTerm.push(message);
    this.scoreForTerm[message] = value;
  }

  addTermScores({ isKindTerm }: QueryTerm, rarity: number): void {
    const { score, scoreForTerm, covered, hasKindTerm, found } = this;
    const share = isKindTerm ? KIND_TERM_SHARE : 1;
    for (const message of this.foundByTerm) {
      if (score[message] === 0) found.push(message);
      score[message]! += scoreForTerm[message]! * share;
      covered[message]! += rarity;
      if (isKindTerm) hasKindTerm[message] = 1;
      scoreForTerm[message] = 0;
    }
    this.foundByTerm = [];
  }
}

/** Ranks like a `TextIndex` of all blocks, except that typos only count for terms that don't occur. */
export function searchBlocks(
  searched: readonly SearchedBlock[],
  query: string,
  { limit, roles = STORED_ROLES }: { readonly limit: number; readonly roles?: readonly Role[] },
  scratch = new SearchScratch(),
): readonly BlockHit[] {
  const { terms } = parseQuery(query);
  const stats = statsOf(searched);
  scratch.reset(stats.size);
  let total = 0;
  for (const term of terms) {
    scoreTerm(searched, stats, term, scratch);
    const rarity = term.isKindTerm ? 0 : rarityOf(scratch.foundByTerm.length, stats.messages);
    total += rarity;
    scratch.addTermScores(term, rarity);
  }
  const allowed = Uint8Array.from(STORED_ROLES, (role) => (roles.includes(role) ? 1 : 0));
  const weights = Float32Array.from(STORED_ROLES, (role) => (role === 'tool' ? TOOL_WEIGHT : 1));
  const { score, covered, hasKindTerm, found } = scratch;
  const best: BlockHit[] = [];
  // Once there are enough hits, lower scores are skipped before the message's role is looked up.
  let minScore = 0;
  for (const at of found) {
    const coverage = total === 0 ? 1 : covered[at]! / total;
    const kindTermFactor = hasKindTerm[at] === 1 && covered[at]! > 0 ? KIND_TERM_WEIGHT : 1;
    const unweighted = score[at]! * (1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage) * kindTermFactor;
    if (unweighted < minScore) continue;
    const index = firstIndexWhere(stats.firsts.length, (block) => stats.firsts[block]! > at) - 1;
    const message = at - stats.firsts[index]!;
    const role = searched[index]!.block.roles[message]!;
    if (allowed[role] === 0) continue;
    insert(best, { block: index, message, score: unweighted * weights[role]! }, limit);
    if (best.length === limit) minScore = best.at(-1)!.score;
  }
  return best;
}

/** `messages`: valid messages; `size`: also replaced ones; `firsts`: the number of messages before each block. */
function statsOf(searched: readonly SearchedBlock[]) {
  let [passages, messages, length, size] = [0, 0, 0, 0];
  const firsts: number[] = [];
  for (const { block, valid } of searched) {
    firsts.push(size);
    size += block.messages;
    passages += block.lengths.length;
    messages += valid;
    length += block.words;
  }
  return { passages, messages, averageLength: length / Math.max(1, passages), size, firsts };
}

interface MatchingWord {
  readonly block: number;
  /** Index of the word in the block. */
  readonly at: number;
  readonly word: string;
  /** How well it matches, 0…1. */
  readonly weight: number;
}

function scoreTerm(
  searched: readonly SearchedBlock[],
  stats: ReturnType<typeof statsOf>,
  term: QueryTerm,
  scratch: SearchScratch,
): void {
  const exact = wordsEqual(searched, term.term, 1);
  const near = (word: string): number => (word === term.term ? 0 : matchSimilarity(term.term, word));
  // Finding typos is slow, because all words with the same first letter are compared.
  const typos = exact.length > 0 ? [] : wordsLike(searched, term.term.slice(0, 1), near, Infinity);
  const similar = typos.length > 0 ? typos : wordsLike(searched, term.term, near, MAX_PREFIX_WORDS);
  const synonyms = term.synonyms.flatMap((word) => wordsEqual(searched, word, SYNONYM_WEIGHT));
  const frequency = new Map<string, number>();
  const all = [...exact, ...synonyms, ...similar];
  for (const { block, at, word } of all) {
    frequency.set(word, (frequency.get(word) ?? 0) + frequencyAt(searched[block]!.block, at));
  }
  const rarity = (word: string): number => rarityOf(frequency.get(word) ?? 0, stats.passages);
  const termRarity = exact.length > 0 ? rarity(term.term) : Infinity;
  for (const { block: index, at, word, weight } of all) {
    const isSimilar = weight !== 1 && weight !== SYNONYM_WEIGHT;
    const wordWeight = weight * (isSimilar ? Math.min(rarity(word), termRarity) : rarity(word));
    const { block, valid } = searched[index]!;
    const first = stats.firsts[index]!;
    visitPostings(block, at, (passage, times) => {
      const message = block.owners[passage]!;
      if (message >= valid) return;
      scratch.raiseTermScore(
        first + message,
        termScore(wordWeight, times, block.lengths[passage]!, stats.averageLength),
      );
    });
  }
}

function wordsEqual(searched: readonly SearchedBlock[], word: string, weight: number): MatchingWord[] {
  const found: MatchingWord[] = [];
  for (const [index, { block }] of searched.entries()) {
    const at = indexOfWord(block, word);
    if (at !== undefined) found.push({ block: index, at, word, weight });
  }
  return found;
}

function wordsLike(
  searched: readonly SearchedBlock[],
  prefix: string,
  weightOf: (word: string) => number,
  max: number,
): MatchingWord[] {
  const found: MatchingWord[] = [];
  const known = new Map<string, number>();
  for (const [index, { block }] of searched.entries()) {
    const { start, end } = prefixRange(block, prefix);
    for (let at = start; at < Math.min(end, start + max); at++) {
      const word = wordAt(block, at);
      let weight = known.get(word);
      if (weight === undefined) known.set(word, (weight = weightOf(word)));
      if (weight > 0) found.push({ block: index, at, word, weight });
    }
  }
  return found;
}

/** Inserts a hit into a list that is sorted by score, and by position among equals. */
function insert(best: BlockHit[], hit: BlockHit, limit: number): void {
  const isBefore = (one: BlockHit): boolean =>
    one.score > hit.score ||
    (one.score === hit.score && (one.block < hit.block || (one.block === hit.block && one.message < hit.message)));
  let at = best.length;
  while (at > 0 && !isBefore(best[at - 1]!)) at--;
  best.splice(at, 0, hit);
  if (best.length > limit) best.pop();
}
