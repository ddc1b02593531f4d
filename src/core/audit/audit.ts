import type { Audit, AuditFault } from '../model/summary.ts';
import type { Steps } from '../pace/steps.ts';
import { findQuotes } from './quotes.ts';
import { statementsOf } from './sentences.ts';
import { SourceTerms } from './source-terms.ts';

/** What a summary is held against. */
export interface AuditSource {
  /** The texts it was made from: messages for a leaf, the children's summaries for a parent. */
  readonly texts: readonly string[];
  /** Tokens of the source, each text's framing included. */
  readonly tokens: number;
}

export interface AuditedSummary {
  /** Every text of the summary that may be sent. */
  readonly texts: readonly string[];
  /** Tokens of the longest of them, its framing included. */
  readonly tokens: number;
  /** Names of required sections that are empty. */
  readonly missingSections: readonly string[];
}

/** At most so many faults of a kind are listed; the counts are whole. */
const MAX_LISTED = 20;

/**
 * Whether a summary may be committed (`passes`) and how far it can be trusted. It must be smaller than its source, not
 * empty, hold its required sections, and every quote in it must stand in the source byte for byte. Identifiers, paths,
 * numbers, URLs and names that the source does not contain are reported.
 */
export function* auditSummary(
  summary: AuditedSummary,
  source: AuditSource,
): Steps<Audit & { readonly passes: boolean }> {
  const faults: AuditFault[] = [];
  if (summary.texts.every((text) => text.trim() === '')) faults.push({ kind: 'empty', text: '' });
  if (summary.tokens >= source.tokens) {
    faults.push({ kind: 'grew', text: `${summary.tokens} of ${source.tokens} tokens` });
  }
  for (const section of summary.missingSections) faults.push({ kind: 'missing_section', text: section });

  const quotes = new Set(summary.texts.flatMap((text) => findQuotes(text).map(({ quote }) => quote)));
  const unknownQuotes = [...quotes].filter((quote) => !source.texts.some((text) => text.includes(quote)));
  for (const text of unknownQuotes.slice(0, MAX_LISTED)) faults.push({ kind: 'unknown_quote', text });
  const passes = faults.length === 0;

  const sourceTerms = new SourceTerms(source.texts, summary.texts.join('\n'));
  const terms = new Map<string, boolean>();
  for (const text of summary.texts)
    for (const { start, end } of statementsOf(text))
      for (const [term, isKnown] of yield* sourceTerms.termsOf(text, start, end)) terms.set(term, isKnown);
  const unknown = [...terms].flatMap(([term, isKnown]) => (isKnown ? [] : [term]));
  for (const text of unknown.slice(0, MAX_LISTED)) faults.push({ kind: 'unknown_identifier', text });

  const knownTerms = terms.size - unknown.length;
  const knownQuotes = quotes.size - unknownQuotes.length;
  const total = terms.size + quotes.size;
  const score = passes ? (total === 0 ? 1 : (knownTerms + knownQuotes) / total) : 0;
  return {
    score,
    identifiers: { known: knownTerms, total: terms.size },
    quotes: { known: knownQuotes, total: quotes.size },
    faults,
    passes,
  };
}
