import type { Role } from '../model/message.ts';
import { nearness } from './near-terms.ts';
import { readQuery, SYNONYM_WEIGHT, type SoughtTerm } from './query.ts';
import { B, COVERAGE_SHARE, K1, MANNER_SHARE, MANNER_WEIGHT, rarityOf } from './ranking.ts';
import { frequencyAt, prefixRange, ROLES, visitPostings, wordAt, type WordBlock } from './word-block.ts';

/** What a tool printed answers fewer questions than what people said. */
const TOOL_WEIGHT = 0.6;
/** A prefix that many words begin with is too short to say which is meant. */
const MAX_NEAR_WORDS = 40;

export interface SearchedBlock {
  readonly block: WordBlock;
  /** How many of its messages still hold: the others were replaced by a later block. */
  readonly valid: number;
}

export interface BlockSearchOptions {
  readonly limit: number;
  readonly roles?: readonly Role[];
}

export interface BlockHit {
  /** Index of the block among those searched. */
  readonly block: number;
  /** Counted from the block's first message. */
  readonly message: number;
  readonly score: number;
}

interface Answers {
  readonly score: Float32Array;
  readonly covered: Float32Array;
  readonly hasManner: Uint8Array;
}

/** How well messages of one block answer one term, by message; 0: not at all. */
type Scores = Float32Array;

/** Ranked search over blocks as over one index; the same scores as `TextIndex` gives, but for typos of words that occur. */
export function searchBlocks(
  searched: readonly SearchedBlock[],
  query: string,
  { limit, roles = ROLES }: BlockSearchOptions,
): readonly BlockHit[] {
  const { sought } = readQuery(query);
  const facts = factsOf(searched);
  const answers = new Map<number, Answers>();
  let total = 0;
  for (const term of sought) {
    const byBlock = scoresOf(searched, facts, term);
    let matched = 0;
    for (const scores of byBlock.values()) for (const score of scores) if (score > 0) matched++;
    const rarity = term.isManner ? 0 : rarityOf(matched, facts.messages);
    total += rarity;
    for (const [index, scores] of byBlock) take(answersIn(answers, index, searched[index]!), scores, term, rarity);
  }
  const allowed = Uint8Array.from(ROLES, (role) => (roles.includes(role) ? 1 : 0));
  const best: BlockHit[] = [];
  for (const [index, { score, covered, hasManner }] of answers) {
    const { block, valid } = searched[index]!;
    for (let message = 0; message < valid; message++) {
      if (score[message] === 0) continue;
      const role = block.roles[message]!;
      if (allowed[role] === 0) continue;
      const coverage = total === 0 ? 1 : covered[message]! / total;
      const favour = hasManner[message] === 1 && covered[message]! > 0 ? MANNER_WEIGHT : 1;
      const weight = ROLES[role] === 'tool' ? TOOL_WEIGHT : 1;
      const value = score[message]! * (1 - COVERAGE_SHARE + COVERAGE_SHARE * coverage) * favour * weight;
      if (best.length === limit && value <= best.at(-1)!.score) continue;
      insert(best, { block: index, message, score: value }, limit);
    }
  }
  return best;
}

interface Facts {
  readonly passages: number;
  readonly messages: number;
  readonly averageLength: number;
}

function factsOf(searched: readonly SearchedBlock[]): Facts {
  let [passages, messages, length] = [0, 0, 0];
  for (const { block, valid } of searched) {
    passages += block.lengths.length;
    messages += valid;
    for (const one of block.lengths) length += one;
  }
  return { passages, messages, averageLength: length / Math.max(1, passages) };
}

/** A word of a block that answers a term, and how well. */
interface NearWord {
  readonly block: number;
  readonly at: number;
  readonly word: string;
  readonly near: number;
}

function scoresOf(searched: readonly SearchedBlock[], facts: Facts, term: SoughtTerm): ReadonlyMap<number, Scores> {
  const exact = wordsLike(searched, term.term, () => 1, true);
  const near = (word: string): number => (word === term.term ? 0 : nearness(term.term, word));
  const others = wordsLike(searched, term.term, near, false);
  // Every word with the same first letter is looked at for typos, which is slow: only where the term is nowhere found.
  const typos = exact.length > 0 ? [] : wordsLike(searched, term.term.slice(0, 1), near, false, Infinity);
  const synonyms = term.synonyms.flatMap((word) => wordsLike(searched, word, () => SYNONYM_WEIGHT, true));
  const frequency = new Map<string, number>();
  const all = [...exact, ...synonyms, ...(typos.length > 0 ? typos : others)];
  for (const { block, at, word } of all) {
    frequency.set(word, (frequency.get(word) ?? 0) + frequencyAt(searched[block]!.block, at));
  }
  const rarity = (word: string): number => rarityOf(frequency.get(word) ?? 0, facts.passages);
  const own = exact.length > 0 ? rarity(term.term) : Infinity;
  const found = new Map<number, Scores>();
  for (const { block: index, at, word, near: weight } of all) {
    const isOther = weight !== 1 && weight !== SYNONYM_WEIGHT;
    const worth = weight * (isOther ? Math.min(rarity(word), own) : rarity(word));
    const scores = found.get(index) ?? new Float32Array(searched[index]!.block.messages);
    found.set(index, scores);
    score(searched[index]!, at, worth, facts.averageLength, scores);
  }
  return found;
}

function wordsLike(
  searched: readonly SearchedBlock[],
  beginning: string,
  nearOf: (word: string) => number,
  isWhole: boolean,
  most = MAX_NEAR_WORDS,
): NearWord[] {
  const found: NearWord[] = [];
  for (const [index, { block }] of searched.entries()) {
    const { start, end } = prefixRange(block, beginning);
    // A word comes before all longer ones that begin with it.
    const last = isWhole ? Math.min(end, start + 1) : Math.min(end, start + most);
    for (let at = start; at < last; at++) {
      const word = wordAt(block, at);
      const near = isWhole && word !== beginning ? 0 : nearOf(word);
      if (near > 0) found.push({ block: index, at, word, near });
    }
  }
  return found;
}

function score({ block, valid }: SearchedBlock, word: number, worth: number, average: number, scores: Scores): void {
  visitPostings(block, word, (passage, times) => {
    const message = block.owners[passage]!;
    if (message >= valid) return;
    const length = block.lengths[passage]!;
    const value = (worth * times * (K1 + 1)) / (times + K1 * (1 - B + (B * length) / average));
    if (value > scores[message]!) scores[message] = value;
  });
}

function answersIn(answers: Map<number, Answers>, index: number, { block }: SearchedBlock): Answers {
  const known = answers.get(index);
  if (known) return known;
  const { messages } = block;
  const made = {
    score: new Float32Array(messages),
    covered: new Float32Array(messages),
    hasManner: new Uint8Array(messages),
  };
  answers.set(index, made);
  return made;
}

function take(
  { score: sum, covered, hasManner }: Answers,
  scores: Scores,
  { isManner }: SoughtTerm,
  rarity: number,
): void {
  for (const [message, value] of scores.entries()) {
    if (value === 0) continue;
    sum[message]! += value * (isManner ? MANNER_SHARE : 1);
    covered[message]! += rarity;
    if (isManner) hasManner[message] = 1;
  }
}

function insert(best: BlockHit[], hit: BlockHit, limit: number): void {
  let at = best.length;
  while (at > 0 && best[at - 1]!.score < hit.score) at--;
  best.splice(at, 0, hit);
  if (best.length > limit) best.pop();
}
