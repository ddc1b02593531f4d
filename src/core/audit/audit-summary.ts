import { auditScore, type Audit, type AuditFault } from '../model/summary.ts';
import type { Steps } from '../pace/steps.ts';
import { findQuotes } from './quotes.ts';
import { statementsOf } from './statements.ts';
import { SourceTerms } from './source-terms.ts';

interface Audited<Text> {
  readonly text: Text;
  /** Includes the tokens that a request adds around the text. */
  readonly tokens: number;
}

/** Maximum number of listed faults per kind; counts are complete. */
const MAX_LISTED = 20;

/**
 * Checks whether a summary may be committed (`passes`) and how far it can be trusted. It must be smaller than its
 * source and not empty, and its quotes must be verbatim. Identifiers, paths, numbers, URLs, and names that the source
 * doesn't contain are reported.
 */
export function* auditSummary(
  { text, tokens }: Audited<string>,
  source: Audited<readonly string[]>,
): Steps<Audit & { readonly passes: boolean }> {
  const faults: AuditFault[] = [];
  if (text.trim() === '') faults.push({ kind: 'empty', text: '' });
  if (tokens >= source.tokens) faults.push({ kind: 'grew', text: `${tokens} of ${source.tokens} tokens` });

  const quotes = new Set(findQuotes(text).map(({ quote }) => quote));
  const sourceTexts = quotes.size === 0 ? [] : source.text.map(withSingleSpaces);
  const isVerbatim = (quote: string): boolean => sourceTexts.some((whole) => whole.includes(withSingleSpaces(quote)));
  const unknownQuotes = [...quotes].filter((quote) => !isVerbatim(quote));
  for (const quote of unknownQuotes.slice(0, MAX_LISTED)) faults.push({ kind: 'unknown_quote', text: quote });
  const passes = faults.length === 0;

  const sourceTerms = new SourceTerms(source.text, text);
  const terms = new Map<string, boolean>();
  for (const { start, end } of statementsOf(text))
    for (const [term, isKnown] of yield* sourceTerms.checkTerms(text, start, end)) terms.set(term, isKnown);
  const unknown = [...terms].flatMap(([term, isKnown]) => (isKnown ? [] : [term]));
  for (const term of unknown.slice(0, MAX_LISTED)) faults.push({ kind: 'unknown_identifier', text: term });

  const counts = {
    identifiers: { known: terms.size - unknown.length, total: terms.size },
    quotes: { known: quotes.size - unknownQuotes.length, total: quotes.size },
  };
  return { score: auditScore(counts), ...counts, faults, passes };
}

/** A rendered summary joins sentences with single spaces, so other white space within its quotes is lost. */
const withSingleSpaces = (text: string): string => text.replace(/\s+/g, ' ');
