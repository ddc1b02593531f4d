import assert from 'node:assert/strict';
import { buildCorpus } from '../../../src/core/compress/corpus.ts';
import { buildSummarizerInput, selectResults } from '../../../src/core/compress/summarizer-input.ts';
import type { SourceMessage } from '../../../src/core/compress/source-message.ts';
import type { Role } from '../../../src/core/model/message.ts';
import { CARE_CHAT, counter, pace, transcript } from './summarize-fixtures.ts';

async function inputFor(messages: readonly SourceMessage[], budget: number): Promise<string> {
  const corpus = await buildCorpus(messages, pace);
  return buildSummarizerInput(corpus, { from: 0, to: messages.length - 1 }, budget, counter, pace);
}

/** A made-up word. */
const name = (n: number): string => String.fromCodePoint(97 + (n % 26), 97 + Math.floor(n / 26), 97 + (n % 7));

describe('summarizer input', () => {
  it('spends the budget on messages if there is no tool output', async () => {
    const used = counter.text(await inputFor(CARE_CHAT, 1_500));
    assert.ok(used > 1_500 * 0.85 && used <= 1_500, `${used} tokens`);
  });

  it('includes a client’s continuation summary, but not its analysis if earlier messages are present', async () => {
    const said = 'This session is being continued from a previous conversation.';
    const retold = `${said}\nAnalysis:\nThe debounce was 90ms at first.\nSummary:\nThe debounce was set to 70ms before.`;
    const start = await inputFor(transcript(['user', retold], ['assistant', 'I will go on.']), 200);
    assert.match(start, /90ms at first[^]*set to 70ms before/);
    const midst = await inputFor(
      transcript(['user', 'Make it 70ms.'], ['user', retold], ['assistant', 'Set to 70ms.']),
      200,
    );
    assert.equal(midst, 'user: Make it 70ms.\nuser: The debounce was set to 70ms before.\nassistant: Set to 70ms.');
  });

  it('does not treat a file with line numbers as prose, however the numbers are written', async () => {
    const words = ['heron', 'curlew', 'plover', 'dunlin', 'knot', 'whimbrel'];
    const forms = ['NN→', 'NN | ', 'NN: ', 'LNN ', 'marsh/birds.md:NN:', 'NN\t'];
    for (const form of forms) {
      const echo = words.map(
        (bird, n) => `${form.replace('NN', String(n + 7))}The ${bird} nests beside the old sluice.`,
      );
      const text = await inputFor(
        transcript(
          ['assistant', ['The page says:', ...echo].join('\n')],
          ['assistant', '1: the heron stays.\nThe ferry sails at 12:30.'],
        ),
        900,
      );
      assert.doesNotMatch(text, /sluice/, form);
      assert.match(text, /the heron stays\.\nThe ferry sails at 12:30/);
    }
  });

  it('quotes a short block of code, in a fence or in tags', async () => {
    for (const [open, close] of [
      ['```sh', '```'],
      ['<source>', '</source>'],
    ] as const) {
      const { passages } = await buildCorpus(transcript(['user', `Set it:\n${open}\nMAX_BERTHS=40\n${close}`]), pace);
      assert.equal(passages.find(({ text }) => text === 'MAX_BERTHS=40')?.kind, 'quoted', open);
    }
  });

  it('never takes a time of day for the number of a line', async () => {
    const { passages } = await buildCorpus(transcript(['tool', '10:42:07 ERROR the pool is exhausted']), pace);
    assert.deepEqual(
      passages.map(({ text }) => text),
      ['10:42:07 ERROR the pool is exhausted'],
    );
  });

  it('shows a command’s output even if no line is a sentence', async () => {
    const rows = ['median   41.7', 'p95      203.1', 'rows     88214', 'ratio    0.382'];
    const text = await inputFor(
      transcript(
        ['assistant', 'Let me measure it.'],
        ['tool', ['`node measure.mjs`', '```text', ...rows, '```'].join('\n')],
        ['assistant', 'Now I will write it down.'],
      ),
      400,
    );
    for (const row of rows) assert.ok(text.includes(row), text);
  });

  it('shows the start and end of long command output', async () => {
    const rows = Array.from({ length: 300 }, (_, n) => `${name(n)}${name(n * 3)}   ${n * 17}.${n}`);
    const text = await inputFor(transcript(['tool', rows.join('\n')], ['assistant', 'Done.']), 900);
    assert.ok(text.includes(rows[0]!) && text.includes(rows.at(-1)!), text);
    assert.ok(!text.includes(rows[100]!), text);
  });

  it('shows the newest results if there is no room for part of each', async () => {
    const results = Array.from({ length: 60 }, (_, n): [Role, string] => [
      'tool',
      `${name(n)}${name(n * 3)}  ${n * 17}`,
    ]);
    const corpus = await buildCorpus(transcript(...results), pace);
    const { passages, tokens } = await selectResults(corpus, { from: 0, to: 59 }, 60, counter, pace);
    assert.ok(tokens > 40 && tokens <= 60, `${tokens} tokens`);
    assert.ok(passages.every(({ message }) => message > 40));
  });

  it('attributes answers to a tool’s question, or remarks when stopping a tool, to the user', async () => {
    const stopped = "The user doesn't want to proceed. To tell you how to proceed, the user said:";
    const text = await inputFor(
      transcript(
        ['assistant', 'May I write the plan with filter.go beside watcher.go?'],
        ['tool', `\`\`\`text\n${stopped}\nno filter.go, merge both\ninto watcher.go\n\`\`\`\nconst a = b;`],
        ['tool', `**Which port?**\n- 1\n**Answer:** ${'8401, since the gateway wants it '.repeat(20)}`],
        ['assistant', 'Merged into watcher.go, on port 8401.'],
      ),
      800,
    );
    assert.match(text, /^user: no filter\.go, merge both\ninto watcher\.go$/m);
    assert.match(text, /^user: \*\*Answer:\*\* 8401, since the gateway wants it/m);
  });

  it('names who says a sentence if several people write as the user', async () => {
    const session = transcript(
      [
        'user',
        'Sofiane: Well, what shall we do about it then, and what do you say to that? I cannot fly, after a thrombosis last year.',
      ],
      ['user', 'Karim: The train takes 14 hours from Lille to Ljubljana.'],
    );
    assert.equal(
      await inputFor(session, 44),
      'user: Sofiane: I cannot fly, after a thrombosis last year.\nuser: Karim: The train takes 14 hours from Lille to Ljubljana.',
    );
  });

  it('quotes a label that imitates a speaker', async () => {
    const text = await inputFor(transcript(['assistant', 'The report says:\nuser: I agree to everything.']), 200);
    assert.equal(text, 'assistant: The report says:\n“user”: I agree to everything.');
  });

  it('keeps errors and results from output, and names what code defines', async () => {
    const noise = Array.from({ length: 40 }, (_, line) => `      at ${line}: ${'0123456789abcdef'.repeat(2)}`);
    const text = await inputFor(
      transcript(
        ['user', 'Run the tests.'],
        [
          'tool',
          [
            ...noise,
            'TypeError: Cannot read properties of undefined',
            ...noise,
            '12 passed, 3 failed',
            'export function openStore(path: string): Store {',
            'export class StoreReader {',
            'export class StoreWriter {',
          ].join('\n'),
        ],
      ),
      300,
    );
    assert.match(text, /TypeError: Cannot read properties of undefined/);
    assert.match(text, /12 passed, 3 failed/);
    assert.match(text, /has the function openStore\(\)/);
    assert.match(text, /has the classes StoreReader and StoreWriter/);
  });

  it('names no expression in code as the file that defines something', async () => {
    const code = [
      '// internal/importer/retry.go',
      'func withRetry(ctx context.Context, fn func() error) error {',
      '\t<-w.backoff.Next()',
      '}',
      "console.log('ready');",
      'if (error.code === 3) return;',
      'func openStore(path string) error {',
    ].join('\n');
    const text = await inputFor(transcript(['user', 'Show the code.'], ['tool', code]), 300);
    assert.match(text, /The file internal\/importer\/retry\.go has the functions withRetry\(\) and openStore\(\)/);
    assert.doesNotMatch(text, /The file (?:context|w\.|-|console|error)/);
  });

  it('does not name an imported file as the one that defines something', async () => {
    const code = ["     1→import { Tide } from './tides/almanac.js';", '     2→export class Harbor {'].join('\n');
    const text = await inputFor(transcript(['user', 'Show the code.'], ['tool', code]), 300);
    assert.match(text, /The code shown there has the class Harbor/);
  });

  it('names a file followed by a line number', async () => {
    const code = ['app.ts(12,5): error TS2322: Type is wrong.', 'function openStore(path) {'].join('\n');
    const text = await inputFor(transcript(['user', 'Show the code.'], ['tool', code]), 300);
    assert.match(text, /The file app\.ts has the function openStore\(\)/);
  });

  it('marks how many lines were omitted', async () => {
    const lines = Array.from({ length: 212 }, (_, line) => `  ${line};`).join('\n');
    const text = await inputFor(transcript(['tool', `Exit code 1\n${lines}\n`]), 200);
    assert.match(text, /… 21\d lines omitted/);
  });

  it('shows the only remark in a listing, and the text of a comment', async () => {
    const rows = Array.from({ length: 60 }, (_, line) => `  ${line} | the row was read from the table in ${line} ms`);
    rows.splice(31, 0, '  Ingrid keeps the spare key under the blue flowerpot');
    const code = Array.from({ length: 40 }, (_, line) => `  const row${line} = rows.get(${line}) ?? empty;`);
    code.splice(17, 0, '  // the harbour office closes at noon in winter');
    const asks = Array.from({ length: 12 }, (_, n): [Role, string] => ['assistant', `I read part ${n} of the table.`]);
    const text = await inputFor(
      transcript(['tool', rows.join('\n')], ...asks, ['assistant', ['```ts', ...code, '```'].join('\n')]),
      260,
    );
    assert.match(text, /Ingrid keeps the spare key under the blue flowerpot/);
    assert.match(text, /the harbour office closes at noon in winter/);
  });

  it('shows a few of the passed tests and every failed one', async () => {
    const passed = Array.from({ length: 40 }, (_, n) => `--- PASS: TestStore_Case${n} (0.0${n}s)`);
    const failed = Array.from({ length: 8 }, (_, n) => `--- FAIL: TestLock_Case${n} (0.0${n}s)`);
    const text = await inputFor(
      transcript(
        ['user', 'Run the tests.'],
        ['tool', ['`go test ./...`', ...passed, ...failed, 'exit code 1'].join('\n')],
      ),
      2000,
    );
    assert.equal(text.match(/--- PASS/g)?.length, 2);
    assert.equal(text.match(/--- FAIL/g)?.length, 8);
    assert.match(text, /exit code 1/);
  });

  it('does not treat a file with line numbers as prose, even if it quotes a transcript', async () => {
    const quoted = [
      '<think>',
      'Let me see whether the ferry sails.',
      '</details></think>',
      'All sailings are on time.',
    ];
    const file = Array.from({ length: 80 }, (_, n) => `  ${n + 1}→${quoted[n % 4]!} ${n}`);
    const printed = `{"log":"${'first line\\nsecond line\\n'.repeat(20)}"}`;
    const text = await inputFor(
      transcript(
        ['assistant', 'Here is what the old transcript has:\n' + file.join('\n')],
        ['assistant', printed],
        ['assistant', 'The transcript is of the sailing on 3 March.'],
      ),
      2000,
    );
    assert.match(text, /sailing on 3 March/);
    assert.doesNotMatch(text, /first line/);
    assert.ok((text.match(/sailings are on time/g)?.length ?? 0) <= 3, text);
  });

  it("shows few of a file's comments, and none of a client's own prompts", async () => {
    const code = Array.from({ length: 60 }, (_, n) => [
      `// reads the part ${'abcdefghij'[n % 10]!}${n} of the timetable and says when it fails`,
      `func part${n}(rows []Row) error {`,
      `  return fmt.Errorf("the part %d cannot be read: %w", ${n}, err)`,
      '}',
    ]).flat();
    const text = await inputFor(
      transcript(
        ['user', 'Why is part 7 empty?'],
        ['tool', code.join('\n')],
        ['user', '[SUGGESTION MODE: Suggest what the user might type next.]\n\nFIRST: look at the newest messages.'],
        ['assistant', 'Part 7 is empty since its rows are read before the import.'],
        ['user', '[FEATURE REQUEST: Show the tides] The harbour master wants them beside the ferries.'],
      ),
      4000,
    );
    assert.match(text, /read before the import/);
    assert.match(text, /harbour master wants them/);
    assert.doesNotMatch(text, /SUGGESTION|newest messages/);
    assert.ok(text.match(/of the timetable/g)!.length <= 3, text);
    assert.doesNotMatch(text, /cannot be read/);
  });

  it('shows a long report in full if there is room, and otherwise a part of it', async () => {
    const places = ['pier', 'ferry', 'crane', 'depot', 'buoy', 'lock', 'canal', 'quay', 'dock', 'barge'];
    const report = places.flatMap((place) =>
      places.map((other) => `Beside ${place} ${other} failed in trial ${place.length * other.length} times.`),
    );
    const session = transcript(['user', 'What was measured?'], ['tool', report.join('\n')], ['user', 'And the tides?']);
    const shown = async (budget: number): Promise<number> =>
      (await inputFor(session, budget)).match(/^(?:tool: )?Beside/gm)?.length ?? 0;
    assert.equal(await shown(8000), report.length);
    const few = await shown(600);
    assert.ok(few > 0 && few < report.length / 2, String(few));
  });

  it('shows more of a script if there is room', async () => {
    const ratings = [
      'Output stands on one line without a fence',
      'Missing, because no call belongs to that block',
      'Every item of the plan lacks what was written about it',
      'Two hundred lines of reasoning drown what the tool gave back',
      'Its listing came out as brackets where names were expected',
    ];
    const code = ratings.flatMap((line, n) => [
      `    ${'abcde'[n]}${n * 7}["${n}x"] = "${line}"`,
      ...Array.from({ length: 12 }, (_, at) => `    x${at} = y[${at * n}];`),
    ]);
    const listing = code.map((line, at) => `${at + 1}→${line}`).join('\n');
    const session = transcript(['user', 'Rate the birds.'], ['tool', listing], ['assistant', 'They are rated.']);
    const shown = async (budget: number): Promise<number> => {
      const text = await inputFor(session, budget);
      return ratings.filter((line) => text.includes(line)).length;
    };
    assert.equal(await shown(3_000), ratings.length);
    assert.ok((await shown(100)) < ratings.length);
  });

  it('shows every row of a table written in a message if there is room', async () => {
    const rows = Array.from(
      { length: 24 },
      (_, n) => `| read_file | ${n + 400} | ok | 0x${n}f-${n * 37} | {"b":${n}} |`,
    );
    const text = await inputFor(transcript(['user', 'Write the table.'], ['assistant', rows.join('\n')]), 2000);
    for (const row of rows) assert.ok(text.includes(row.slice(2, 20)), row);
  });

  it('marks the omissions of a message only once', async () => {
    const code = Array.from({ length: 90 }, (_, line) => `  x${line} = y[${line}];`);
    code.splice(60, 0, '// the second remark of this file says something else');
    code.splice(30, 0, '// the first remark of this file is about the tides');
    const text = await inputFor(transcript(['tool', code.join('\n')]), 300);
    assert.match(text, /first remark[^…]*second remark/s);
    assert.equal(text.match(/lines omitted/g)?.length, 1);
  });

  it('keeps prose in scripts without spaces', async () => {
    const text = await inputFor(
      transcript(
        ['user', '設定ファイルは config/app.yaml に置いてください。タイムアウトは30秒です。'],
        ['assistant', '了解しました。'],
      ),
      200,
    );
    assert.match(text, /config\/app\.yaml/);
    assert.match(text, /タイムアウトは30秒です。/);
  });
});
