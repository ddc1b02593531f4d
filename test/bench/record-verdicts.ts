/**
 * Asks a model about the summaries of real transcripts that hold planted falsehoods, by the product's own prompt, and
 * writes its verdicts to `test/fixtures/statements-asked.json`, where tests and benchmark take them from:
 * `npm run bench:record -- openai|anthropic MODEL [BASE_URL]`, the key from the environment as for the command line.
 */
import { writeFileSync } from 'node:fs';
import { chosenModel } from '../../src/cli/chosen-model.ts';
import { readVerdicts } from '../../src/core/audit/verdicts.ts';
import type { SummaryModel } from '../../src/core/compress/summary-model.ts';
import { LETTERS, promptKey, RECORDING, scoreAsked } from '../support/asked-statements.ts';

const [provider, name, baseUrl] = process.argv.slice(2);
if (provider === undefined || name === undefined) {
  console.error('Usage: npm run bench:record -- openai|anthropic MODEL [BASE_URL]');
  process.exit(2);
}
const options = { provider, model: name, ...(baseUrl !== undefined && { 'base-url': baseUrl }) };
const chosen = await chosenModel({ options, env: process.env });
const { model } = chosen;
if (!model) throw new Error('The verdicts of no model cannot be recorded.');

const verdicts: Record<string, string> = {};
const letterOf = (verdict: string | undefined): string =>
  Object.entries(LETTERS).find(([, name]) => name === verdict)?.[0] ?? '-';
const recorded: SummaryModel = {
  ...model,
  async complete(request, cancel) {
    const reply = await model.complete(request, cancel);
    const given = readVerdicts(reply.text);
    const count = Math.max(-1, ...given.keys()) + 1;
    verdicts[promptKey(request.prompt)] = Array.from({ length: count }, (_, at) =>
      letterOf(given.get(at)?.verdict),
    ).join('');
    return reply;
  },
};

for (const set of ['known', 'held'] as const) {
  const figures = await scoreAsked(set, recorded);
  if (!figures) throw new Error('There are no transcripts in THREADKEEPER_DATA.');
  const { falsehoods, truths, marked, wronglyMarked } = figures;
  console.log(
    `${set}: ${(marked * 100).toFixed(1)} % of ${falsehoods} falsehoods and ${(wronglyMarked * 100).toFixed(1)} % of ${truths} true statements marked`,
  );
}
const sorted = Object.fromEntries(Object.entries(verdicts).sort(([one], [other]) => (one < other ? -1 : 1)));
writeFileSync(RECORDING, `${JSON.stringify({ model: name, verdicts: sorted }, undefined, 2)}\n`);
console.log(`${Object.keys(sorted).length} answers, ${chosen.costUsd()?.toFixed(4) ?? 'price not known,'} $`);
