import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { WireServer } from '../../support/wire-server.ts';
import { runCli, runJson } from './run-cli.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { DEMO_SESSION, jsonLines } from '../../support/test-data.ts';

const demo = jsonLines<{ readonly content: string }>(DEMO_SESSION);

interface StatementOutput {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly supported: boolean | null;
  readonly reason: string;
  readonly sources: readonly { readonly message: number; readonly start: number; readonly end: number }[];
  readonly instead?: string;
}

describe('audit command', () => {
  let folder = '';
  const file = (text: string): string => {
    const full = path.join(folder, 'summary.txt');
    writeFileSync(full, text);
    return full;
  };

  folderForAllTests((made) => (folder = made));

  const audit = async (summary: string, ...args: readonly string[]) =>
    (await runJson('audit', DEMO_SESSION, '--summary', summary, ...args)) as {
      statements: readonly StatementOutput[];
      calls: object;
    };

  it('reports terms that the transcript lacks, and the position of each statement', async () => {
    const text = 'The service listens on port 4600. The service listens on port 7777.\n';
    const summary = file(text);
    const { statements } = await audit(summary);
    assert.equal(statements.length, 2);
    for (const one of statements) assert.equal(text.slice(one.start, one.end), one.text);
    const verdicts = statements.map(({ supported, reason, sources }) => [supported, reason, sources]);
    assert.deepEqual(verdicts, [
      [null, 'undecided: no missing terms found', []],
      [false, 'not in the source: 7777', []],
    ]);
    const { out } = await runCli(['audit', DEMO_SESSION, '--summary', summary]);
    assert.match(out, /^\? The service listens on port 4600\. \[undecided: no missing terms found\]$/m);
    assert.match(out, /^statements: 2, supported: 0, not supported: 1, undecided: 1$/m);
  });

  it('supports a verbatim sentence, with its position, and leaves an invented one undecided', async () => {
    const sentence = /^[A-Z][^.!?\n]{30,}\.$/m.exec(demo.map(({ content }) => content).join('\n'))![0];
    const summary = file(`${sentence}\nThe whole team went to the beach that afternoon.\n`);
    const { statements } = await audit(summary);
    const verdicts = statements.map(({ supported, reason }) => [supported, reason]);
    assert.deepEqual(verdicts, [
      [true, 'verbatim in the source'],
      [null, 'undecided: no missing terms found'],
    ]);
    const [source] = statements[0]!.sources;
    assert.equal(demo[source!.message]?.content.slice(source!.start, source!.end), sentence);
  });

  it('reports a model’s verdicts and their cost', async () => {
    await using wire = await WireServer.start();
    wire.answer({
      text: JSON.stringify({
        statements: [
          { n: 1, verdict: 'told', quote: 'lock map in memory' },
          { n: 2, verdict: 'otherwise', quote: '', instead: 'port 4600' },
        ],
      }),
      usage: { prompt_tokens: 900, completion_tokens: 40 },
    });
    const summary = file('A lock map is used. The service listens on port 7777.\n');
    const model = ['--provider', 'openai', '--base-url', `${wire.url}/v1`];
    const { statements, calls } = await audit(summary, ...model);
    const [told, otherwise] = statements;
    assert.deepEqual([told?.supported, told?.reason], [true, 'according to the model, supported by the source']);
    const [source] = told?.sources ?? [];
    assert.equal(demo[source!.message]?.content.slice(source!.start, source!.end), 'lock map in memory');
    assert.deepEqual(
      [otherwise?.reason, otherwise?.instead],
      ['according to the model, the source says something different', 'port 4600'],
    );
    assert.deepEqual(calls, { count: 1, inputTokens: 900, outputTokens: 40, costUsd: 0.00011 });
    const { out } = await runCli(['audit', DEMO_SESSION, '--summary', summary, ...model]);
    assert.match(
      out,
      /^- The service listens on port 7777\. \[according to the model, the source says something different: port 4600\]$/m,
    );
    assert.match(out, /statements: 2, supported: 1, not supported: 1, undecided: 0/);
  });

  it('keeps the model’s verdicts if one of two requests is refused, and says so', async () => {
    await using wire = await WireServer.start();
    wire.answer(JSON.stringify({ statements: [{ n: 1, verdict: 'untold' }] }));
    wire.refuseNext(401, { type: 'authentication_error' });
    const lines = Array.from({ length: 30 }, (_, at) => `Part ${at} of the listing is called part_${at}.`);
    const { code, out, err } = await runCli([
      ...['audit', DEMO_SESSION, '--summary', file(lines.join('\n')), '--json'],
      ...['--provider', 'openai', '--base-url', `${wire.url}/v1`],
    ]);
    const { statements } = JSON.parse(out) as { statements: readonly (StatementOutput & { readonly byCode?: true })[] };
    assert.deepEqual([code, statements.length, statements.filter(({ byCode }) => byCode).length], [0, 30, 29]);
    assert.match(err, /^threadkeeper: .+ The remaining statements were checked without a model\.$/m);
  });
});
