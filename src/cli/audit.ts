import type { ModelCheckResult } from '../core/audit/model-check.ts';
import { checkStatements, type CheckedStatement } from '../core/audit/statements.ts';
import { supportOf, type StatementReason } from '../core/model/statement-check.ts';
import type { SourceMessage } from '../core/compress/source-message.ts';
import { CancellableYielder } from '../core/pace/cancellable-yielder.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { loadEncoding } from '../core/tokens/token-counter.ts';
import { modelFromOptions, MODEL_HELP, MODEL_OPTIONS, type ModelFromOptions } from './model-options.ts';
import { readText, readTranscriptFile, sourceMessages } from './transcript-file.ts';
import { errorLine } from './output.ts';
import { requiredOption, UsageError, type Command } from './command.ts';

export const command: Command = {
  help: `Usage: threadkeeper audit FILE --summary SUMMARY [options]

Checks every statement of a summary against the transcript. The default check is offline:
it finds numbers, names, paths, identifiers, URLs, and quotations that the transcript
doesn't contain, recognizes verbatim sentences, and leaves all other statements undecided.
With --provider, a model checks each statement.

  --summary SUMMARY   a text file
${MODEL_HELP}
  --json              {"statements":[{"text","start","end","supported",
                      "sources":[{"message","start","end"}],"reason"}]}
                      "supported" is true, false, or null if undecided. "start" and
                      "end" are UTF-16 offsets into the summary for statements, and into
                      the message text for sources. With a model, also includes
                      "instead" (what the transcript says according to the model; not
                      looked up), "byCode" (the model returned no verdict), and
                      "calls":{"count","inputTokens","outputTokens","costUsd"};
                      "costUsd" is null if the model's price is unknown
`,
  options: { ...MODEL_OPTIONS, summary: { type: 'string' } },
  async run(invocation) {
    const { file, options, output, paid } = invocation;
    const summaryFile = requiredOption(options, 'summary');
    if (file === '-' && summaryFile === '-')
      throw new UsageError('FILE and --summary can’t both be standard input (-).');
    const selected = await modelFromOptions(invocation);
    const transcript = await readTranscriptFile(file, output);
    let summary = '';
    for await (const chunk of readText(summaryFile)) summary += chunk;
    const calls = new CallLog();
    const { statements, fault } = await check(summary, sourceMessages(transcript), selected, calls);
    if (fault !== undefined)
      await output.note(`threadkeeper: ${errorLine(fault)} The remaining statements were checked without a model.`);
    const { count: requests, inputTokens, outputTokens } = calls;
    const count = (support: boolean | null): number =>
      statements.filter(({ reason }) => supportOf(reason) === support).length;
    const total = `statements: ${statements.length}, supported: ${count(true)}, not supported: ${count(false)}, undecided: ${count(null)}\n`;
    return {
      json: {
        statements: statements.map(statementJson),
        ...(selected.model && { calls: { count: requests, inputTokens, outputTokens, costUsd: paid.costUsd } }),
      },
      text: statements.map(statementLine).join('') + total,
    };
  },
};

async function check(
  summary: string,
  messages: readonly SourceMessage[],
  { model, encoding }: ModelFromOptions,
  calls: CallLog,
): Promise<ModelCheckResult> {
  if (!model) return { statements: checkStatements(summary, messages) };
  const { checkStatementsWithModel } = await import('../core/audit/model-check.ts');
  const counter = await loadEncoding(encoding);
  return checkStatementsWithModel(summary, messages, { model, counter, pace: new CancellableYielder(), calls });
}

function statementJson(statement: CheckedStatement): object {
  const { text, start, end, sources, reason, instead, isByCode } = statement;
  return {
    text,
    start,
    end,
    supported: supportOf(reason),
    sources,
    reason: reasonText(statement),
    ...(instead !== undefined && { instead }),
    ...(isByCode && { byCode: true }),
  };
}

const REASON_TEXTS: Readonly<Record<StatementReason, string>> = {
  verbatim: 'verbatim in the source',
  not_in_source: 'not in the source',
  unchecked: 'undecided: no missing terms found',
  supported: 'according to the model, supported by the source',
  no_source: 'according to the model, not mentioned in the source',
  told_otherwise: 'according to the model, the source says something different',
};

const reasonText = ({ reason, missing = [] }: CheckedStatement): string =>
  reason === 'not_in_source' ? `${REASON_TEXTS[reason]}: ${missing.join(', ')}` : REASON_TEXTS[reason];

function statementLine(statement: CheckedStatement): string {
  const { text, sources, reason, instead, isByCode } = statement;
  const indexes = sources.map(({ message }) => message).join(', ');
  const where = indexes === '' ? '' : ` (message ${indexes})`;
  const otherwise = instead === undefined ? '' : `: ${instead.replace(/\s+/g, ' ')}`;
  const noVerdict = isByCode ? '; no verdict from the model' : '';
  const support = supportOf(reason);
  const mark = support === null ? '?' : support ? '+' : '-';
  return `${mark} ${text.replace(/\s+/g, ' ').trim()} [${reasonText(statement)}${otherwise}${noVerdict}]${where}\n`;
}
