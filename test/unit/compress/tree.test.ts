import assert from 'node:assert/strict';
import { makeParent } from '../../../src/core/compress/tree.ts';
import { messageId, nodeId } from '../../../src/core/model/ids.ts';
import { nodeWith, type SummaryNode } from '../../../src/core/model/summary.ts';
import { developerSession, goodAnswer, grow, message, scriptedModel, tools } from './summarize-fixtures.ts';

const settings = { frontierTokens: 20_000, segment: { tokens: 2_000, messages: 120 } };

/** Number of first answers that contain a decision. */
const EARLY = 8;

describe('summary tree', () => {
  it('merges the oldest nodes when the frontier exceeds its share', async () => {
    const { frontier, nodes, tokens } = await grow(
      { messages: developerSession(120) },
      { ...settings, frontierTokens: 1_500 },
      tools(),
    );
    assert.ok(frontier[0]!.depth > 0);
    assert.ok(frontier[0]!.depth >= frontier.at(-1)!.depth);
    assert.ok(tokens <= 1_500);
    for (const node of nodes) {
      const children = nodes.filter(({ id }) => node.children.includes(id));
      if (node.depth > 0)
        assert.equal(
          node.messages,
          children.reduce((sum, child) => sum + child.messages, 0),
        );
    }
  });

  it('creates parent nodes without calling the model', async () => {
    const model = scriptedModel(() => goodAnswer('Retries were added.'));
    const { nodes } = await grow(
      { messages: developerSession(120) },
      { ...settings, frontierTokens: 300 },
      tools({ model }),
    );
    assert.ok(nodes.some(({ depth }) => depth > 0));
    assert.equal(model.requests.length, nodes.filter(({ depth }) => depth === 0).length);
  });

  it('leaves old nodes unchanged when new messages arrive and there is room', async () => {
    const session = developerSession(60);
    const first = await grow({ messages: session.slice(0, 120) }, settings, tools());
    const second = await grow({ messages: session.slice(120), frontier: first.frontier }, settings, tools());
    assert.deepEqual(second.frontier.slice(0, first.frontier.length), first.frontier);
  });

  it('limits the size of every summary’s text as the session grows', async () => {
    const { frontier } = await grow(
      { messages: developerSession(200) },
      { ...settings, frontierTokens: 2_000 },
      tools(),
    );
    for (const { tokens } of frontier) assert.ok(tokens.brief <= 400 && tokens.detailed <= 1_600, `${tokens.brief}`);
  });

  for (const isKnown of [true, false])
    it(`keeps early decisions through any number of merges ${isKnown ? 'of the original summaries' : 'of already merged summaries'}`, async () => {
      const decided = (call: number): string => `Ingrid keeps lantern ${call} at pier ${call + 40}`;
      const model = scriptedModel((_, call) =>
        goodAnswer('Retries were added here.', {
          decisions: call <= EARLY ? [decided(call)] : [],
          outcomes: [`run ${call} passed`],
        }),
      );
      let frontier: readonly SummaryNode[] = [];
      const known: SummaryNode[] = [];
      const session = developerSession(240);
      const { nextId } = tools();
      let joins = 0;
      for (let at = 0; at < session.length; at += 20) {
        const grown = await grow(
          { messages: session.slice(at, at + 20), frontier, known: isKnown ? known : [] },
          { ...settings, frontierTokens: 620, concurrency: 1 },
          tools({ model, nextId }),
        );
        ({ frontier } = grown);
        known.push(...grown.nodes);
        joins += grown.nodes.filter(({ depth }) => depth > 0).length;
      }
      assert.ok(joins > 5, `${joins} joins`);
      assert.ok(isKnown || frontier.some(({ depth }) => depth > 1));
      const told = frontier.map(({ detailed }) => detailed).join('\n');
      for (let call = 1; call <= EARLY; call++) assert.ok(told.includes(decided(call)), decided(call));
    });

  it('prefers an assistant’s rare facts over a user’s common phrases', async () => {
    const names = ['Halcyon', 'Bergen', 'Lerwick', 'Marta', 'Tromsø', 'Quince', 'Osprey', 'Wexford'];
    const words = ['run', 'tests', 'file', 'result', 'change', 'again', 'build', 'error'];
    const word = (at: number): string => words[(at * 7 + (at >> 3) * 3) % 8]!;
    const common = (at: number): string =>
      `Please look at the ${word(at)} and then at the ${word(at * 3 + 1)} of the ${word(at * 5 + 2)}.`;
    const several = (at: number): string => Array.from({ length: 5 }, (_, more) => common(at * 5 + more)).join(' ');
    const fact = (at: number): string =>
      `The ${names[at % 8]} of ${names[(at * 5 + 3) % 8]} is number ${at * 37 + 11}.`;
    const session = Array.from({ length: 80 }, (_, at) =>
      at % 2 === 0
        ? message(at, 'user', several(at))
        : message(at, 'assistant', `${several(at + 3)} ${at < 25 ? fact(at) : ''}`),
    );
    const { frontier } = await grow(
      { messages: session },
      { frontierTokens: 400, segment: { tokens: 300, messages: 40 } },
      tools(),
    );
    const [oldest] = frontier;
    assert.ok(oldest && oldest.depth > 0);
    assert.match(oldest.detailed, /is number \d+\./);
  });

  it('names the speaker of a sentence that had shared its name with another one', async () => {
    const leaf = (n: number, detailed: string): SummaryNode =>
      nodeWith({
        id: nodeId(`n${n}`),
        first: messageId(`m${n}`),
        last: messageId(`m${n}`),
        messages: 1,
        brief: detailed,
        detailed,
        tokens: { source: 900, brief: 45, detailed: 45 },
      });
    const chatter = 'It is nice, and it is good, and all of that is as it was, and so it will be again, as it is.';
    const parent = await makeParent(
      [
        leaf(1, `user: Karim: ${chatter}\nMy locker in Lerwick has the number 4711.`),
        leaf(2, `user: The ferry to Tromsø leaves at 06:10.\nassistant: ${chatter}\n${chatter} So it is.`),
      ],
      tools(),
      { brief: 20, detailed: 45 },
    );
    const lines = parent!.detailed.split('\n').filter((line) => /4711|06:10/.test(line));
    assert.deepEqual(lines, [
      'user: Karim: My locker in Lerwick has the number 4711.',
      'user: The ferry to Tromsø leaves at 06:10.',
    ]);
  });

  it('keeps a model’s structured entries in the parent node', async () => {
    const model = scriptedModel((_, call) =>
      goodAnswer('Retries.', { decisions: [`limit ${call}`], files: ['http1.ts'] }),
    );
    const { frontier } = await grow(
      { messages: developerSession(120) },
      { ...settings, frontierTokens: 600, concurrency: 1 },
      tools({ model }),
    );
    const parent = frontier.find(({ depth }) => depth > 0);
    assert.ok(parent?.structured);
    assert.deepEqual(parent.structured.files, ['http1.ts']);
    assert.ok(parent.structured.decisions.length > 1);
  });

  it('keeps a model’s entries alongside quotes from the parts that no model summarized', async () => {
    const model = scriptedModel((_, call) =>
      call > 1 && call < 5 ? '' : goodAnswer('Retries.', { decisions: [`limit ${call}`] }),
    );
    const { frontier } = await grow(
      { messages: developerSession(120) },
      { ...settings, frontierTokens: 900, concurrency: 1 },
      tools({ model }),
    );
    const parent = frontier.find(({ depth }) => depth > 0);
    assert.match(parent?.detailed ?? '', /^Retries\.[^]*\*\*Decisions\*\*\n- limit \d+[^]*\*\*Facts\*\*\n- \w+: /);
    assert.doesNotMatch(parent?.detailed ?? '', /^summary: |\*\*\n\*\*/m);
    assert.ok((parent?.structured?.decisions.length ?? 0) > 1);
  });

  it('does not summarize a message that is too small to be shortened', async () => {
    const { covered, nodes } = await grow({ messages: [message(0, 'user', 'ok')] }, settings, tools());
    assert.equal(covered, 0);
    assert.equal(nodes.length, 0);
  });

  it('reports its progress', async () => {
    const seen: number[] = [];
    await grow({ messages: developerSession(60) }, settings, tools({ report: ({ done }) => seen.push(done) }));
    const expected = seen.map((_, at) => at + 1);
    assert.deepEqual(seen, expected);
  });
});
