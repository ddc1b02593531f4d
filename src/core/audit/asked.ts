import { mapLimited } from '../compress/map-limited.ts';
import { throwIfCancelled, type Cancel } from '../compress/source.ts';
import type { CallLog, SummaryModel } from '../compress/summary-model.ts';
import { messageText, type Message } from '../model/message.ts';
import type { Breather } from '../pace/breather.ts';
import { resting } from '../pace/steps.ts';
import { renderCheckPrompt, type RenderedPrompt } from '../prompts/render.ts';
import { MESSAGE_FRAMING_TOKENS, type TokenCounter } from '../tokens/token-counter.ts';
import { WordFinder } from '../text/word-finder.ts';
import { excerptSteps } from './excerpt.ts';
import { PassageIndex } from './passage-index.ts';
import { termsOf } from './statement-terms.ts';
import { checkStatement, type CheckedStatement } from './statements.ts';
import { statementsOf } from './sentences.ts';
import { readVerdicts, VERDICTS_JSON_SCHEMA, type GivenVerdict } from './verdicts.ts';

/** Statements that one request asks about at most; a model of a small window is asked about fewer. */
const MOST_ASKED = 24;
/** Of the messages a request shows at most so many tokens: a whole segment, as a rule. */
const RECORD_TOKENS = 8_000;
/** Room for the answer: so many tokens for each statement, and for the frame around them. */
const ANSWER_TOKENS = { each: 120, frame: 200 } as const;
/** What instructions and a record that still tells something take, and each statement with its answer, in tokens. */
const SMALL_WINDOW = { frame: 2_000, each: 200 } as const;
/** Less of a record tells nothing. */
const LEAST_RECORD_TOKENS = 200;
/** What a provider may count otherwise. */
const SPARE_TOKENS = 8;

export interface AskTools {
  readonly model: SummaryModel;
  readonly counter: TokenCounter;
  readonly breather: Breather;
  readonly calls: CallLog;
  readonly cancel: Cancel;
}

export interface AskedStatement extends CheckedStatement {
  /** False where the model gave no verdict that could be read: the one by code stands. */
  readonly isAnswered: boolean;
}

/**
 * Whether the statements of a summary stand in the messages, as a model reads them. It is shown the passages that speak
 * of them and gives a verdict with the words that decide it; the words are looked up. Where it gives none, and where a
 * quotation stands nowhere, what was found by code stands.
 *
 * @throws whatever the model throws; `Cancelled` after a cancellation
 */
export async function askAboutStatements(
  summary: string,
  messages: readonly Pick<Message, 'role' | 'content'>[],
  tools: AskTools,
): Promise<readonly AskedStatement[]> {
  const { model, breather, cancel } = tools;
  const index = new PassageIndex(messages);
  await resting(index.readSteps(), breather);
  const checked: CheckedStatement[] = [];
  for (const { start, end } of statementsOf(summary)) {
    throwIfCancelled(cancel);
    checked.push(await resting(checkStatement(summary.slice(start, end), start, index), breather));
  }
  const finder = new WordFinder(messages.map(messageText));
  const groups = groupsOf(checked, askedAtOnce(model.maxInputTokens));
  const answered = await mapLimited(groups, model.atOnce, async (group) => {
    const verdicts = await ask(group, index, tools);
    return group.map((statement, at) => judged(statement, verdicts.get(at), finder));
  });
  return answered.flat();
}

const askedAtOnce = (maxInputTokens: number): number =>
  Math.max(1, Math.min(MOST_ASKED, Math.floor((maxInputTokens - SMALL_WINDOW.frame) / SMALL_WINDOW.each)));

function groupsOf<T>(all: readonly T[], most: number): (readonly T[])[] {
  const groups: (readonly T[])[] = [];
  for (let from = 0; from < all.length; from += most) groups.push(all.slice(from, from + most));
  return groups;
}

/** The verdicts by the statement's place; none where the model's window has no room for the question. */
async function ask(
  statements: readonly CheckedStatement[],
  index: PassageIndex,
  { model, counter, breather, calls, cancel }: AskTools,
): Promise<ReadonlyMap<number, GivenVerdict>> {
  const texts = statements.map(({ text }) => text);
  const maxTokens = ANSWER_TOKENS.frame + ANSWER_TOKENS.each * texts.length;
  const tokensOf = ({ system, prompt }: RenderedPrompt): number =>
    counter.text(system) + counter.text(prompt) + 2 * MESSAGE_FRAMING_TOKENS;
  const room = model.maxInputTokens - tokensOf(renderCheckPrompt('', texts)) - maxTokens - SPARE_TOKENS;
  if (room < LEAST_RECORD_TOKENS) return new Map();
  const record = await resting(
    excerptSteps(index, texts.map(termsOf), Math.min(room, RECORD_TOKENS), counter),
    breather,
  );
  const request = renderCheckPrompt(record, texts);
  throwIfCancelled(cancel);
  const { text, usage } = await model.complete(
    { ...request, maxTokens, temperature: 0, jsonSchema: VERDICTS_JSON_SCHEMA },
    cancel,
  );
  calls.add(usage?.input ?? tokensOf(request), usage?.output ?? counter.text(text));
  throwIfCancelled(cancel);
  return readVerdicts(text, texts.length);
}

function judged(statement: CheckedStatement, given: GivenVerdict | undefined, finder: WordFinder): AskedStatement {
  if (given === undefined) return { ...statement, isAnswered: false };
  const { verdict, quote, instead } = given;
  const found = finder.find(quote);
  const sources = found ? [{ message: found.text, start: found.start, end: found.end }] : statement.sources;
  if (statement.reason === 'unknown_quote') return { ...statement, sources, isAnswered: true };
  return {
    ...statement,
    sources,
    isAnswered: true,
    supported: verdict === 'told',
    reason: verdict === 'told' ? 'supported' : verdict === 'untold' ? 'no_source' : 'told_otherwise',
    ...(verdict === 'otherwise' && instead !== '' && { instead }),
  };
}
