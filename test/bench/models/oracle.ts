import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { factsIn, type Fact } from '../data/facts.ts';
import { Random } from '../../support/random.ts';
import type { Answer } from './metered.ts';

export interface OracleOptions {
  readonly counter: TokenCounter;
  readonly facts?: readonly Fact[];
  /** Probability that a fact in the prompt gets into the answer. */
  readonly keeps?: number;
}

/** Share of the maximum length that the answer uses. Models stay below the limit they are told. */
const USED = 0.85;

/**
 * A summarizer that returns valid JSON based only on its prompt: each listed fact that occurs in it (with probability
 * `keeps`), then the record's first prose until the maximum length.
 */
export function oracle({ counter, facts = [], keeps = 1 }: OracleOptions): Answer {
  const random = new Random(3);
  return (prompt, maxTokens) => {
    const room = Math.floor(maxTokens * USED) - 24;
    let used = 0;
    const take = (text: string): boolean => {
      const cost = counter.text(text) + 3;
      if (used + cost > room) return false;
      used += cost;
      return true;
    };
    const record = recordIn(prompt);
    const outcomes: string[] = [];
    for (const { text } of factsIn(facts, record)) if (random.next() < keeps && take(text)) outcomes.push(text);
    const narrative: string[] = [];
    for (const sentence of sentencesOf(record))
      if (!take(sentence)) break;
      else narrative.push(sentence);
    if (narrative.length === 0) narrative.push('The work went on.');
    return JSON.stringify({ narrative: narrative.join(' '), outcomes });
  };
}

/** The text between the two lines that enclose the record. */
function recordIn(prompt: string): string {
  const fence = /^(=====\w+=====)$/m.exec(prompt)?.[1];
  if (fence === undefined) return prompt;
  return prompt.slice(prompt.indexOf(fence) + fence.length, prompt.lastIndexOf(fence));
}

/** Prose of a record without characters that need quoting or escaping. Only reads as much as it returns. */
function* sentencesOf(record: string): Generator<string> {
  for (let at = 0; at < record.length;) {
    const end = record.indexOf('\n', at);
    const next = end < 0 ? record.length : end;
    const line = record
      .slice(at, next)
      .replace(/^(?:user|assistant|tool): /, '')
      .trim();
    at = next + 1;
    if (line.length > 20 && line.length < 300 && /^[\p{L}\p{N} ,.;:'()/_-]+$/u.test(line)) yield line;
  }
}
