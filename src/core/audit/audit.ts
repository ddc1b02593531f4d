import type { Audit, AuditFault } from '../model/summary.ts';
import { forEachTerm } from '../compress/terms.ts';
import type { Steps } from '../pace/steps.ts';
import { findQuotes } from './quotes.ts';

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
const MOST_LISTED = 20;

/**
 * Whether a summary may be committed (`passes`) and how far it can be trusted. It must be smaller than its source, not
 * empty, hold its required sections, and every quote in it must stand in the source byte for byte. Identifiers, paths,
 * numbers and URLs that the source lacks are reported. Linear in source and summary.
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

  let quotes = 0;
  let knownQuotes = 0;
  const seen = new Set<string>();
  for (const text of summary.texts) {
    for (const { quote } of findQuotes(text)) {
      if (seen.has(quote)) continue;
      seen.add(quote);
      quotes++;
      if (source.texts.some((whole) => whole.includes(quote))) knownQuotes++;
      else if (quotes - knownQuotes <= MOST_LISTED) faults.push({ kind: 'unknown_quote', text: quote });
    }
  }
  const passes = faults.length === 0;

  const known = yield* sourceTerms(source.texts);
  const named = new Set<string>();
  for (const text of summary.texts) {
    forEachTerm(text, 0, text.length, (kind, start, end) => {
      if (kind === 'identifier' || kind === 'number' || kind === 'url') named.add(text.slice(start, end));
    });
  }
  let knownIdentifiers = 0;
  let listed = 0;
  for (const name of named) {
    if (known.has(name) || source.texts.some((whole) => whole.includes(name))) knownIdentifiers++;
    else if (listed++ < MOST_LISTED) faults.push({ kind: 'unknown_identifier', text: name });
  }
  const total = named.size + quotes;
  const score = passes ? (total === 0 ? 1 : (knownIdentifiers + knownQuotes) / total) : 0;
  return {
    score,
    identifiers: { known: knownIdentifiers, total: named.size },
    quotes: { known: knownQuotes, total: quotes },
    faults,
    passes,
  };
}

/** A step of reading takes about so many UTF-16 units. */
const STEP_CHARS = 10_000;

/** The identifiers, numbers and URLs of a source, but for those that a step's end cuts. Linear. */
function* sourceTerms(texts: readonly string[]): Steps<Set<string>> {
  const terms = new Set<string>();
  let read = 0;
  for (const text of texts) {
    for (let from = 0; from < text.length; from += STEP_CHARS) {
      const to = Math.min(text.length, from + STEP_CHARS);
      forEachTerm(text, from, to, (kind, start, end) => {
        if (kind === 'identifier' || kind === 'number' || kind === 'url') terms.add(text.slice(start, end));
      });
      read += to - from;
      if (read < STEP_CHARS) continue;
      read = 0;
      yield;
    }
  }
  return terms;
}
