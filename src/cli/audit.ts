import { checkStatements, type CheckedStatement } from '../core/audit/statements.ts';
import { sourceMessages } from './source-messages.ts';
import { readTranscriptFile, textOf } from './transcript-file.ts';
import { requiredOption, type Verb } from './verb.ts';

export const verb: Verb = {
  help: `Usage: threadkeeper audit FILE --summary SUMMARY [--json]

Checks whether what a summary says stands in the transcript: its numbers, names, paths,
negations, speakers and quotations, statement by statement. It may be worded freely.

  --summary SUMMARY   a text file
  --json              {"statements":[{"text","start","end","supported",
                      "sources":[{"message","start","end"}],"reason"}]}
                      a statement's offsets are into the summary, a source's into its
                      message's text; all are UTF-16 units
`,
  options: { summary: { type: 'string' } },
  async run({ file, options, json, output }) {
    const summaryFile = requiredOption(options, 'summary');
    const { transcript } = await readTranscriptFile(file);
    let summary = '';
    for await (const chunk of textOf(summaryFile)) summary += chunk;
    const { statements } = checkStatements(summary, sourceMessages(transcript));
    if (json) {
      const shown = statements.map(({ text, start, end, supported, sources, reason }) => {
        const places = sources.map((source) => ({ message: source.message, start: source.start, end: source.end }));
        return { text, start, end, supported, sources: places, reason };
      });
      await output.json({ statements: shown });
      return 0;
    }
    const unsupported = statements.filter(({ supported }) => !supported).length;
    await output.write(statements.map(lineOf).join(''));
    await output.write(`statements: ${statements.length}, not supported: ${unsupported}\n`);
    return 0;
  },
};

function lineOf({ text, supported, sources, reason }: CheckedStatement): string {
  const where = sources.map(({ message }) => message).join(', ');
  const found = where === '' ? '' : ` (message ${where})`;
  return `${supported ? '+' : '-'} ${text.replace(/\s+/g, ' ').trim()} [${reason}]${found}\n`;
}
