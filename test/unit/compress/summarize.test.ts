import assert from 'node:assert/strict';
import type { Retries } from '../../../src/core/compress/ask-model.ts';
import { CallLog, type SummaryModel } from '../../../src/core/compress/summary-model.ts';
import { summarizeRuns, type SummarizeSettings, type SummarizeTools } from '../../../src/core/compress/summarize.ts';
import { messageText, type Role } from '../../../src/core/model/message.ts';
import type { CostTier } from '../../../src/core/model/summary.ts';
import { POLICIES } from '../../../src/core/policy/policy.ts';
import { summaryPrompt } from '../../../src/core/prompts/render-prompts.ts';
import {
  CARE_CHAT,
  counter,
  developerSession,
  goodAnswer,
  grow,
  scriptedModel,
  SETTINGS,
  tools,
  transcript,
} from './summarize-fixtures.ts';
import { detectedEvent } from '../../support/key-events.ts';

const session = developerSession(6);
const requestedWords = (prompt: string): number => Number(/(\d+) words/.exec(prompt)?.[1]);
const summarize = (model: ReturnType<typeof scriptedModel>, more: Partial<SummarizeSettings> = {}) =>
  grow({ messages: session }, more, tools({ model }));

const LISTING = Array.from({ length: 300 }, (_, index) => `-rw-r--r-- 1 root root ${index} Jan 3 a${index}.ts`).join(
  '\n',
);

describe('summarizeRuns', () => {
  it('accepts a good first response and records how the summary was made', async () => {
    const model = scriptedModel(() => goodAnswer('Retries were added to the client.', { topics: ['Retries'] }));
    const { nodes, calls } = await summarize(model);
    assert.equal(nodes.length, 1);
    const [leaf] = nodes;
    assert.equal(leaf?.rung, 'model');
    assert.equal(leaf.model, 'scripted/model');
    assert.equal(leaf.title, 'Retries');
    assert.match(leaf.detailed, /^Retries were added to the client\./);
    assert.equal(leaf.audit.score, 1);
    assert.equal(calls.count, 1);
  });

  const prose = 'The user asked for retries in the client. They were added with a limit of 3 to 8 attempts.';
  for (const [what, answer, detailed] of [
    ['uses the model’s summary verbatim and adds nothing from the source', goodAnswer('It ran.'), 'It ran.'],
    ['accepts plain prose as the narrative, without a second request', prose, prose],
    [
      'removes quotation marks around text that is not in the messages, without a second request',
      goodAnswer('The user said "make it blue and shiny please".'),
      'The user said make it blue and shiny please.',
    ],
  ] as const)
    it(what, async () => {
      const model = scriptedModel(() => answer);
      const { nodes } = await summarize(model);
      assert.deepEqual([nodes[0]?.rung, nodes[0]?.detailed, model.requests.length], ['model', detailed, 1]);
    });

  it('does not mistake quoted code for quotations, even with unpaired quotation marks, and does not ask again', async () => {
    const code = [
      'Codex: shell (legacy); `extractPathHints(name, input, "", root)`, called late: `{"type": "response_item"}`.',
      'extractPathHints(name, "", root) is called late, its fields are "path" and "type" in each of them.',
      'The pipe of 5" is too wide for it.',
    ];
    const model = scriptedModel(() =>
      goodAnswer('Hints were added.', { facts: [...code, 'The rest is 3" wide as well.'] }),
    );
    const { nodes, calls } = await summarize(model);
    assert.equal(nodes[0]?.rung, 'model');
    assert.equal(calls.count, 1);
    assert.ok(code.slice(0, 2).every((line) => nodes[0]?.detailed.includes(line)));
    assert.match(nodes[0].detailed, /The pipe of 5 is too wide/);
  });

  it('accepts a quotation of several sentences, also in Japanese', async () => {
    const quote = '明日は東京へ行きます。新幹線を使います';
    const messages = transcript(
      ['user', `予定です。「${quote}」と決めました。`.repeat(9)],
      ['assistant', '承知。'.repeat(40)],
    );
    const answer = `ユーザーは「${quote}」と言った。`;
    const model = scriptedModel(() => goodAnswer(answer));
    const { nodes } = await grow({ messages }, {}, tools({ model }));
    assert.deepEqual([nodes[0]?.rung, nodes[0]?.detailed, model.requests.length], ['model', answer, 1]);
  });

  it('tells the model what was wrong and accepts its second response', async () => {
    const model = scriptedModel((_, call) =>
      call === 1 ? '{"narrative": "cut off' : goodAnswer('Retries were added.'),
    );
    const { nodes } = await summarize(model);
    assert.equal(nodes[0]?.rung, 'retry');
    assert.match(model.requests[1]!.prompt, /not one complete JSON object/);
  });

  const english =
    'The family looks for a place in day care for the mother, who should not be left alone. They have asked what it costs and will decide with the doctor this week.';
  const german =
    'Die Familie sucht einen Platz in der Tagespflege für die Mutter, die nicht allein bleiben soll. Sie hat gefragt, was er kostet, und entscheidet das mit dem Arzt in dieser Woche.';
  const refusal = new Error('refused');
  const overload = new Error('overloaded');
  const summarizeCare = async (
    answers: readonly (string | Error)[],
    more: Partial<SummarizeTools> = {},
    prompt = '',
  ) => {
    const model = scriptedModel((_, call) => {
      const answer = answers[call - 1] ?? '';
      if (answer instanceof Error) throw answer;
      return answer;
    });
    const languages: string[] = [];
    const failures: string[] = [];
    const onForeignLanguage = (language: string, failure?: string): void => {
      languages.push(language);
      if (failure !== undefined) failures.push(failure);
    };
    const own = tools({ model, onForeignLanguage, ...more });
    const isUnusable = (error: unknown): boolean => error === refusal;
    const settings = { prompt: summaryPrompt('advisory', undefined, 'structured', prompt), isUnusable };
    const { nodes, fault } = await grow({ messages: CARE_CHAT.slice(0, 40) }, settings, own);
    return { nodes, fault, languages, failures, prompts: model.requests.map((request) => request.prompt) };
  };

  it('asks again for a summary in the language of the conversation', async () => {
    const { nodes, languages, prompts } = await summarizeCare([goodAnswer(english), goodAnswer(german)]);
    assert.deepEqual([nodes[0]?.rung, nodes[0]?.detailed, languages], ['retry', german, []]);
    assert.match(prompts[1]!, /\n- It was in English, but the record is not\. Write in the language of the record\.\n/);
  });

  it('asks once if the language is right or the user’s prompt may want another one', async () => {
    for (const [answer, prompt] of [
      [german, ''],
      [english, 'In English.'],
    ] as const) {
      const { nodes, languages, prompts } = await summarizeCare([goodAnswer(answer)], {}, prompt);
      assert.deepEqual([nodes[0]?.rung, nodes[0]?.detailed, languages], ['model', answer, []]);
      assert.equal(prompts.length, 1);
    }
  });

  const other = english.replace('this week', 'next week');
  for (const [what, second, rung, text, nextPrompts] of [
    ['is in the wrong language, too, and then asks once', goodAnswer(other), 'retry', other, 1],
    ['is unusable, and then asks once', '', 'model', english, 1],
    ['is refused, and then asks once', refusal, 'model', english, 1],
    ['fails for another reason, and then asks again', overload, 'model', english, 2],
  ] as const)
    it(`accepts a summary in the wrong language, and reports it, if the second response ${what}`, async () => {
      const languageRetries: Retries = new Map();
      const made = await summarizeCare([goodAnswer(english), second], { languageRetries });
      assert.deepEqual([made.nodes[0]?.rung, made.nodes[0]?.detailed, made.languages], [rung, text, ['English']]);
      assert.deepEqual([made.prompts.length, made.fault], [2, undefined]);
      assert.deepEqual(made.failures, second instanceof Error ? [String(second)] : []);
      const next = await summarizeCare([goodAnswer(english)], { languageRetries });
      assert.deepEqual([next.prompts.length, next.nodes[0]?.rung, next.languages], [nextPrompts, 'model', ['English']]);
    });

  for (const [what, second, requests] of [
    ['only for one of several segments sent at once if that doesn’t help', english, 5],
    ['for each of several segments sent at once if that helps', german, 8],
  ] as const)
    it(`asks again in the language of the conversation ${what}`, async () => {
      const model = scriptedModel((_, call) => goodAnswer(call <= 4 ? english : second));
      const { leaves } = await grow(
        { messages: CARE_CHAT.slice(0, 60) },
        {
          prompt: summaryPrompt('advisory', undefined, 'structured'),
          segment: { tokens: 10_000, messages: 15 },
        },
        tools({ model, languageRetries: new Map() }),
      );
      assert.deepEqual([leaves.length, model.requests.length], [4, requests]);
    });

  it('asks again if plain prose was cut off at the token limit, and accepts it at the last attempt', async () => {
    for (const [calls, rung] of [
      [1, 'retry'],
      [9, 'tight'],
    ] as const) {
      const model = scriptedModel(() => '');
      const { nodes } = await summarize({
        ...model,
        complete: (request) =>
          Promise.resolve(
            model.requests.push(request) <= calls
              ? { text: 'Retries were added, because', ending: 'length' }
              : { text: 'Retries were added.' },
          ),
      });
      assert.equal(nodes[0]?.rung, rung);
      assert.match(model.requests[1]!.prompt, /too long \(cut off at the limit\)/);
    }
  });

  it('sends a shorter prompt after a second bad response', async () => {
    const model = scriptedModel((_, call) => (call <= 2 ? '{"narrative": 5}' : 'Retries were added to the client.'));
    const { nodes } = await summarize(model);
    assert.equal(nodes[0]?.rung, 'tight');
    assert.ok(model.requests[2]!.prompt.length < model.requests[0]!.prompt.length);
  });

  for (const [name, answer] of [
    ['is empty', ''],
    ['is not JSON', 'Sure! Here is what you asked for: {"narrative": '],
    ['is a refusal', 'I’m sorry, but I can’t help with that.'],
    ['has no narrative', goodAnswer('')],
    [
      'is longer than its source',
      goodAnswer(Array.from({ length: 1_600 }, (_, n) => `And so part ${n} went on and on.`).join(' ')),
    ],
  ] as const) {
    it(`falls back to an extractive summary when every response ${name}`, async () => {
      const model = scriptedModel(() => answer);
      const { nodes, calls } = await summarize(model);
      assert.equal(nodes[0]?.rung, 'extractive');
      assert.equal(calls.count, 3);
      assert.match(nodes[0].detailed, /retry number/);
      assert.ok(nodes[0].tokens.detailed <= nodes[0].tokens.source * 0.3);
    });
  }

  it('truncates the messages when there is nothing to extract', async () => {
    const data = transcript(['tool', Array.from({ length: 80 }, (_, i) => `${i}, ${i * 7}, ${i * 13};`).join('\n')]);
    const { nodes } = await grow({ messages: data });
    assert.equal(nodes[0]?.rung, 'cut');
    assert.notEqual(nodes[0].brief, '');
  });

  it('prefers unusual statements over ledger entries in an extractive brief text', async () => {
    const output = Array.from({ length: 8 }, (_, line) => `row ${line} of 8 was written, 0 errors`).join('\n');
    const work = Array.from({ length: 60 }, (_, i): ['tool' | 'assistant', string] =>
      i % 2 === 0
        ? ['tool', output]
        : ['assistant', `The retries of client ${i} go through the queue of client ${i} now.`],
    );
    work.splice(11, 0, ['assistant', 'Beatriz walks past the old kiln with the brass ladder on Thursdays.']);
    const messages = transcript(...work);
    const ledger = messages.flatMap(({ content }, at) => {
      const text = messageText({ content });
      return text.startsWith('The retries') ? [[at, [detectedEvent(text)]] as const] : [];
    });
    const { nodes } = await grow({ messages, events: new Map(ledger) });
    assert.match(nodes[0]!.brief, /Beatriz walks past the old kiln/);
  });

  it('rethrows a provider error without a second request', async () => {
    const model = scriptedModel(() => {
      throw new Error('401 invalid key');
    });
    await assert.rejects(summarize(model), /401 invalid key/);
    assert.equal(model.requests.length, 1);
  });

  it('reports a provider error and extracts instead when extractiveOnFault is set', async () => {
    const model = scriptedModel(() => {
      throw new Error('429');
    });
    const { nodes, fault } = await summarize(model, { extractiveOnFault: true });
    assert.equal(nodes[0]?.rung, 'extractive');
    assert.equal((fault as Error).message, '429');
  });

  it('sends no request to a model whose input limit leaves no room for a prompt', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'), 100);
    const { nodes } = await summarize(model);
    assert.equal(model.requests.length, 0);
    assert.equal(nodes[0]?.rung, 'extractive');
  });

  // Three requests for one segment. One for each of the others that are sent at once, or for the second segment to see
  // whether the model has recovered.
  for (const [how, concurrency, requests] of [
    ['one segment after the other', 1, 4],
    ['several segments at once', 4, 6],
  ] as const)
    it(`stops asking a model that keeps giving bad responses to ${how}`, async () => {
      const model = scriptedModel(() => '');
      const { leaves } = await grow(
        { messages: developerSession(120) },
        { segment: { tokens: 2_000, messages: 120 }, concurrency },
        tools({ model }),
      );
      assert.ok(leaves.length >= 30);
      assert.equal(model.requests.length, requests);
    });

  it('asks once per compression after one without a usable response', async () => {
    const retries: Retries = new Map();
    const model = scriptedModel((_, call) => (call === 1 ? goodAnswer('Retries.') : ''));
    // The first compression has a usable response, the others don't.
    for (const requests of [5, 9, 10]) {
      await grow(
        { messages: developerSession(120) },
        { segment: { tokens: 2_000, messages: 120 }, concurrency: 1 },
        tools({ model, retries }),
      );
      assert.equal(model.requests.length, requests);
    }
  });

  it('counts the calls and tokens even when a later call fails', async () => {
    const calls = new CallLog();
    const model = scriptedModel((_, call) => {
      if (call > 1) throw new Error('gone');
      return '';
    });
    await assert.rejects(grow({ messages: session }, {}, tools({ model, calls })), /gone/);
    assert.equal(calls.count, 1);
    assert.ok(calls.inputTokens > 0);
  });

  it('summarizes several segments concurrently, up to the limit', async () => {
    let open = 0;
    let most = 0;
    const model = scriptedModel(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open--;
      return goodAnswer('Retries.');
    });
    await grow(
      { messages: developerSession(60) },
      { segment: { tokens: 3_000, messages: 120 }, concurrency: 3 },
      tools({ model }),
    );
    assert.equal(most, 3);
  });

  it('splits the summary of a long chat of short messages among concurrent requests', async () => {
    const messages = transcript(
      ...Array.from({ length: 400 }, (_, at): [Role, string] =>
        at % 2 === 0
          ? ['user', `Is table ${at} free at ${at % 12} on Friday, and can we sit outside there?`]
          : ['assistant', `Table ${at} is booked for ${at % 5} people under the name Guest${at}; it is outside.`],
      ),
    );
    const requestsOf = async (maxConcurrency: number): Promise<number> => {
      const model = { ...scriptedModel(() => goodAnswer('Tables were booked.')), maxConcurrency };
      await grow({ messages }, { roomTokens: 800 }, tools({ model }));
      return model.requests.length;
    };
    assert.equal(await requestsOf(24), 2);
    assert.equal(await requestsOf(1), 1);
  });

  it('sends user and assistant messages in full, but only the informative part of tool output', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'));
    const messages = developerSession(40);
    await grow({ messages }, { roomTokens: 1_000 }, tools({ model }));
    const read = model.requests.map(({ prompt }) => prompt).join('\n');
    for (const { role, content } of messages) {
      const text = messageText({ content });
      if (role !== 'tool') assert.ok(read.includes(text), text);
    }
    assert.match(read, /connect ECONNREFUSED 10\.0\.0\.39:8080/);
    assert.doesNotMatch(read, /const value31 = compute/);
  });

  it('asks for fewer words when names and paths take more tokens each', async () => {
    const words = async (path: (n: number) => string): Promise<number> => {
      const said = Array.from(
        { length: 40 },
        (_, n) => `Step ${n} moved what it reads to ${path(n)} and left the rest.`,
      );
      const model = scriptedModel(() => goodAnswer('The rest was left.'));
      const messages = transcript(...said.map((text) => ['assistant', text] as const));
      await grow({ messages }, { roomTokens: 300 }, tools({ model }));
      return requestedWords(model.requests[0]!.prompt);
    };
    const few = await words((n) => `pkg/spi/store_${n}/journal-v${n}/fsync_test.go:${n}`);
    const many = await words((n) => `the ${n} old shelf by the door`);
    assert.ok(few < many * 0.85, `${few} and ${many} words`);
  });

  it('asks for as many words as there is room for, within the user’s token limit', async () => {
    const words = async (roomTokens: number, maxTokens: number): Promise<number[]> => {
      const model = scriptedModel(() => goodAnswer('Retries.'));
      await grow({ messages: developerSession(30) }, { roomTokens, maxTokens }, tools({ model }));
      const [request] = model.requests;
      return [requestedWords(request!.prompt), request!.maxTokens];
    };
    const [few, fewTokens] = await words(400, 2_000);
    const [many, manyTokens] = await words(1_200, 2_000);
    assert.ok(few! > 200 && few! < 260, `${few}`);
    assert.ok(many! > 640 && many! < 700, `${many}`);
    assert.ok(fewTokens! < manyTokens! && manyTokens! <= 2_000);
    assert.equal((await words(1_200, 300))[1], 300);
    // The policy's description promises up to 500 words.
    const [long] = await words(5_000, POLICIES['long-memory'].summary.maxTokens);
    assert.ok(long! > 390 && long! <= 500, `${long}`);
  });

  it('still asks the model about other segments after two with nothing to send', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'));
    const listings = transcript(['tool', LISTING]);
    const runs = [listings, listings, developerSession(40)].map((messages) => {
      return { messages, tokens: messages.map((one) => counter.message(one)) };
    });
    const { leaves, fault } = await summarizeRuns(runs, { ...SETTINGS, concurrency: 1 }, tools({ model }));
    assert.deepEqual(
      leaves.map(([leaf]) => leaf!.rung),
      ['extractive', 'extractive', 'model'],
    );
    assert.equal(fault, undefined);
  });

  it('says that nothing fits in the context window of a model that was not asked, unless there is nothing to send', async () => {
    const [talk, listing] = [developerSession(40), transcript(['tool', LISTING])];
    for (const [maxInputTokens, answer, messages, expected] of [
      [700, goodAnswer('Retries.'), talk, 'PromptsTooLong'],
      [100_000, '', talk, 'UnusableAnswers'],
      [100_000, goodAnswer('Retries.'), listing, undefined],
    ] as const) {
      const model = Object.assign(
        scriptedModel(() => answer),
        { maxInputTokens },
      );
      const { fault } = await summarizeRuns(
        [{ messages, tokens: messages.map((one) => counter.message(one)) }],
        SETTINGS,
        tools({ model }),
      );
      assert.equal((fault as Error | undefined)?.name, expected);
      assert.equal(model.requests.length > 0, expected === 'UnusableAnswers');
    }
  });

  it('treats only messages as unanswered about which the model was asked with all attempts', async () => {
    const model = scriptedModel(() => '');
    const runs = [1, 2].map(() => {
      const messages = developerSession(12);
      return { messages, tokens: messages.map((one) => counter.message(one)) };
    });
    const { leaves } = await summarizeRuns(runs, { ...SETTINGS, concurrency: 1 }, tools({ model }));
    assert.equal(model.requests.length, 4);
    assert.deepEqual(
      leaves.map(([leaf]) => leaf!.audit.faults.length),
      [1, 0],
    );
  });

  it('sends no request for a single message if many other messages are compressed with it', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'));
    const question = transcript(['user', `${'The retries must end after 40 seconds. '.repeat(14)}Why do they not?`]);
    const messages = developerSession(20);
    const runs = [question, messages].map((own) => ({ messages: own, tokens: own.map((one) => counter.message(one)) }));
    const made = await summarizeRuns(runs, SETTINGS, tools({ model }));
    assert.ok(model.requests.every(({ prompt }) => !prompt.includes('after 40 seconds')));
    assert.match(made.leaves[0]![0]!.detailed, /must end after 40 seconds/);
    assert.equal(made.leaves[0]![0]!.messages, 1);
  });

  it('extracts for messages that wait for a model what informs, even if there is room for all of them', async () => {
    const narration = Array.from({ length: 30 }, (_, at) => `Let me look at file${at}.ts and at handler${at} first.`);
    const messages = transcript(
      ['user', 'Why are the retries late?'],
      ...narration.map((text) => ['assistant', text] as const),
      ['tool', 'ok'],
      ['assistant', 'The retries are late because the queue holds them for 40 seconds.'],
    );
    const tokens = messages.map((one) => counter.message(one));
    const settings = { ...SETTINGS, roomTokens: 4_000 };
    const { leaves } = await summarizeRuns([{ messages, tokens, waits: true }], settings, tools({}));
    assert.match(leaves[0]![0]!.detailed, /queue holds them for 40 seconds/);
    assert.doesNotMatch(leaves[0]![0]!.detailed, /Let me/);
  });

  it('reads a part of short messages, and with the effort “thorough” nearly all but small talk', async () => {
    const messages = CARE_CHAT.slice(0, 40);
    const total = messages.reduce((sum, message) => sum + messageText(message).length, 0);
    const shareWith = async (effort: CostTier): Promise<number> => {
      const model = scriptedModel(() => goodAnswer('Oma zieht zu Jana.'));
      await grow({ messages }, { effort, roomTokens: 600 }, tools({ model }));
      return model.requests[0]!.prompt.split(/^=====\w+=====$/m)[1]!.length / total;
    };
    const shares = { byDefault: await shareWith('default'), thorough: await shareWith('thorough') };
    assert.ok(shares.byDefault < 0.75 && shares.thorough > 0.8, JSON.stringify(shares));
  });

  it('quotes at most a line of messages that inform about nothing, even if there is room', async () => {
    const chat = [
      ['user', 'Das hab ich mir fast gedacht, haha.'],
      ['assistant', 'Das spricht sehr dafür.'],
      ['user', 'Vielen lieben Dank euch allen.'],
      ['assistant', 'Gern, das freut mich.'],
    ] as const;
    const { leaves } = await grow({ messages: transcript(...chat) }, { roomTokens: 1_000 });
    assert.equal(leaves.length, 1);
    assert.ok(leaves[0]!.tokens.detailed <= 16, leaves[0]!.detailed);
  });

  it('stays within the cost limit for both short and long messages', async () => {
    const prices = [
      { input: 0.15, output: 0.6 },
      { input: 0.1, output: 0.5 },
      { input: 0.05, output: 0.4 },
    ];
    for (const price of prices)
      for (const [messages, effort, dollars] of [
        [developerSession(100, 60), 'default', 0.03],
        [developerSession(100, 60), 'economy', 0.0105],
        [developerSession(100, 2), 'default', 0.0105],
        [developerSession(100, 2), 'thorough', 0.02],
      ] as const) {
        const model = { ...scriptedModel(({ prompt }) => goodAnswer('retry '.repeat(requestedWords(prompt)))), price };
        const { calls } = await grow({ messages }, { roomTokens: 6_000, effort }, tools({ model }));
        const cost = (calls.inputTokens * price.input + calls.outputTokens * price.output) / 1e6;
        const perThousand = (cost * 1_000) / messages.length;
        assert.ok(perThousand <= dollars, `$${perThousand} for 1,000 messages, ${effort}, ${JSON.stringify(price)}`);
      }
  });

  it('sends a schema unless it would cost much of the limit of a short request', async () => {
    const short = CARE_CHAT.slice(0, 40);
    const hasSchema = async (messages: typeof short, price: SummaryModel['price']): Promise<boolean> => {
      const model = { ...scriptedModel(() => goodAnswer('Oma zieht zu Jana.')), price };
      await grow({ messages }, { roomTokens: 2_000 }, tools({ model }));
      return model.requests[0]!.jsonSchema !== undefined;
    };
    const price = { input: 0.1, output: 0.5 };
    assert.equal(await hasSchema(short, price), false);
    assert.equal(await hasSchema(short, undefined), true);
    assert.equal(await hasSchema(short, { input: 0, output: 0 }), true);
    assert.equal(await hasSchema(developerSession(60), price), true);
  });

  it('reads more with a cheaper model, and as much as at the assumed price with a dearer one', async () => {
    const promptTokens = async (price: SummaryModel['price'], effort: CostTier = 'default'): Promise<number> => {
      const model = {
        ...scriptedModel(({ prompt }) => goodAnswer('It ran. '.repeat(requestedWords(prompt) / 2))),
        price,
      };
      const { calls } = await grow({ messages: CARE_CHAT }, { roomTokens: 700, effort }, tools({ model }));
      return calls.inputTokens;
    };
    const unknown = await promptTokens(undefined);
    assert.equal(await promptTokens({ input: 0.15, output: 0.6 }), unknown);
    assert.equal(await promptTokens({ input: 1, output: 5 }), unknown);
    const cheaper = await promptTokens({ input: 0.1, output: 0.5 });
    const free = await promptTokens({ input: 0, output: 0 });
    assert.ok(cheaper > unknown * 1.15 && free >= cheaper, `${unknown}, ${cheaper}, ${free}`);
    assert.equal(free, await promptTokens(undefined, 'thorough'));
  });
});
