import type { TokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { factsIn, type Fact } from '../data/facts.ts';
import { Random } from '../data/random.ts';
import type { Answer } from './metered.ts';

export interface OracleOptions {
  readonly counter: TokenCounter;
  readonly facts?: readonly Fact[];
  /** Chance that a fact it is shown gets into its answer. */
  readonly keeps?: number;
  readonly seed?: number;
}

/** Share of the answer's room that is used: what a model is told to stay below, it stays below. */
const USED = 0.85;

/**
 * A summarizer that returns good JSON of what it is shown: every fact of the list that stands in the prompt (each with
 * the chance `keeps`), then the first prose of the record, as far as the answer's room goes. It knows nothing else.
 */
export function oracle({ counter, facts = [], keeps = 1, seed = 3 }: OracleOptions): Answer {
  const random = new Random(seed);
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

/** What stands between the two lines that fence the record off. */
function recordIn(prompt: string): string {
  const fence = /^(=====\w+=====)$/m.exec(prompt)?.[1];
  if (fence === undefined) return prompt;
  return prompt.slice(prompt.indexOf(fence) + fence.length, prompt.lastIndexOf(fence));
}

/** Prose of a record, without what would have to be quoted or escaped; only as much of it is looked at as is taken. */
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
