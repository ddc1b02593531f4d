import type { Message } from '../model/message.ts';
import type { StatementFinding, StatementReason } from '../model/statement.ts';
import { atOnce, type Steps } from '../pace/steps.ts';
import { anchorHolds, exchangesPlaces, opensWithStranger } from './anchors.ts';
import { denies } from './denials.ts';
import { Nearness } from './nearness.ts';
import { PassageIndex } from './passage-index.ts';
import { affirmationMissing, denialMissing, isOpposed } from './polarity.ts';
import { Quantities } from './quantities.ts';
import { findQuotes } from './quotes.ts';
import { statementsOf } from './sentences.ts';
import { speakerDiffers, withoutSpeaker } from './speakers.ts';
import { termsOf } from './statement-terms.ts';
import { exchangesWord } from './substitution.ts';

/** A statement of a summary, with where it is said. */
export interface CheckedStatement extends StatementFinding {
  readonly text: string;
  readonly supported: boolean;
}

/** Share of a statement's terms (by weight) that its closest passage must hold. */
const SUPPORTED_SHARE = 0.22;
/** From here on a statement is told so closely that one word may be seen to stand in another's place. */
const CLOSE_SHARE = 0.75;

/**
 * Whether the statements of a summary stand in the messages. A statement may be worded freely: its anchors (numbers,
 * names, paths, identifiers, days) decide. Each must stand in the messages, and near what the statement else speaks
 * of. Beyond that a statement is marked where what stands nearest to it tells otherwise: with a denial more or less,
 * with an opposite, with another speaker, with two names in one another's place, with one word exchanged, with another
 * quotation. A lexical check, in any language: it cannot see that a common word was put for another where all else is
 * said differently. Linear in the messages; a statement costs what its rarer terms cost.
 */
export const checkStatements = (summary: string, messages: SpokenMessages): CheckedStatements =>
  atOnce(checkStatementsSteps(summary, messages));

type SpokenMessages = readonly Pick<Message, 'role' | 'content'>[];
interface CheckedStatements {
  readonly statements: readonly CheckedStatement[];
}

/** The same in steps: some thousand characters of the messages, or a part of what is asked of a statement. */
export function* checkStatementsSteps(summary: string, messages: SpokenMessages): Steps<CheckedStatements> {
  const index = new PassageIndex(messages);
  yield* index.readSteps();
  const statements: CheckedStatement[] = [];
  for (const { start, end } of statementsOf(summary)) {
    statements.push(yield* checkStatement(summary.slice(start, end), start, index));
    yield;
  }
  return { statements };
}

/** One statement, held against messages that were read. */
export function* checkStatement(text: string, start: number, index: PassageIndex): Steps<CheckedStatement> {
  const terms = termsOf(text);
  for (const term of terms) if (term.kind !== 'word' && term.kind !== 'number') index.find(term);
  const ranked = index.passages(terms);
  const { passages, near } = index.sources(ranked);
  const sources = passages.map(({ at }) => index.sentences[at]!);
  const judged = (reason: StatementReason): CheckedStatement => ({
    text,
    start,
    end: start + text.length,
    supported: reason === 'supported',
    sources: sources.map(({ message, start: from, end }) => ({ message, start: from, end })),
    reason,
  });
  if (terms.length === 0) return judged('supported');
  for (const { quote } of findQuotes(text)) if (!index.holds(quote)) return judged('unknown_quote');
  if (sources.length === 0) return judged('no_source');
  const [amounts, theirs] = [new Quantities(text), new Quantities(near)];
  if (amounts.differsFrom(theirs)) return judged('number_differs');
  const known = amounts.heldBy(theirs);
  yield;
  const nearness = new Nearness(text, terms, index);
  for (const term of terms) {
    yield;
    if (
      term.kind === 'word' ||
      known.has(term.text) ||
      index.speakers.names(term.start, text) ||
      anchorHolds(term, terms, nearness, index)
    )
      continue;
    return judged(term.kind === 'number' ? 'number_differs' : 'name_differs');
  }
  yield;
  if (exchangesPlaces(text, terms, nearness)) return judged('name_differs');
  const share = ranked[0]!.held / terms.reduce((sum, term) => sum + index.weight(term), 0);
  if (share < SUPPORTED_SHARE) return judged('no_source');
  if (opensWithStranger(text, terms, nearness, index)) return judged('name_differs');
  if (share >= CLOSE_SHARE && exchangesWord(withoutSpeaker(text), near)) return judged('name_differs');
  yield;
  if (
    terms.some((term) => term.kind === 'word' && isOpposed(term, nearness)) ||
    denialMissing(text, nearness) ||
    (!denies(text) && affirmationMissing(text, terms, index))
  )
    return judged('negation_differs');
  yield;
  return judged(speakerDiffers(text, nearness, index) ? 'speaker_differs' : 'supported');
}
