import assert from 'node:assert/strict';
import { compressPreserveEvents } from '../../../src/core/compress/compress-preserve-events.ts';
import {
  compressTranscript,
  TargetTooSmall,
  type CompressedTranscript,
} from '../../../src/core/compress/compress-transcript.ts';
import { summarizeHierarchical } from '../../../src/core/compress/summarize-hierarchical.ts';
import { summarizeRecursive } from '../../../src/core/compress/summarize-recursive.ts';
import { Cancelled, type SourceMessage } from '../../../src/core/compress/source.ts';
import { alwaysDue } from '../../support/breathers.ts';
import { counter, developerSession, goodAnswer, message, scriptedModel, tools, transcript } from './scripted.ts';

const textOf = ({ messages }: CompressedTranscript): string =>
  messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n');
const wordOf = (one: SourceMessage | undefined): string =>
  one?.content[0]?.type === 'text' ? one.content[0].text : assert.fail('no text');

describe('compressing a transcript to a target', () => {
  const session = developerSession(60);

  it('sends the newest messages word for word and the earlier ones as a summary', async () => {
    const result = await compressTranscript(session, { targetTokens: 6_000, keepRecent: 4 }, tools());
    assert.equal(result.messages[0]?.role, 'system');
    assert.deepEqual(
      result.messages.slice(1).map(({ content }) => content),
      session.slice(-4).map(wordOf),
    );
    assert.ok(result.tokens.after <= 6_000);
    assert.ok(result.tokens.after >= 5_400, `${result.tokens.after} of 6000 tokens are used`);
  });

  it('counts exactly what is sent', async () => {
    const { messages, tokens } = await compressTranscript(session, { targetTokens: 4_000 }, tools());
    const sum = messages.reduce((total, { role, content }) => {
      const blocks = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
      return total + counter.message({ role, content: blocks });
    }, 0);
    assert.equal(tokens.after, sum);
  });

  it('shrinks the window that does not fit, the newest user message last', async () => {
    const request = 'Please keep this sentence exactly as it is, with its “quotes” and all.';
    const long = 'word '.repeat(3_000);
    const messages = [
      ...session,
      message(900, 'user', request),
      message(901, 'assistant', long),
      message(902, 'tool', long),
    ];
    const result = await compressTranscript(messages, { targetTokens: 2_000, keepRecent: 10 }, tools());
    assert.ok(result.messages.some(({ role, content }) => role === 'user' && content === request));
    assert.ok(result.tokens.after <= 2_000);
    assert.deepEqual(
      result.messages.map(({ role }) => role),
      ['system', 'user', 'system'],
    );
  });

  it('says so when not even the newest user message fits', async () => {
    const messages = [...session, message(900, 'user', 'word '.repeat(3_000))];
    await assert.rejects(
      compressTranscript(messages, { targetTokens: 1_000 }, tools()),
      (error) => error instanceof TargetTooSmall && error.needed > 3_000,
    );
  });

  it('returns a short transcript as it is, without asking a model', async () => {
    const model = scriptedModel(() => goodAnswer('x'));
    const short = session.slice(0, 4);
    const { messages, tokens, nodes } = await compressTranscript(short, { targetTokens: 50_000 }, tools({ model }));
    assert.deepEqual(
      messages.map(({ content }) => content),
      short.map(wordOf),
    );
    assert.equal(tokens.before, tokens.after);
    assert.equal(nodes.length + model.requests.length, 0);
  });

  it('returns nothing for nothing', async () => {
    const { messages, tokens } = await compressTranscript([], { targetTokens: 100 }, tools());
    assert.deepEqual([messages.length, tokens.before, tokens.after], [0, 0, 0]);
  });

  it('keeps the system prompt', async () => {
    const prompt = 'You are a careful assistant.';
    const { messages } = await compressTranscript(
      [message(900, 'system', prompt), ...session],
      { targetTokens: 3_000 },
      tools(),
    );
    assert.equal(messages[0]?.content, prompt);
  });

  it('lists every key event with its place and whether it is sent', async () => {
    const messages = transcript(
      ['user', 'We never deploy on Fridays.'],
      ...session.map((one) => [one.role, wordOf(one)] as const),
      ['user', 'go on'],
    );
    const result = await compressTranscript(messages, { targetTokens: 5_000, keepRecent: 2 }, tools());
    const event = result.events.find(({ message: at }) => at === 0);
    assert.ok(event);
    assert.equal(event.quote, wordOf(messages[0]).slice(event.start, event.end));
    assert.equal(event.status, 'active');
    for (const { status, quote } of result.events) {
      if (status === 'active') assert.ok(textOf(result).includes(quote), quote);
    }
  });

  it('tells no more of what was replaced, and what stands beside it', async () => {
    const older = 'The freight store is built on DuckDB because the vendor stops support in spring.';
    const newer = 'The freight store moves to Kafka after all, because the reports need joins.';
    const beside = 'Rosalind looks after the tide chart.';
    const said = [...session.slice(0, 40), message(900, 'user', `${older} ${beside}`), ...session.slice(40)];
    said.splice(120, 0, message(901, 'user', newer));
    for (const targetTokens of [3_000, 12_000, 40_000]) {
      const result = await compressTranscript(said, { targetTokens }, tools());
      const text = textOf(result);
      assert.ok(text.includes('moves to Kafka'), `${targetTokens}`);
      assert.ok(!text.includes('DuckDB'), `${targetTokens}`);
      if (targetTokens > 3_000) assert.ok(text.includes('tide chart'), `${targetTokens}`);
    }
  });

  it('makes nodes that cover what is not sent, each message by one frontier node', async () => {
    const { nodes } = await compressTranscript(session, { targetTokens: 4_000, keepRecent: 4 }, tools());
    const children = new Set(nodes.flatMap(({ node }) => node.children));
    const frontier = nodes.filter(({ node }) => !children.has(node.id)).sort((a, b) => a.from - b.from);
    assert.equal(frontier[0]?.from, 0);
    assert.equal(frontier.at(-1)?.to, session.length - 5);
    for (const [at, { from }] of frontier.entries()) if (at > 0) assert.equal(from, frontier[at - 1]!.to + 1);
  });

  it('uses a model’s words, and the source’s for what the model did not mention', async () => {
    const model = scriptedModel((_, call) => goodAnswer(`Part ${call} was about retries.`));
    const result = await compressTranscript(session, { targetTokens: 5_000 }, tools({ model }));
    assert.match(textOf(result), /Part 1 was about retries\./);
    assert.match(textOf(result), /we agreed on a limit of/);
    assert.equal(result.calls.count, model.requests.length);
  });

  it('lists what a model names and the source says, within the target, and nothing that it invents', async () => {
    const told = 'Why was the lamp on the old pier green?';
    const messages = [message(900, 'user', told), ...session];
    const events = [
      { kind: 'fact', quote: told },
      { kind: 'decision', quote: 'We will paint the lamp blue.' },
    ];
    const model = scriptedModel(() => goodAnswer('It was about retries.', { events }));
    const result = await compressTranscript(messages, { targetTokens: 5_000 }, tools({ model }));
    const named = result.events.filter(({ reason }) => reason === 'named by the summarizer');
    assert.deepEqual(
      named.map(({ message: at, quote, status }) => [at, quote, status]),
      [[0, told, 'active']],
    );
    assert.ok(textOf(result).includes(told));
    assert.ok(!textOf(result).includes('paint the lamp'));
    assert.ok(result.tokens.after <= 5_000);
    const leaf = result.nodes.find(({ node }) => node.depth === 0);
    assert.deepEqual(leaf?.node.audit.events, { known: 1, total: 2 });
  });

  it('does nothing when compression is off', async () => {
    const { messages, nodes } = await compressTranscript(session, { targetTokens: 100, strategy: 'off' }, tools());
    assert.equal(messages.length, session.length);
    assert.equal(nodes.length, 0);
  });

  it('trims without a model: as many of the newest as fit', async () => {
    const model = scriptedModel(() => goodAnswer('x'));
    const result = await compressTranscript(session, { targetTokens: 3_000, strategy: 'trim' }, tools({ model }));
    assert.equal(model.requests.length, 0);
    assert.equal(result.messages.at(-1)?.content, wordOf(session.at(-1)));
    assert.ok(result.messages.length > 4);
    assert.ok(result.tokens.after <= 3_000);
  });

  it('lets others run and stops when it is cancelled', async () => {
    let yields = 0;
    const cancel = { aborted: false };
    const breather = alwaysDue(() => {
      yields++;
      cancel.aborted = yields > 3;
    });
    await assert.rejects(
      compressTranscript(developerSession(400), { targetTokens: 3_000 }, tools({ breather, cancel })),
      Cancelled,
    );
    assert.equal(yields, 4);
  });
});

describe('the three calls', () => {
  const session = developerSession(80);

  it('summarizeRecursive brings any length under its target', async () => {
    for (const target of [50, 120, 500, 3_000]) {
      const { tokens, text, unchanged } = await summarizeRecursive(session, target, tools());
      assert.ok(tokens <= target, `${tokens} of ${target}`);
      assert.ok(tokens > target * 0.6, `${tokens} of ${target} used`);
      assert.notEqual(text, '');
      assert.equal(unchanged, false);
    }
  });

  it('summarizeRecursive returns what is short as it is, and nothing for nothing', async () => {
    const model = scriptedModel(() => goodAnswer('x'));
    const short = await summarizeRecursive(transcript(['user', 'Hi.'], ['assistant', 'Hello.']), 100, tools({ model }));
    assert.deepEqual([short.text, short.unchanged], ['user: Hi.\nassistant: Hello.', true]);
    const empty = await summarizeRecursive([], 100, tools({ model }));
    assert.deepEqual([empty.text, empty.tokens], ['', 0]);
    assert.equal(model.requests.length, 0);
  });

  it('summarizeHierarchical keeps its levels to a tenth, three and seven tenths', async () => {
    const model = scriptedModel((_, call) => goodAnswer(`Part ${call}.`));
    const { tokens, brief, detailed } = await summarizeHierarchical(session, tools({ model }));
    assert.ok(tokens.brief <= tokens.source * 0.1);
    assert.ok(tokens.detailed <= tokens.source * 0.3);
    assert.ok(tokens.full <= tokens.source * 0.7);
    assert.ok(brief.length < detailed.length);
    assert.ok(tokens.detailed <= tokens.full);
  });

  it('summarizeHierarchical tells in full what the other levels leave out: listings too, each line once', async () => {
    const line = (n: number): string => `row${n} := table.get(${n * 7}) ?? fallback${n}`;
    const listing = Array.from({ length: 40 }, (_, n) => line(n)).join('\n');
    const { tokens, detailed, full } = await summarizeHierarchical(
      transcript(
        ['user', 'Show me the table of the harbour, please; I want to see how its rows are filled in.'],
        ['tool', listing],
        ['assistant', 'The table of the harbour is filled row by row, and each row has a fallback of its own.'],
        ['tool', listing],
      ),
      tools(),
    );
    assert.doesNotMatch(detailed, /fallback30/);
    assert.equal(full.split(line(30)).length, 2);
    assert.ok(tokens.full > tokens.source * 0.4 && tokens.full <= tokens.source * 0.7, `${tokens.full}`);
  });

  it('summarizeRecursive brings 10,000 messages to 500 tokens, which it uses', async function () {
    const long = developerSession(3_400);
    assert.ok(long.length >= 10_000, `${long.length}`);
    const { tokens, text } = await summarizeRecursive(long, 500, tools());
    assert.ok(tokens <= 500 && tokens > 400, `${tokens}`);
    assert.equal(counter.text(text) + 4, tokens);
    const model = scriptedModel((_, call) => goodAnswer(`They set up part ${call} of the harbour.`));
    const told = await summarizeRecursive(long, 500, tools({ model }));
    assert.ok(told.tokens <= 500 && told.tokens > 250, `${told.tokens}`);
    assert.match(told.text, /part \d+ of the harbour/);
  });

  it('summarizeHierarchical asks a model once for a segment, whatever the levels', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'));
    await summarizeHierarchical(developerSession(6), tools({ model }));
    assert.equal(model.requests.length, 1);
  });

  it('summarizeHierarchical returns a short conversation as it is', async () => {
    const { brief, full, unchanged } = await summarizeHierarchical(transcript(['user', 'Hi.']), tools());
    assert.deepEqual([brief, full, unchanged], ['user: Hi.', 'user: Hi.', true]);
  });

  it('compressPreserveEvents stays within the target even when nothing has room', async () => {
    for (const target of [5, 20, 60, 200, 1_000]) {
      const messages = [...session, message(999, 'user', 'word '.repeat(500))];
      const { tokens } = await compressPreserveEvents(messages, target, tools());
      assert.ok(tokens.after <= target, `${tokens.after} of ${target}`);
    }
  });

  it('compressPreserveEvents keeps at least 95 of 100 key events word for word at a fifth of the tokens', async () => {
    const decisions = Array.from(
      { length: 60 },
      (_, n) => `We decided to call district ${n} of the harbour Heron ${n * 13}.`,
    );
    const talk = developerSession(120).flatMap((one, at) =>
      at % 8 === 0 ? [one, message(10_000 + at, 'user', decisions[(at / 8) % 60]!)] : [one],
    );
    const before = talk.reduce((sum, one) => sum + counter.message(one), 0);
    const result = await compressPreserveEvents(talk, Math.floor(before / 5), tools());
    const current = result.events.filter(({ status }) => status === 'active' || status === 'dropped');
    assert.ok(current.length >= 30, `${current.length}`);
    const sent = textOf(result);
    const kept = current.filter(({ quote }) => sent.includes(quote)).length;
    assert.ok(kept >= 0.95 * current.length, `${kept} of ${current.length}`);
    assert.ok(result.tokens.after <= before / 5);
  });

  it('compressPreserveEvents asks no model when all is key events', async () => {
    const model = scriptedModel(() => goodAnswer('x'));
    const said = Array.from(
      { length: 12 },
      (_, at) => ['user', `Room ${at * 7} belongs to team number ${at}.\n${'= '.repeat(300)}`] as const,
    );
    const detect = ({ text }: { text: string }) => {
      const end = text.indexOf('\n');
      return [
        {
          kind: 'fact' as const,
          quote: text.slice(0, end),
          start: 0,
          end,
          score: 1,
          importance: 2 as const,
          reason: 'all',
        },
      ];
    };
    const result = await compressPreserveEvents(
      transcript(...said),
      1_200,
      { ...tools({ model }), detect },
      { ledgerShare: 1, keepRecent: 1 },
    );
    assert.equal(result.calls.count, 0);
    assert.match(textOf(result), /Room 49 belongs to team number 7\./);
  });

  it('compressPreserveEvents summarizes all when there are no events', async () => {
    const model = scriptedModel((_, call) => goodAnswer(`Part ${call}.`));
    const result = await compressPreserveEvents(session, 4_000, {
      ...tools({ model }),
      detect: () => [],
    });
    assert.equal(result.events.length, 0);
    assert.match(textOf(result), /Part 1\./);
  });
});
