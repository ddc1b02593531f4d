import { promptTokens } from '../compress/fitting.ts';
import { mapLimited } from '../compress/map-limited.ts';
import type { CancellableYielder } from '../pace/cancellable-yielder.ts';
import type { CallLog, SummaryModel } from '../compress/summary-model.ts';
import { messageText, type Message } from '../model/message.ts';
import type { StatementSource } from '../model/statement-check.ts';
import { yieldIfDue } from '../pace/yielder.ts';
import { runYielding } from '../pace/steps.ts';
import { renderCheckPrompt } from '../prompts/render-prompts.ts';
import type { TokenCounter } from '../tokens/token-counter.ts';
import { blankTerminalCodes } from '../text/terminal-codes.ts';
import { wordsPattern } from '../text/words-pattern.ts';
import { SourceExcerpts } from './source-excerpts.ts';
import { findQuotes } from './quotes.ts';
import { checkStatementsSteps, type CheckedStatement } from './statements.ts';
import { parseVerdicts, VERDICTS_JSON_SCHEMA, type ModelVerdict } from './verdicts.ts';

/** Maximum number of statements per request; fewer for models with a small context window. */
const MAX_STATEMENTS = 24;
/** Maximum tokens of messages per request: usually a whole segment. */
const MAX_EXCERPT_TOKENS = 8_000;
/** Tokens reserved for the response: for each statement, and for the JSON around them. */
const RESPONSE_TOKENS = { each: 160, frame: 200 } as const;
/** Minimum tokens of a request: the instructions with a minimal excerpt, and each statement with its verdict. */
const MIN_REQUEST_TOKENS = { frame: 2_000, each: 240 } as const;
/** Minimum tokens of an excerpt that is useful. */
const MIN_EXCERPT_TOKENS = 200;
/** Reserved because the provider may count more tokens. */
const SPARE_TOKENS = 8;

export interface ModelCheckTools {
  readonly model: SummaryModel;
  readonly counter: TokenCounter;
  readonly pace: CancellableYielder;
  readonly calls: CallLog;
}

export interface ModelCheckResult {
  readonly statements: readonly CheckedStatement[];
  /** The error of the first request that failed. Its statements keep the result of the check without a model. */
  readonly fault?: Error;
}

/**
 * Asks a model whether the messages support the statements of a summary. The model gets passages about each statement
 * and returns a verdict with a quote, which must be in these passages. The result of `checkStatements` is kept if:
 *
 * - there is no verdict, or no passage could be sent;
 * - the summary quotes something that the messages don't contain;
 * - the model supports a statement without a valid quote, although the messages lack one of its terms.
 *
 * @throws the model's error if there was no response at all; `Cancelled` after a cancellation
 */
export async function checkStatementsWithModel(
  summary: string,
  messages: readonly Pick<Message, 'role' | 'content'>[],
  tools: ModelCheckTools,
): Promise<ModelCheckResult> {
  const { model, counter, pace } = tools;
  pace.throwIfCancelled();
  const checked = await runYielding(checkStatementsSteps(summary, messages), pace);
  const excerpts = new SourceExcerpts(messages, counter, pace);
  const faults: Error[] = [];
  const affordable = Math.floor((model.maxInputTokens - MIN_REQUEST_TOKENS.frame) / MIN_REQUEST_TOKENS.each);
  const perRequest = Math.max(1, Math.min(MAX_STATEMENTS, affordable));
  const groups = Array.from({ length: Math.ceil(checked.length / perRequest) }, (_, at) =>
    checked.slice(at * perRequest, (at + 1) * perRequest),
  );
  const answered = await mapLimited(groups, model.maxConcurrency, async (group) => {
    try {
      return await checkGroup(group, messages, excerpts, tools);
    } catch (error) {
      pace.throwIfCancelled();
      faults.push(error instanceof Error ? error : new Error(String(error)));
      return group.map(byCode);
    }
  });
  const [fault] = faults;
  if (fault && faults.length === groups.length) throw fault;
  return { statements: answered.flat(), ...(fault && { fault }) };
}

const byCode = (statement: CheckedStatement): CheckedStatement => ({ ...statement, isByCode: true });

async function checkGroup(
  statements: readonly CheckedStatement[],
  messages: readonly Pick<Message, 'content'>[],
  excerpts: SourceExcerpts,
  { model, counter, calls, pace }: ModelCheckTools,
): Promise<CheckedStatement[]> {
  const texts = statements.map(({ text }) => text);
  const maxTokens = RESPONSE_TOKENS.frame + RESPONSE_TOKENS.each * texts.length;
  const frameTokens = promptTokens(renderCheckPrompt('', texts), counter);
  const room = model.maxInputTokens - frameTokens - maxTokens - SPARE_TOKENS;
  if (room < MIN_EXCERPT_TOKENS) return statements.map(byCode);
  const excerpt = await excerpts.of(texts, Math.min(room, MAX_EXCERPT_TOKENS));
  const request = renderCheckPrompt(excerpt.text, texts);
  pace.throwIfCancelled();
  const response = await model.complete({ ...request, maxTokens, temperature: 0, jsonSchema: VERDICTS_JSON_SCHEMA });
  const { input, output } = response.usage ?? {
    input: promptTokens(request, counter),
    output: counter.text(response.text),
  };
  calls.add(input, output, response.calls);
  pace.throwIfCancelled();
  const verdicts = parseVerdicts(response.text);
  // The model only quotes from the excerpt, and searching all messages would take long.
  const shown = excerpt.messages.map((at) => blankTerminalCodes(messageText(messages[at]!)));
  const results: CheckedStatement[] = [];
  for (const [at, statement] of statements.entries()) {
    await yieldIfDue(pace);
    const given = excerpt.unshown.has(at) ? undefined : verdicts.get(at);
    const found = given && placeOf(given.quote, shown, excerpt.messages);
    results.push(given ? withVerdict(statement, given, found) : byCode(statement));
  }
  return results;
}

/** Shorter quotes occur by chance and prove nothing. */
const MIN_QUOTE_CHARS = 8;

const isQuote = (quote: string): boolean => quote.replace(/\s+/g, '').length >= MIN_QUOTE_CHARS;

/** The first position of a quotation in the last of the shown messages that contains it. */
function placeOf(quote: string, texts: readonly string[], shown: readonly number[]): StatementSource | undefined {
  if (!isQuote(quote)) return undefined;
  const pattern = new RegExp(wordsPattern(quote));
  const at = texts.findLastIndex((text) => pattern.test(text));
  const match = pattern.exec(texts[at] ?? '');
  return match ? { message: shown[at]!, start: match.index, end: match.index + match[0].length } : undefined;
}

function withVerdict(
  statement: CheckedStatement,
  { verdict, quote, instead }: ModelVerdict,
  found: StatementSource | undefined,
): CheckedStatement {
  const { missing = [], ...rest } = statement;
  if (findQuotes(statement.text).some((one) => missing.includes(one.quote))) return statement;
  const isInvented = isQuote(quote) && !found;
  const isDoubtful = isInvented ? rest.reason !== 'verbatim' : missing.length > 0 && !found;
  if (verdict === 'told' && isDoubtful) return byCode(statement);
  return {
    ...rest,
    sources: found ? [found] : statement.sources,
    reason: verdict === 'told' ? 'supported' : verdict === 'untold' ? 'no_source' : 'told_otherwise',
    ...(verdict === 'otherwise' && instead !== '' && { instead }),
  };
}
