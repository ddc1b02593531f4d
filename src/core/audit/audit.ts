import type { Audit, AuditFault } from '../model/summary.ts';
import { TermCursor } from '../compress/terms.ts';
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

  const named = new Set<string>();
  for (const text of summary.texts) {
    addNames(text, 0, text.length, named);
  }
  const unknown = yield* notIn(source.texts, named);
  for (const name of unknown.slice(0, MOST_LISTED)) faults.push({ kind: 'unknown_identifier', text: name });
  const knownIdentifiers = named.size - unknown.length;
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

/**
 * Which of these names stand nowhere in the texts. A summary names things in the order of its source, mostly: each is
 * looked for behind the one before it, then from the start. Where that would take longer than reading the source, its
 * own terms are listed. Linear.
 */
function* notIn(texts: readonly string[], names: ReadonlySet<string>): Steps<string[]> {
  const unknown: string[] = [];
  let left = SEARCHED_PER_READ * texts.reduce((sum, text) => sum + text.length, 0);
  let known: ReadonlySet<string> | undefined;
  let inText = 0;
  let from = 0;
  let searched = 0;
  for (const name of names) {
    if (left < 0) known ??= yield* sourceTerms(texts);
    if (known?.has(name) === true) continue;
    let at = -1;
    for (let turn = 0; at === -1 && turn <= texts.length; turn++) {
      const begin = turn === 0 ? from : 0;
      const text = texts[inText] ?? '';
      at = text.indexOf(name, begin);
      searched += (at === -1 ? text.length : at) - begin;
      if (at === -1) inText = (inText + 1) % texts.length;
      else from = at + name.length;
    }
    if (at === -1) unknown.push(name);
    if (searched < STEP_CHARS * SEARCHED_PER_READ) continue;
    left -= searched;
    searched = 0;
    yield;
  }
  return unknown;
}

/** Searching a text is so many times as fast as reading its terms. */
const SEARCHED_PER_READ = 20;

/** The identifiers, numbers and URLs of a source, but for those that a step's end cuts. Linear. */
function* sourceTerms(texts: readonly string[]): Steps<Set<string>> {
  const terms = new Set<string>();
  let read = 0;
  for (const text of texts) {
    for (let from = 0; from < text.length; from += STEP_CHARS) {
      const to = Math.min(text.length, from + STEP_CHARS);
      addNames(text, from, to, terms);
      read += to - from;
      if (read < STEP_CHARS) continue;
      read = 0;
      yield;
    }
  }
  return terms;
}

function addNames(text: string, from: number, to: number, names: Set<string>): void {
  const term = new TermCursor(text, from, to);
  while (term.next())
    if (term.kind === 'identifier' || term.kind === 'number' || term.kind === 'url')
      names.add(text.slice(term.start, term.end));
}
