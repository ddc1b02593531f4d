import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { CompressionAttempt } from '../../../src/app/in-memory-session.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { StrictServer, type ModelRequest } from '../../support/strict/strict-server.ts';
import { serving } from '../../support/loopback-server.ts';
import { WireServer } from '../../support/wire-server.ts';
import { ROOT, runCli, runJson } from './run-cli.ts';
import { folderForAllTests } from '../../support/per-test.ts';
import { jsonLines, SHARED_DATA } from '../../support/test-data.ts';
import { jsonl } from '../../support/tool-homes/conversation.ts';

const shared = path.join(SHARED_DATA, 'short');
const counter = await loadEncoding('o200k_base');

interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

interface Compressed {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly events: readonly { readonly quote: string; readonly status: string }[];
  readonly nodes: readonly { readonly to: number; readonly rung: string; readonly detailed: string }[];
  readonly tokens: { readonly before: number; readonly after: number };
  readonly calls: Readonly<Record<'count' | 'inputTokens' | 'outputTokens' | 'costUsd', number>>;
  readonly compressions: readonly CompressionAttempt[];
}

/** Answers like a small model: the record's most informative sentences as prose or JSON, whatever was requested. */
function answerIn(form: 'prose' | 'json'): (asked: ModelRequest) => string {
  return ({ prompt }) => {
    // The system prompt names the fence within a line.
    const [, record = ''] = prompt.split(/^=====\w+=====$/m);
    const words = Number(/(\d+) words/.exec(prompt)?.[1] ?? 60);
    const said = record.split('\n').map((line) => line.replace(/^\w+: /, ''));
    const told = said.filter((line) => /\d|.\b\p{Lu}\p{Ll}{2,}/u.test(line)).join(' ');
    const narrative = told.split(/\s+/).slice(-words).join(' ') || 'They greeted each other.';
    return form === 'prose' ? narrative : JSON.stringify({ narrative, decisions: [], errors: [], openSteps: [] });
  };
}

const SUMMARIZERS = [
  ['the local provider', undefined],
  ['a server that answers in JSON', answerIn('json')],
  ['a server that answers in prose', answerIn('prose')],
] as const;

const BOOKINGS_CHAT: readonly ChatMessage[] = Array.from({ length: 8 }, (_, n): ChatMessage[] => [
  { role: 'user', content: `Do you have a table for ${n + 2} at Osteria Lume on ${n + 3} May?` },
  { role: 'assistant', content: `Yes, at ${6 + (n % 4)} pm by the window, and at 10 pm on the terrace.` },
  { role: 'user', content: 'By the window then. It is for Mrs Varga, and one of us is allergic to nuts.' },
  { role: 'assistant', content: `It is booked under LM-${400 + n}. Please call before noon if you come later.` },
]).flat();

/** Chats of about 95 messages in five languages, their presets, and what somebody would ask for much later. */
const CHATS = [
  ['wedding', 'advisory', ['3 September', 'no lilies', 'coeliac', 'rollator', 'Priya Nair']],
  ['bookkeeping-de', 'advisory', ['26.940', 'Lexware Office', '§ 15a', '2.600', 'Geldtransit']],
  ['clinic-es', 'customer', ['martes y jueves', 'penicilina', '655 01 42 87', 'claustrofobia', '135 euros']],
  ['churn-model', 'developer', ['eu-central-1', 'feature_allowlist', '0.016', '409 identical', 'score_utils']],
  ['trip-fr', 'customer', ['phlébite', '2 h de marche', 'CV-4471', 'Villa Giulia', '22 → 29']],
  ['apartment-ja', 'customer', ['16万円', '喘息', '1階', 'コンロ一口', '3,300円']],
  ['lighthouse', 'role-play', ['Emmerick Hale', 'spiders', 'Carrow Point', 'mirror', 'Merry Abigail']],
  ['outage', 'developer', ['22:15', 'PLAT-1893', 'Hugo', 'returns_import', '16:00']],
] as const;

/** Chats with a strong model's answers to their two requests, and what these omit because the model wasn't shown it. */
const ANSWERED = [
  ['camper-van', 'advisory', ['£1,095 more', 'wool in the cavities', '23 June']],
  ['torneo-it', 'advisory', ['648 euro', 'termine 15 aprile', 'via Pitteri']],
  ['bakery-pt', 'advisory', ['9 de maio', 'mínimo de 3.000', '71 pacotes']],
  ['inventory-api', 'developer', ['non-breaking space', 'labels dropped', '12 duplicate movements']],
  ['care-de', 'customer', ['11.000 bis 14.000', '10 Tage mal 105', '34 Stufen']],
  ['crime-novel', 'role-play', ['Ruth tells her herself in ch 9', 'lifeboat supper', 'Joe gets arrested in ch 20']],
] as const;

const FIXTURES = path.join(ROOT, 'test/fixtures/short-chats');
const ANSWERS = JSON.parse(readFileSync(`${FIXTURES}/answers.json`, 'utf8')) as Readonly<
  Record<string, readonly object[]>
>;

describe('short-message chats compressed turn by turn on the command line', () => {
  let folder = '';
  let files = 0;
  folderForAllTests((made) => (folder = made));

  async function grown(said: readonly object[], ...args: readonly string[]): Promise<Compressed> {
    const file = path.join(folder, `${++files}.jsonl`);
    writeFileSync(file, jsonl(...said));
    return (await runJson('compress', file, '--turn-by-turn', ...args)) as unknown as Compressed;
  }

  /**
   * Runs `work` with the options for a test server that gives this answer, or for the local provider if there is none.
   */
  async function summarizedBy(
    answer: ((asked: ModelRequest) => string) | undefined,
    work: (options: readonly string[], server: StrictServer | undefined) => Promise<void>,
  ): Promise<void> {
    if (!answer) return work(['--provider', 'local'], undefined);
    await using server = await StrictServer.start('openai', { answer });
    await work(['--provider', 'openai', '--model', 'gpt-4o-mini', '--base-url', `${server.url}/v1`], server);
  }

  /**
   * Asserts that a dialogue is compressed at exactly 20 and 30 messages, keeps messages 20 and later verbatim, and
   * becomes smaller.
   */
  async function assertSteady(said: readonly ChatMessage[], options: readonly string[]): Promise<Compressed> {
    const done = await grown(said, '--policy', 'steady', '--preset', 'customer', ...options);
    const outcomes = done.compressions.map(({ at, outcome, messagesAfter }) => [at, outcome, messagesAfter]);
    const expected = [20, 30].map((at) => [at, 'committed', 10]);
    assert.deepEqual(outcomes, expected);
    for (const { calls, tokensBefore, tokensAfter } of done.compressions) {
      assert.ok(calls <= (options.includes('local') ? 0 : 1), `${calls} calls`);
      assert.ok(tokensAfter < tokensBefore, `${tokensAfter} of ${tokensBefore} tokens`);
    }
    assert.ok(done.tokens.after < done.tokens.before, `${done.tokens.after} of ${done.tokens.before} tokens`);
    const words = new Set(said.flatMap(({ content }) => content.split(/\s+/)));
    for (const { detailed } of done.nodes.filter(({ rung }) => rung === 'model'))
      assert.deepEqual(
        detailed.split(/\s+/).filter((word) => !words.has(word)),
        [],
        'the answer comes from the dialogue',
      );
    assert.deepEqual(
      done.messages.filter(({ role }) => role !== 'system').map(({ content }) => content),
      said.slice(20).map(({ content }) => content),
    );
    return done;
  }

  for (const [chat, preset, facts] of CHATS) {
    it(`keep what matters later under steady, without a model (${chat})`, async () => {
      const said = jsonLines<object>(`${FIXTURES}/${chat}.jsonl`);
      const { messages, compressions, tokens } = await grown(said, '--policy', 'steady', '--preset', preset);
      // Compressions happen after whole turns, in which several people may have written.
      const outcomes = compressions.map(({ at, outcome }) => [Math.floor(at / 10) * 10, outcome]);
      const expected = Array.from({ length: Math.floor(said.length / 10) - 1 }, (_, n) => [20 + 10 * n, 'committed']);
      assert.deepEqual(outcomes, expected);
      assert.ok(tokens.after < 0.75 * tokens.before, `${tokens.after} of ${tokens.before} tokens`);
      const sent = messages.map(({ content }) => content).join('\n');
      const missing = facts.filter((fact) => !sent.includes(fact));
      assert.deepEqual(missing, []);
    });
  }

  for (const [chat, preset, facts] of ANSWERED) {
    it(`keep what the model wasn’t shown under frugal, with a strong model’s recorded answers (${chat})`, () => {
      let requests = 0;
      const nextAnswer = (): string => JSON.stringify(ANSWERS[chat]![requests++]);
      return summarizedBy(nextAnswer, async (options) => {
        const said = jsonLines<object>(`${FIXTURES}/${chat}.jsonl`);
        const { messages, tokens } = await grown(said, '--policy', 'frugal', '--preset', preset, ...options);
        assert.equal(requests, 2);
        assert.ok(tokens.after < 0.58 * tokens.before, `${tokens.after} of ${tokens.before} tokens`);
        const sent = messages.map(({ content }) => content).join('\n');
        const missing = facts.filter((fact) => !sent.includes(fact));
        assert.deepEqual(missing, []);
      });
    });
  }

  for (const [by, answer] of SUMMARIZERS) {
    it(`are compressed at exactly 20 and 30 messages under steady, with ${by}`, () =>
      summarizedBy(answer, async (options) => {
        const { calls, nodes } = await assertSteady(BOOKINGS_CHAT, options);
        const [count, rung] = options.includes('local') ? [0, 'extractive'] : [2, 'model'];
        assert.equal(calls.count, count);
        const rungs = nodes.map((node) => node.rung);
        assert.deepEqual(rungs, [rung, rung]);
        const longer = await grown([...BOOKINGS_CHAT, ...BOOKINGS_CHAT].slice(0, 46), '--policy', 'steady', ...options);
        const outcomes = longer.compressions.map(({ at, outcome }) => [at, outcome]);
        const expected = [20, 30, 40].map((at) => [at, 'committed']);
        assert.deepEqual(outcomes, expected);
      }));

    it(`are compressed at 20 and 30 messages under steady in each of 19 real bookings, with ${by}`, function () {
      const file = path.join(shared, 'bookings.json');
      if (!existsSync(file)) this.skip();
      const dialogues = JSON.parse(readFileSync(file, 'utf8')) as {
        readonly turns: readonly (readonly [ChatMessage['role'], string])[];
      }[];
      assert.equal(dialogues.length, 19);
      return summarizedBy(answer, async (options) => {
        for (const { turns } of dialogues)
          await assertSteady(
            turns.map(([role, content]) => ({ role, content })),
            options,
          );
      });
    });

    it(`pay off over 1,000 messages under frugal, with ${by}`, function () {
      if (!existsSync(path.join(shared, 'bookings-1000.jsonl'))) this.skip();
      return summarizedBy(answer, async (options, server) => {
        const said = jsonLines<ChatMessage>(path.join(shared, 'bookings-1000.jsonl'));
        const done = await grown(said, '--policy', 'frugal', '--preset', 'customer', ...options);
        const committed = done.compressions.filter(({ outcome }) => outcome === 'committed');
        assert.ok(committed.length >= 15, `${committed.length} commits`);
        const paidFor = committed.reduce((sum, { calls }) => sum + calls, 0);
        assert.ok(server === undefined || paidFor >= committed.length);
        assert.deepEqual(
          [done.calls.count, server?.answered.length ?? 0],
          [paidFor, paidFor],
          'no call without a commit',
        );
        assert.ok(
          done.tokens.after <= 0.4 * done.tokens.before,
          `${done.tokens.after} of ${done.tokens.before} tokens`,
        );
        const cost = Math.max(done.calls.costUsd, server?.cost ?? 0);
        assert.ok(cost <= 0.01, `$${cost}`);
      });
    });
  }

  it('report the extractive fallback if the model gave no usable response', () =>
    summarizedBy(
      () => 'I’m sorry, but I can’t help with that.',
      async (options) => {
        const { compressions, messages } = await grown(BOOKINGS_CHAT, '--policy', 'steady', ...options);
        const seen = compressions.map((one) => [one.at, one.outcome, one.messagesAfter, one.fallback]);
        const expected = [20, 30].map((at) => [at, 'committed', 10, 'extractive']);
        assert.deepEqual(seen, expected);
        assert.ok(messages.length < BOOKINGS_CHAT.length);
        const file = path.join(folder, `${files}.jsonl`);
        const { code, err } = await runCli(['compress', file, '--target-tokens', '500', ...options]);
        assert.deepEqual([code, err.includes('no usable response')], [0, true]);
        const levels = await runCli(['levels', file, '--json', ...options]);
        assert.deepEqual([levels.code, levels.err.includes('no usable response')], [0, true]);
        const handoff = await runCli(['handoff', file, '--for', 'text', '--max-tokens', '400', ...options]);
        assert.deepEqual([handoff.code, handoff.err.includes('no usable response')], [0, true]);
      },
    ));

  it('report the extractive fallback if nothing fits in the context window', () =>
    serving(
      (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ data: [{ id: 'tiny', context_length: 600 }] }));
      },
      async (url) => {
        const options = ['--provider', 'openai', '--model', 'tiny', '--base-url', `${url}/v1`];
        await grown(BOOKINGS_CHAT, '--policy', 'steady', ...options);
        const file = path.join(folder, `${files}.jsonl`);
        for (const args of [
          ['compress', file, '--target-tokens', '500'],
          ['compress', file, '--turn-by-turn', '--policy', 'steady'],
          ['levels', file],
          ['handoff', file, '--for', 'text', '--max-tokens', '400'],
        ]) {
          const { code, err } = await runCli([...args, ...options]);
          assert.equal(code, 0, err);
          assert.match(err, /^threadkeeper: The model’s context window is too small for the messages\. /m);
        }
      },
    ));

  it('are compressed whenever due and stay short, even if the model never gives a usable response', () =>
    summarizedBy(
      () => '',
      async (options) => {
        const talk = Array.from({ length: 7 }, () => BOOKINGS_CHAT).flat();
        const { compressions, messages, calls } = await grown(talk, '--policy', 'steady', ...options);
        const due = Array.from({ length: 21 }, (_, n) => 20 + 10 * n);
        assert.deepEqual([...new Set(compressions.map(({ at }) => at))], due);
        for (const { at, outcome, tokensBefore, tokensAfter } of compressions)
          assert.deepEqual([outcome, tokensAfter < tokensBefore], ['committed', true], `at ${at}`);
        assert.ok(messages.length < 20, `${messages.length} messages`);
        const expected = compressions.reduce((sum, one) => sum + one.calls, 0);
        assert.equal(calls.count, expected);
      },
    ));

  it('count the calls that gave only thoughts, and report them', async () => {
    await using server = await WireServer.start();
    server.answer({ text: '', finishReason: 'length', usage: { prompt_tokens: 500, completion_tokens: 40 } });
    const options = ['--provider', 'openai', '--model', 'gpt-4o-mini', '--base-url', `${server.url}/v1`];
    const { calls, compressions } = await grown(BOOKINGS_CHAT, '--policy', 'steady', ...options);
    const outcomes = compressions.map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['committed', 'committed']);
    const { length } = server.requests.filter(({ path: asked }) => asked.endsWith('/chat/completions'));
    assert.equal(calls.count, length);
    assert.deepEqual([calls.inputTokens, calls.outputTokens], [500 * length, 40 * length]);
    assert.ok(calls.costUsd > 0);
    const file = path.join(folder, `${files}.jsonl`);
    const { code, err } = await runCli(['compress', file, '--turn-by-turn', '--policy', 'steady', ...options]);
    assert.equal(code, 0);
    assert.match(err, /^threadkeeper: The model returned no usable response\. .*\n$/);
  });

  it('ask the model again some messages after an unusable response', async () => {
    let asked = 0;
    const answer = answerIn('json');
    const refusing = (one: ModelRequest): string => (++asked <= 3 ? 'I’m sorry, but I can’t.' : answer(one));
    await summarizedBy(refusing, async (options) => {
      const { compressions } = await grown([...BOOKINGS_CHAT, ...BOOKINGS_CHAT], '--target-tokens', '1000', ...options);
      const modelled = compressions.filter(
        ({ outcome, fallback }) => outcome === 'committed' && fallback === undefined,
      );
      assert.ok(modelled.some(({ calls }) => calls > 0));
    });
  });

  it('are compressed once per trigger even if an extra message is kept with its tool result', async () => {
    const call = (n: number): object => ({
      ...{ id: `c${n}`, type: 'function', function: { name: 'run', arguments: `{"test":${n}}` } },
    });
    const trace = '  at parse (src/parser.ts)\n'.repeat(9);
    const turns = Array.from({ length: 8 }, (_, n): object[] => [
      { role: 'user', content: `Add test ${n} for the parser.` },
      { role: 'assistant', content: null, tool_calls: [call(n)] },
      { role: 'tool', tool_call_id: `c${n}`, content: `FAIL test/parser${n}.test.ts\n${trace}` },
      { role: 'assistant', content: `Fixed: the off-by-one in src/parser.ts, line ${n}. All tests pass now.` },
    ]).flat();
    const { compressions } = await grown(turns, '--policy', 'steady');
    const outcomes = compressions.map(({ at, outcome }) => [at, outcome]);
    const expected = [20, 32].map((at) => [at, 'committed']);
    assert.deepEqual(outcomes, expected);
  });

  it('stay within the limit even with a long system message', async () => {
    const rules = 'Tables by the window are never kept for more than an hour. '.repeat(99);
    const said = [...BOOKINGS_CHAT, { role: 'system', content: rules } as const];
    const { messages, tokens } = await grown(said, '--target-tokens', '1500');
    assert.ok(tokens.after <= 1500, `${tokens.after} tokens`);
    assert.deepEqual(messages.at(-1)?.content, BOOKINGS_CHAT.at(-2)?.content);
  });

  it('keep the system prompt word for word', async () => {
    const prompt = { role: 'system', content: 'You are Nora of the Hotel Belvedere. Never mention prices.' } as const;
    const said = [prompt, ...BOOKINGS_CHAT];
    const limit = ['--target-tokens', '300'];
    for (const options of [['--policy', 'steady'], limit]) {
      const { messages, nodes } = await grown(said, ...options);
      assert.deepEqual(messages[0], prompt, options.join(' '));
      assert.ok(nodes.length > 0);
    }
    const long = { role: 'system', content: 'Never mention prices to guests. '.repeat(14) } as const;
    const { messages, tokens } = await grown([long, ...BOOKINGS_CHAT], '--target-tokens', '400');
    assert.deepEqual(messages[0], long);
    assert.ok(tokens.after <= 400, `${tokens.after} tokens`);
  });

  it('are compressed by the command, however many messages they have', async () => {
    const file = path.join(folder, `${++files}.jsonl`);
    const said = Array.from({ length: 11 }, () => BOOKINGS_CHAT).flat();
    writeFileSync(file, jsonl(...said));
    const compressed = await runJson('compress', file, '--preset', 'customer');
    const { tokens, nodes, messages } = compressed as unknown as Compressed;
    assert.equal(nodes.length, 1);
    assert.ok(tokens.after <= 0.4 * tokens.before, `${tokens.after} of ${tokens.before} tokens`);
    const contents = messages.slice(1).map(({ content }) => content);
    const expected = said.slice(-10).map(({ content }) => content);
    assert.deepEqual(contents, expected);
  });

  it('keep a story’s names in a fifth of the tokens under long-memory, and no dice rolls as key events', async function () {
    if (!existsSync(path.join(shared, 'role-play.jsonl'))) this.skip();
    const said = jsonLines<ChatMessage>(path.join(shared, 'role-play.jsonl'));
    const sizes = said.map(({ role, content }) =>
      counter.message({ role, content: [{ type: 'text', text: content }] }),
    );
    const fifth = Math.floor(sizes.reduce((sum, size) => sum + size) / 5);
    const asked = ['--policy', 'long-memory', '--preset', 'role-play', '--target-tokens', String(fifth)];
    const { messages, nodes, events, compressions } = await grown(said, ...asked);
    assert.ok(compressions.filter(({ outcome }) => outcome === 'committed').length > 1);
    const plain = (texts: readonly { readonly content: string }[]): string =>
      texts
        .map(({ content }) => content)
        .join('\n')
        .toLowerCase();
    const context = plain(messages);
    const covered = Math.max(...nodes.map(({ to }) => to));
    const source = plain(said.slice(0, covered + 1));
    const summaries = jsonLines<{ readonly to: number; readonly summary: string }>(
      path.join(shared, 'role-play.summaries.jsonl'),
    );
    // A capitalized word within a sentence begins a proper name.
    const names = new Set(
      summaries
        .filter(({ to }) => to <= covered)
        .flatMap(({ summary }) =>
          Array.from(summary.matchAll(/(?<=[\p{Ll},;] )\p{Lu}[\p{L}’'-]{2,}/gu), ([name]) =>
            name.replace(/['’]s$/, '').toLowerCase(),
          ),
        ),
    );
    const told = [...names].filter((name) => source.includes(name));
    const kept = told.filter((name) => context.includes(name));
    let from = said.length;
    for (let room = fifth; from > 0 && room >= sizes[from - 1]!;) room -= sizes[--from]!;
    const newest = plain(said.slice(from));
    const inNewest = told.filter((name) => newest.includes(name));
    if (process.env['THREADKEEPER_LONG'] !== undefined)
      console.log(`        names kept: ${kept.length} of ${told.length}; in the newest fifth: ${inNewest.length}`);
    assert.ok(told.length >= 15, `${told.length}`);
    assert.ok(kept.length >= 0.7 * told.length, `${kept.length} of ${told.length}`);
    assert.ok(inNewest.length < kept.length, `${inNewest.length} in the newest fifth`);
    // A line about dice contains a number and only small words, or mentions a roll.
    const dice =
      /\broll(?:s|ed)?\b|\bd20\b|^(?:[A-Z]+: )?(?:[a-z]{1,4}[,.]? )*\d{1,2}(?: [a-z]{1,4})*[.!]?$|^[[(*][^\])*]+[\])*]$/im;
    const rolls = events.filter(({ quote }) => dice.test(quote)).map(({ quote }) => quote);
    assert.deepEqual(rolls, []);
  });
});
