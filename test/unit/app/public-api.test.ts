import assert from 'node:assert/strict';
import {
  compressPreserveEvents,
  summarizeHierarchical,
  summarizeRecursive,
  type CompressedMessages,
  type LibraryMessage,
  type Summarizer,
} from '../../../src/app/public-api.ts';
import { tokenCounter } from '../../../src/core/tokens/token-counter.ts';
import { alwaysDue } from '../../support/yielders.ts';
import { DIALOGUES } from '../../golden/dialogues/dialogues.ts';
import { counter, developerSession, goodAnswer, transcript } from '../compress/summarize-fixtures.ts';

/** A summarizer that records its prompts. */
function summarizer(answer: (call: number) => string): Summarizer & { readonly prompts: string[] } {
  const prompts: string[] = [];
  const ask: Summarizer = ({ prompt }) => {
    prompts.push(prompt);
    return Promise.resolve(answer(prompts.length));
  };
  return Object.assign(ask, { prompts });
}

const textOf = ({ messages }: Pick<CompressedMessages, 'messages'>): string =>
  messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
const messageOf = (role: LibraryMessage['role'], content: string): LibraryMessage => ({ role, content });

describe('summarizeRecursive', () => {
  const session = developerSession(80);

  it('reduces a conversation of any length to the target', async () => {
    for (const target of [50, 120, 500, 3_000]) {
      const { tokens, text, unchanged } = await summarizeRecursive(session, target, { counter });
      assert.ok(tokens <= target, `${tokens} of ${target}`);
      assert.ok(tokens > target * 0.4, `${tokens} of ${target} used`);
      assert.equal(counter.text(text) + 4, tokens);
      assert.equal(unchanged, false);
    }
  });

  it('summarizes all messages even if the last one is the user’s', async () => {
    const asked = [...session, messageOf('user', `Please explain ${'every retry, '.repeat(100)}once more.`)];
    const ask = summarizer((call) => `They set up part ${call} of the harbour.`);
    const { text } = await summarizeRecursive(asked, 500, { counter, summarizer: ask });
    assert.ok(ask.prompts.length > 0);
    for (let call = 1; call <= ask.prompts.length; call++)
      assert.match(text, new RegExp(`part ${call} of the harbour`));
  });

  it('returns short or empty input unchanged without calling the summarizer', async () => {
    const ask = summarizer(() => goodAnswer('x'));
    const short = await summarizeRecursive([messageOf('user', 'Hi.'), messageOf('assistant', 'Hello.')], 100, {
      summarizer: ask,
    });
    assert.deepEqual([short.text, short.unchanged], ['user: Hi.\nassistant: Hello.', true]);
    const empty = await summarizeRecursive([], 100, { summarizer: ask });
    assert.deepEqual([empty.text, empty.tokens], ['', 0]);
    assert.equal(ask.prompts.length, 0);
  });

  it('reduces 10,000 messages to 500 tokens, both extractively and with a summarizer that responds in prose', async () => {
    const long = developerSession(2_500, 2);
    assert.equal(long.length, 10_000);
    const { tokens } = await summarizeRecursive(long, 500, { counter });
    assert.ok(tokens <= 500 && tokens > 350, `${tokens}`);
    const ask = summarizer((call) => `They set up part ${call} of the harbour, with a retry limit for each client.`);
    const told = await summarizeRecursive(long, 500, { counter, summarizer: ask });
    assert.ok(told.tokens <= 500, `${told.tokens}`);
    assert.ok(ask.prompts.length > 0 && ask.prompts.length <= 5, `${ask.prompts.length} calls`);
    for (let call = 1; call <= ask.prompts.length; call++)
      assert.match(told.text, new RegExp(`part ${call} of the harbour`));
    assert.doesNotMatch(told.text, /Please add retry/, 'nothing of the source is put beside what the summarizer wrote');
  });

  it('says whether the text was extracted because the summarizer gave no usable response', async () => {
    for (const [answer, maxInputTokens, ...expected] of [
      ['', 8_000, true, false],
      ['', 600, true, true],
      ['They set up the harbour, with a retry limit for each client.', 8_000, false, false],
    ] as const) {
      const options = { counter, maxInputTokens, summarizer: summarizer(() => answer) };
      const { isExtracted, isWindowTooSmall } = await summarizeRecursive(session, 500, options);
      assert.deepEqual([isExtracted, isWindowTooSmall], expected);
    }
    assert.equal((await summarizeRecursive(session, 500, { counter })).isExtracted, false);
  });
});

describe('summarizeHierarchical', () => {
  const session = developerSession(80);

  it('limits the levels to 10, 30 and 70 percent of the source and reads each message once', async () => {
    const ask = summarizer((call) => goodAnswer(`Part ${call} was about retries.`));
    const { tokens, brief, detailed } = await summarizeHierarchical(session, { counter, summarizer: ask });
    assert.ok(tokens.brief <= tokens.source * 0.1);
    assert.ok(tokens.detailed <= tokens.source * 0.3);
    assert.ok(tokens.full <= tokens.source * 0.7);
    assert.match(detailed, /Part 1 was about retries/);
    assert.ok(brief.length <= detailed.length && tokens.detailed <= tokens.full);
    const asks = ask.prompts.join('\n').split('Please add retry number 7 ').length - 1;
    assert.equal(asks, 1);
  });

  it('uses the whole conversation, up to its last message, as the full level when it has under 5,000 tokens', async () => {
    const short = developerSession(4, 20);
    const { full, tokens } = await summarizeHierarchical(short, { counter });
    assert.ok(tokens.source > 200 && tokens.source < 5_000);
    assert.equal(
      full.split('\n')[0],
      'user: Please add retry number 0 to src/client/http0.ts, we agreed on a limit of 3 attempts.',
    );
    assert.match(full, /The cause is the missing backoff in sendRequest3\. I added it, and 12 tests pass now\.$/);
  });

  it('covers the end of a long conversation in the detailed and full levels', async () => {
    const { detailed, full } = await summarizeHierarchical(session, { counter });
    for (const text of [detailed, full]) assert.match(text, /http7\d\.ts/);
  });

  it('never returns a level that is shorter than the one before, even for a message that repeats itself', async () => {
    const line = 'we <tool-use> we https://example.org/a 「はい」 `npm test` <tool-use> Friday we.\n';
    const last =
      'we we.\nwe sendRequest() we 「はい」 https://example.org/a we.\nwe we Postgres Friday we {{words}} we.';
    const answers = [line.repeat(230), last].map((text) => messageOf('assistant', text));
    const { tokens } = await summarizeHierarchical(answers, { counter });
    assert.ok(tokens.source > 5_000);
    assert.ok(tokens.brief <= tokens.detailed && tokens.detailed <= tokens.full, JSON.stringify(tokens));
  });

  it('returns a short conversation unchanged', async () => {
    const { brief, full, unchanged } = await summarizeHierarchical([messageOf('user', 'Hi.')], { counter });
    assert.deepEqual([brief, full, unchanged], ['user: Hi.', 'user: Hi.', true]);
  });
});

describe('compressPreserveEvents', () => {
  const session = developerSession(60);

  it('counts the tokens of a large context a few blocks at a time and yields in between', async () => {
    let atOnce = 0;
    let most = 0;
    const text = (counted: string): number => {
      atOnce += counted.length;
      most = Math.max(most, atOnce);
      return counter.text(counted);
    };
    const yielder = alwaysDue(() => {
      atOnce = 0;
    });
    const { tokens } = await compressPreserveEvents(developerSession(300, 40), 60_000, {
      counter: tokenCounter('o200k_base', text, (counted, between) => counter.textYielding(counted, between)),
      yielder,
    });
    assert.ok(tokens.after > 35_000, `${tokens.after} tokens`);
    // A request's block takes about 2,000 tokens.
    assert.ok(most < 30_000, `${most} characters at once`);
  });

  it('records topics, decisions and guidance even without a model', async () => {
    const { lines, preset } = DIALOGUES.find(({ name }) => name === 'advice')!;
    const said = lines.map((content, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content }) as const);
    const { nodes } = await compressPreserveEvents(said, 350, { counter, preset, keepRecent: 4 });
    const noted = nodes.map(({ node }) => node.structured);
    const decisions = noted.flatMap((one) => one?.decisions.map(({ what }) => what) ?? []);
    assert.ok(decisions.includes('I decided to refuse the increase in writing.'), decisions.join('\n'));
    assert.ok(noted.some((one) => one?.guidance?.some((advice) => advice.startsWith('You should not agree to it'))));
    assert.ok(noted.some((one) => (one?.topics?.length ?? 0) > 0));
  });

  it('makes a single call when one request and one response can hold everything', async () => {
    const ask = summarizer(() => goodAnswer('The clients got retries.'));
    const { nodes } = await compressPreserveEvents(developerSession(120).slice(0, -3), 3_000, {
      counter,
      summarizer: ask,
    });
    assert.equal(nodes.length, 1);
    assert.equal(ask.prompts.length, 1);
    const words = Number(/about (\d+) words/.exec(ask.prompts[0]!)?.[1]);
    assert.ok(words > 1_000 && words < 3_000 * 0.57, `${words} words`);
  });

  it('tells the summarizer which part it reads when the conversation exceeds one request', async () => {
    const ask = summarizer(() => goodAnswer('The clients got retries.'));
    const small = { counter, summarizer: ask, maxInputTokens: 12_000 };
    await compressPreserveEvents(developerSession(120), 4_000, small);
    assert.ok(ask.prompts.length > 1, `${ask.prompts.length} calls`);
    for (const [at, prompt] of ask.prompts.entries())
      assert.match(prompt, new RegExp(`\\[Part ${at + 1} of ${ask.prompts.length} of [^\\n]*; part \\d: `));
  });

  it('adds no source text to a short response', async () => {
    const told = 'Retry number 7 was added to src/client/http7.ts with a limit of 10 attempts.';
    const ask = summarizer(() => goodAnswer(told));
    const { nodes } = await compressPreserveEvents(developerSession(60), 2_000, { counter, summarizer: ask });
    assert.equal(nodes.length, ask.prompts.length);
    for (const { node } of nodes) assert.equal(node.detailed, told);
  });

  it('trims every list of a long response from its end', async () => {
    const list = (name: string): string[] => Array.from({ length: 40 }, (_, at) => `${name} number ${at} of harbour`);
    const lists = { constraints: list('rule'), facts: list('fact'), failedAttempts: list('attempt') };
    const ask = summarizer(() => goodAnswer('About a harbour.', lists));
    const result = await compressPreserveEvents(session, 1_000, { counter, summarizer: ask });
    const text = textOf(result);
    assert.ok(result.tokens.after <= 1_000);
    for (const name of ['rule', 'fact', 'attempt']) {
      const kept = list(name).filter((line) => text.includes(line));
      assert.ok(kept.length >= 12 && kept.length < 40, `${kept.length} of ${name}`);
      assert.deepEqual(kept, list(name).slice(0, kept.length));
    }
  });

  it('keeps fewer recent messages than requested when they do not all fit, but at least one', async () => {
    const talk = Array.from({ length: 30 }, (_, n) =>
      messageOf(
        n % 2 === 0 ? 'user' : 'assistant',
        `We decided to store ledger ${n} in SQLite. ${'river stone cloud '.repeat(7)}`,
      ),
    );
    for (const target of [400, 500, 600]) {
      const { messages, tokens, nodes } = await compressPreserveEvents(talk, target, { counter, keepRecent: 20 });
      assert.ok(tokens.after <= target, `${tokens.after} of ${target}`);
      assert.deepEqual([nodes.length, messages.at(-1)], [1, talk.at(-1)], `${target}`);
      assert.ok(messages.length > 5, `${messages.length} at ${target}`);
    }
  });

  it('keeps the system prompt unless it takes more than a quarter of the target', async () => {
    const prompt = messageOf('system', 'You are Nora of the Hotel Belvedere. Never mention prices.');
    for (const strategy of ['smart', 'summarize', 'trim'] as const) {
      const { messages, tokens, nodes } = await compressPreserveEvents([prompt, ...session], 400, {
        counter,
        strategy,
      });
      assert.deepEqual(messages[0], prompt, strategy);
      assert.equal(nodes[0]?.from, 1, strategy);
      assert.ok(tokens.after <= 400, `${tokens.after} tokens with ${strategy}`);
    }
    const long = messageOf('system', 'Never mention prices to guests. '.repeat(20));
    const { messages, tokens } = await compressPreserveEvents([long, ...session], 400, { counter });
    assert.ok(
      tokens.after <= 400 && !messages.some(({ content }) => content === long.content),
      `${tokens.after} tokens`,
    );
  });

  it('counts the calls of both attempts when only a summary of everything fits', async () => {
    const ask = summarizer((call) => `They set up part ${call} of the harbour, with a retry limit for each client.`);
    const { calls } = await compressPreserveEvents(session, 60, { counter, summarizer: ask });
    assert.equal(calls.count, ask.prompts.length);
  });

  it('returns a short or empty conversation unchanged without calling the summarizer', async () => {
    const ask = summarizer(() => goodAnswer('x'));
    const { messages, tokens, nodes } = await compressPreserveEvents(session.slice(0, 4), 50_000, { summarizer: ask });
    assert.equal(messages.length, 4);
    assert.equal(tokens.before, tokens.after);
    assert.equal(nodes.length + ask.prompts.length, 0);
    assert.deepEqual((await compressPreserveEvents([], 100)).messages, []);
  });

  it('keeps at least 95 percent of the key events verbatim in a fifth of the tokens', async () => {
    const decisions = Array.from(
      { length: 60 },
      (_, n) => `We decided to call district ${n} of the harbour Heron ${n * 13}.`,
    );
    const talk = developerSession(120).flatMap((one, at) =>
      at % 8 === 0 ? [one, messageOf('user', decisions[(at / 8) % 60]!)] : [one],
    );
    const before = (await compressPreserveEvents(talk, 1e9, { counter })).tokens.before;
    const result = await compressPreserveEvents(talk, Math.floor(before / 5), { counter });
    const current = result.events.filter(({ status }) => status === 'active' || status === 'dropped');
    assert.ok(current.length >= 30, `${current.length}`);
    const sent = textOf(result);
    const kept = current.filter(({ quote }) => sent.includes(quote)).length;
    assert.ok(kept >= 0.95 * current.length, `${kept} of ${current.length}`);
    assert.ok(result.tokens.after <= before / 5);
  });

  it('omits a superseded decision from the compressed messages', async () => {
    const older = 'The freight store is built on DuckDB because the vendor stops support in spring.';
    const newer = 'The freight store moves to Kafka after all, because the reports need joins.';
    const talk: LibraryMessage[] = [...session];
    talk.splice(40, 0, messageOf('user', `${older} Rosalind looks after the tide chart.`));
    talk.splice(120, 0, messageOf('user', newer));
    for (const target of [12_000, 30_000]) {
      const text = textOf(await compressPreserveEvents(talk, target, { counter }));
      assert.ok(text.includes('moves to Kafka'), `${target}`);
      assert.ok(!text.includes('DuckDB'), `${target}`);
    }
  });

  it('leaves the messages unchanged with strategy off, and makes no call with strategy trim', async () => {
    const off = await compressPreserveEvents(session, 100, { counter, strategy: 'off' });
    assert.equal(off.messages.length, session.length);
    const ask = summarizer(() => goodAnswer('x'));
    const trimmed = await compressPreserveEvents(session, 3_000, { counter, strategy: 'trim', summarizer: ask });
    assert.equal(ask.prompts.length, 0);
    assert.ok(trimmed.messages.length > 4 && trimmed.tokens.after <= 3_000);
    const newest = messageOf('user', 'The gateway answers on port 8401. '.repeat(200));
    const short = await compressPreserveEvents([...session, newest], 500, {
      counter,
      strategy: 'trim',
      summarizer: ask,
    });
    assert.equal(ask.prompts.length, 0, 'not even where the newest message does not fit');
    assert.ok(short.tokens.after <= 500);
  });

  it('makes no call when the ledger quotes everything that was said', async () => {
    const ask = summarizer(() => goodAnswer('x'));
    const numbers = '= '.repeat(300);
    const decisions = [
      'We decided to use port 8401 for the gateway.',
      'Never deploy on Fridays.',
      'The importer must be written in Rust.',
      'Invoices are kept for ten years.',
    ];
    const talk = transcript(...decisions.map((text) => ['user', `${text}\n${numbers}`] as const), ['user', 'And now?']);
    const result = await compressPreserveEvents(talk, 1_100, { counter, summarizer: ask, keepRecent: 1 });
    for (const text of decisions) assert.ok(textOf(result).includes(text), textOf(result));
    assert.equal(result.calls.count, ask.prompts.length);
    assert.equal(ask.prompts.length, 0);
  });

  it('explains what is wrong with an invalid argument', async () => {
    const talk = session.slice(0, 20);
    const untyped = (value: unknown): never => value as never;
    for (const [made, message] of [
      [() => compressPreserveEvents(talk, 0), /targetTokens must be a number greater than 0, not 0/],
      [() => summarizeRecursive(talk, Number.NaN), /targetTokens must be a number/],
      [() => summarizeRecursive(talk, untyped(undefined)), /targetTokens must be a number/],
      [() => compressPreserveEvents(talk, 99, { keepRecent: -1 }), /keepRecent must be an integer of at least 0/],
      [() => summarizeHierarchical(talk, { preset: untyped('chef') }), /preset must be one of developer, customer/],
      [() => summarizeRecursive(talk, 99, { policy: untyped('x') }), /policy must be one of balanced, steady/],
      [() => summarizeRecursive(talk, 99, { strategy: untyped('x') }), /strategy must be one of auto/],
      [() => summarizeRecursive(untyped('Hello'), 99), /messages must be an array/],
      [() => summarizeRecursive(talk, 99, { effort: untyped('x') }), /effort must be one of default, economy/],
      [() => summarizeRecursive(talk, 99, { summarizer: untyped('x') }), /summarizer must be a function, not string/],
      [() => summarizeRecursive(talk, 99, { maxInputTokens: -1 }), /maxInputTokens must be greater than 0/],
      ...[undefined, null, { text: 'x' }].map((answer) => {
        const summarizer: Summarizer = () => Promise.resolve(untyped(answer));
        return [() => summarizeRecursive(talk, 99, { summarizer }), /summarizer must return a string, not/] as const;
      }),
      [() => summarizeRecursive([untyped(null)], 99), /messages must be an array/],
      [() => summarizeRecursive([untyped({ role: 'user', content: [{ type: 'x' }] })], 99), /content of message 0/],
      [() => summarizeRecursive([untyped({ role: 'wizard', content: 'x' })], 99), /role of message 0 must be one of/],
      [
        () => summarizeRecursive([untyped({ role: 'user', content: null })], 99),
        /content of message 0 must be a string/,
      ],
    ] as const)
      await assert.rejects(made, (error: unknown) => error instanceof RangeError && message.test(error.message));
  });

  it('rethrows an error of the summarizer', async () => {
    const ask: Summarizer = () => Promise.reject(new Error('gone'));
    await assert.rejects(compressPreserveEvents(session, 4_000, { counter, summarizer: ask }), /gone/);
  });
});
