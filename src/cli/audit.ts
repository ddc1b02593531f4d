import type { Asked, AskTools } from '../core/audit/asked.ts';
import { checkStatements, type CheckedStatement } from '../core/audit/statements.ts';
import { supportOf } from '../core/model/statement.ts';
import { CallLog } from '../core/compress/summary-model.ts';
import { ALONE } from '../core/pace/breather.ts';
import { encodingFor } from '../core/tokens/models.ts';
import { loadEncoding, type EncodingName } from '../core/tokens/token-counter.ts';
import { chosenModel, MODEL_HELP, MODEL_OPTIONS } from './chosen-model.ts';
import { sourceMessages } from './source-messages.ts';
import { readTranscriptFile, textOf } from './transcript-file.ts';
import { explain } from './explain.ts';
import { requiredOption, type Verb } from './verb.ts';

export const verb: Verb = {
  help: `Usage: threadkeeper audit FILE --summary SUMMARY [options]

Checks a summary against its transcript, statement by statement. Without a model it finds
numbers, names, paths, identifiers, URLs and quotations that the transcript does not
contain, and sentences that are verbatim; of all others it cannot tell. A model is shown
the passages that speak of each statement and gives a verdict on it.

  --summary SUMMARY   a text file
${MODEL_HELP}
  --json              {"statements":[{"text","start","end","supported",
                      "sources":[{"message","start","end"}],"reason"}]}
                      "supported" is true, false, or null where nothing decides.
                      A statement's offsets are into the summary, a source's into its
                      message's text; all are UTF-16 units. With a model also "instead",
                      what the transcript says in place of a wrong detail, "byCode"
                      where the model gave no verdict, and
                      "calls":{"count","inputTokens","outputTokens","costUsd"}
`,
  options: { ...MODEL_OPTIONS, summary: { type: 'string' } },
  async run(invocation) {
    const { file, options, json, output } = invocation;
    const summaryFile = requiredOption(options, 'summary');
    const chosen = await chosenModel(invocation);
    const { transcript } = await readTranscriptFile(file);
    let summary = '';
    for await (const chunk of textOf(summaryFile)) summary += chunk;
    const messages = sourceMessages(transcript);
    const calls = new CallLog();
    const { model, info } = chosen;
    const { statements, fault }: Asked =
      model && info
        ? await asked(summary, messages, { model, encoding: encodingFor(info.id), calls })
        : { statements: checkStatements(summary, messages) };
    if (fault !== undefined) await output.note(`threadkeeper: ${explain(fault)} The rest was checked by code.`);
    if (json) {
      const { count, inputTokens, outputTokens } = calls;
      await output.json({
        statements: statements.map(shownStatement),
        ...(model && { calls: { count, inputTokens, outputTokens, costUsd: chosen.costUsd() } }),
      });
      return 0;
    }
    const count = (support: boolean | null): number =>
      statements.filter(({ reason }) => supportOf(reason) === support).length;
    await output.write(statements.map(lineOf).join(''));
    await output.write(
      `statements: ${statements.length}, supported: ${count(true)}, not supported: ${count(false)}, not decided: ${count(null)}\n`,
    );
    return 0;
  },
};

async function asked(
  summary: string,
  messages: ReturnType<typeof sourceMessages>,
  { model, encoding, calls }: Pick<AskTools, 'model' | 'calls'> & { readonly encoding: EncodingName },
): Promise<Asked> {
  const { askAboutStatements } = await import('../core/audit/asked.ts');
  const counter = await loadEncoding(encoding);
  return askAboutStatements(summary, messages, { model, counter, breather: ALONE, calls, cancel: { aborted: false } });
}

function shownStatement(statement: CheckedStatement): object {
  const { text, start, end, sources, reason, instead, isByCode } = statement;
  const places = sources.map((source) => ({ message: source.message, start: source.start, end: source.end }));
  return {
    text,
    start,
    end,
    supported: supportOf(reason),
    sources: places,
    reason: reasonText(statement),
    ...(instead !== undefined && { instead }),
    ...(isByCode && { byCode: true }),
  };
}

function reasonText({ reason, missing = [] }: CheckedStatement): string {
  switch (reason) {
    case 'verbatim':
      return 'verbatim in the source';
    case 'not_in_source':
      return `not in the source: ${missing.join(', ')}`;
    case 'unchecked':
      return 'code cannot tell';
    case 'supported':
      return 'supported by the source';
    case 'no_source':
      return 'nothing in the source says so';
    case 'told_otherwise':
      return 'the source says otherwise';
  }
}

function lineOf(statement: CheckedStatement): string {
  const { text, sources, reason, instead, isByCode } = statement;
  const where = sources.map(({ message }) => message).join(', ');
  const found = where === '' ? '' : ` (message ${where})`;
  const by = isByCode ? '; the model gave no verdict' : '';
  const other = instead === undefined ? '' : ` instead: ${instead.replace(/\s+/g, ' ')}`;
  const support = supportOf(reason);
  const mark = support === null ? '?' : support ? '+' : '-';
  return `${mark} ${text.replace(/\s+/g, ' ').trim()} [${reasonText(statement)}${by}]${found}${other}\n`;
}
