import { messageText, type Message } from '../model/message.ts';
import type { StatementFinding, StatementSource } from '../model/statement-check.ts';
import type { Span } from '../model/key-event.ts';
import { runSynchronously, type Steps } from '../pace/steps.ts';
import { sentencesOf } from '../text/sentences.ts';
import { speakerBefore, speakerLabelAt } from '../text/speakers.ts';
import { blankTerminalCodes } from '../text/terminal-codes.ts';
import { findQuotes, isQuotation } from './quotes.ts';
import { SourceTerms } from './source-terms.ts';

/** List markers, numbers, and check boxes before a statement. */
const MARKERS = /^[\s>*#+-]*(?:\d+[.)]\s+)?(?:\[[ x~-]\]\s+)?/;
/** In UTF-16 units. Lines up to this length are one statement. */
const SHORT_LINE = 24;

/** The sentences and list entries of a text, without markers. Includes headings that aren't full sentences. */
export function* statementsOf(text: string): Generator<Span> {
  for (const { 0: line, index } of text.matchAll(/[^\n]+/g)) {
    const start = index + MARKERS.exec(line)![0].length;
    const end = index + line.trimEnd().length;
    const isShort = end - start <= SHORT_LINE;
    for (const span of isShort ? [{ start, end }] : sentencesOf(text, start, end))
      if (/[\p{L}\p{N}]/u.test(text.slice(span.start, span.end))) yield span;
  }
}

export interface CheckedStatement extends StatementFinding {
  readonly text: string;
}

type Texts = readonly Pick<Message, 'content'>[];

/**
 * Checks each statement without a model: whether the messages contain it verbatim, or lack one of its numbers, names,
 * paths, identifiers, URLs, or quotations. All other statements are unchecked.
 */
export const checkStatements = (summary: string, messages: Texts): readonly CheckedStatement[] =>
  runSynchronously(checkStatementsSteps(summary, messages));

export function* checkStatementsSteps(summary: string, messages: Texts): Steps<readonly CheckedStatement[]> {
  const texts = messages.map((message) => blankTerminalCodes(messageText(message)));
  const terms = new SourceTerms(texts, summary);
  const statements: CheckedStatement[] = [];
  for (const { start, end } of statementsOf(summary)) {
    const text = summary.slice(start, end);
    const quotes = findQuotes(text).map(({ quote }) => ({ quote, source: placeOf(quote, texts) }));
    const found = yield* terms.checkTerms(summary, start, end);
    const missing = [
      ...quotes.flatMap(({ quote, source }) => (source ? [] : [quote])),
      ...[...found].flatMap(([term, isKnown]) => (isKnown ? [] : [term])),
    ];
    const fullSource = isQuotation(text) ? (sentenceAt(text, texts) ?? speechAt(text, texts)) : undefined;
    const sources = fullSource ? [fullSource] : quotes.flatMap(({ source }) => source ?? []);
    const reason = fullSource ? 'verbatim' : missing.length > 0 ? 'not_in_source' : 'unchecked';
    statements.push({ text, start, end, reason, sources, ...(reason === 'not_in_source' && { missing }) });
    yield;
  }
  return statements;
}

function placeOf(words: string, texts: readonly string[]): StatementSource | undefined {
  const message = texts.findLastIndex((text) => text.includes(words));
  if (message === -1) return undefined;
  const start = texts[message]!.lastIndexOf(words);
  return { message, start, end: start + words.length };
}

/** The source of a statement that begins with a speaker label. In the source, the label may be earlier on the line. */
function speechAt(statement: string, texts: readonly string[]): StatementSource | undefined {
  const speaker = speakerLabelAt(statement, 0);
  const said = statement.slice(speaker.length).trim();
  if (speaker === '' || !isQuotation(said)) return undefined;
  const found = sentenceAt(said, texts);
  return found && speakerBefore(texts[found.message]!, found.start) === speaker ? found : undefined;
}

/** The last occurrence of a statement, if it's a whole sentence. Within another, it might mean the opposite. */
function sentenceAt(statement: string, texts: readonly string[]): StatementSource | undefined {
  const found = placeOf(statement, texts);
  if (found === undefined) return undefined;
  const text = texts[found.message]!;
  const isWhole =
    /(?:^|[\n.!?。！？:"“„«「*>|-]\s*)$/.test(text.slice(Math.max(0, found.start - 3), found.start)) &&
    (/[.!?。！？]$/.test(statement) || /^\s*(?:$|[\n.!?。！？"”»」|])/.test(text.slice(found.end, found.end + 3)));
  return isWhole ? found : undefined;
}
