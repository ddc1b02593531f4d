import assert from 'node:assert/strict';
import { compressRun, DEFAULT_RUN_SETTINGS, type RunSettings } from '../../../src/core/compress/compress-run.ts';
import { CallLog, ModelTrust } from '../../../src/core/compress/summary-model.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { Cancelled } from '../../../src/core/compress/source.ts';
import type { NodeContent } from '../../../src/core/compress/leaf.ts';
import { summaryPrompt } from '../../../src/core/prompts/render.ts';
import { counter, developerSession, goodAnswer, scriptedModel, tools, transcript } from './scripted.ts';

const settings: RunSettings = { ...DEFAULT_RUN_SETTINGS, prompt: summaryPrompt('developer'), frontierTokens: 20_000 };
const session = developerSession(6);
const summarize = (model: ReturnType<typeof scriptedModel>, more: Partial<RunSettings> = {}) =>
  compressRun({ messages: session, frontier: [] }, { ...settings, ...more }, tools({ model }));

describe('the ladder of summaries', () => {
  it('takes a good answer at once and keeps where it came from', async () => {
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

  it('adds in the source’s own words what the model left out', async () => {
    const model = scriptedModel(() => goodAnswer('Something happened.'));
    const { nodes } = await summarize(model);
    assert.match(nodes[0]!.detailed, /we agreed on a limit of 3 attempts/);
  });

  it('tells the model what was wrong and takes its second answer', async () => {
    const model = scriptedModel((_, call) =>
      call === 1 ? goodAnswer('The user said "make it blue and shiny please".') : goodAnswer('Retries were added.'),
    );
    const { nodes } = await summarize(model);
    assert.equal(nodes[0]?.rung, 'retry');
    assert.match(model.requests[1]!.prompt, /make it blue and shiny please/);
  });

  it('asks for less when the second answer is bad too', async () => {
    const model = scriptedModel((_, call) => (call <= 2 ? '{"narrative": 5}' : 'Retries were added to the client.'));
    const { nodes } = await summarize(model);
    assert.equal(nodes[0]?.rung, 'tight');
    assert.ok(model.requests[2]!.prompt.length < model.requests[0]!.prompt.length);
  });

  for (const [name, answer] of [
    ['is empty', ''],
    ['is no JSON', 'Sure! Here is what you asked for: {"narrative": '],
    ['invents a quotation', goodAnswer('They said "we shall rewrite everything in COBOL".')],
    ['refuses', 'I’m sorry, but I can’t help with that.'],
    ['lacks its narrative', goodAnswer('')],
    ['is longer than its source', goodAnswer('And so it went on and on. '.repeat(400))],
  ] as const) {
    it(`summarizes by code when every answer ${name}`, async () => {
      const model = scriptedModel(() => answer);
      const { nodes, calls } = await summarize(model);
      assert.equal(nodes[0]?.rung, 'extractive');
      assert.equal(calls.count, 3);
      assert.match(nodes[0].detailed, /retry number/);
      assert.ok(nodes[0].tokens.detailed <= nodes[0].tokens.source * 0.3);
    });
  }

  it('cuts plainly where code finds nothing to say', async () => {
    const data = transcript(['tool', Array.from({ length: 80 }, (_, i) => `${i}, ${i * 7}, ${i * 13};`).join('\n')]);
    const { nodes } = await compressRun({ messages: data, frontier: [] }, settings, tools());
    assert.equal(nodes[0]?.rung, 'cut');
    assert.notEqual(nodes[0].brief, '');
  });

  it('tells by code in the brief text what is unusual, not what stands in the ledger anyway', async () => {
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
      return text.startsWith('The retries') ? [[at, [{ start: 0, end: text.length }]] as const] : [];
    });
    const input = { messages, frontier: [], wanted: new Map(ledger) };
    const { nodes } = await compressRun(input, settings, tools());
    assert.match(nodes[0]!.brief, /Beatriz walks past the old kiln/);
  });

  it('throws a provider’s fault on and commits nothing', async () => {
    const model = scriptedModel(() => {
      throw new Error('401 invalid key');
    });
    await assert.rejects(summarize(model), /401 invalid key/);
    assert.equal(model.requests.length, 1);
  });

  it('lets code stand in for a failing provider where that is accepted, and says so', async () => {
    const model = scriptedModel(() => {
      throw new Error('429');
    });
    const { nodes, fault } = await summarize(model, { allowExtractiveOnFault: true });
    assert.equal(nodes[0]?.rung, 'extractive');
    assert.equal((fault as Error).message, '429');
  });

  it('never sends more than the model takes', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'), 700);
    await compressRun({ messages: developerSession(60), frontier: [] }, settings, tools({ model }));
    assert.ok(model.requests.length > 0);
    for (const { system, prompt } of model.requests) {
      assert.ok(counter.text(system) + counter.text(prompt) <= 700);
    }
  });

  it('does not ask a model whose input has no room for a prompt', async () => {
    const model = scriptedModel(() => goodAnswer('Retries.'), 100);
    const { nodes } = await summarize(model);
    assert.equal(model.requests.length, 0);
    assert.equal(nodes[0]?.rung, 'extractive');
  });

  it('asks a model that answers badly less and less often', async () => {
    const model = scriptedModel(() => '');
    const { nodes } = await compressRun(
      { messages: developerSession(120), frontier: [] },
      { ...settings, segmentTokens: 2_000, concurrency: 1 },
      tools({ model }),
    );
    const leaves = nodes.filter(({ depth }) => depth === 0).length;
    assert.ok(leaves >= 30);
    // All three rungs once; from then on one answer shows whether it has become better.
    assert.ok(model.requests.length <= 8, `${model.requests.length} calls for ${leaves} segments`);
  });

  it('trusts a model again after a good answer', () => {
    const trust = new ModelTrust();
    trust.badAnswer();
    trust.badAnswer();
    assert.deepEqual([trust.ask(), trust.ask(), trust.ask()], [false, false, true]);
    trust.good();
    trust.badAnswer();
    assert.equal(trust.ask(), true);
  });

  it('never summarizes an unchanged segment twice', async () => {
    const model = scriptedModel(() => goodAnswer('Retries were added.'));
    const cache = new Map<string, NodeContent>();
    const first = await compressRun({ messages: session, frontier: [] }, settings, tools({ model, cache }));
    const again = await compressRun({ messages: session, frontier: [] }, settings, tools({ model, cache }));
    assert.equal(model.requests.length, 1);
    assert.equal(again.nodes[0]?.detailed, first.nodes[0]?.detailed);
  });

  it('summarizes again under another prompt', async () => {
    const model = scriptedModel(() => goodAnswer('Retries were added.'));
    const cache = new Map<string, NodeContent>();
    for (const preset of ['developer', 'customer'] as const) {
      await compressRun(
        { messages: session, frontier: [] },
        { ...settings, prompt: summaryPrompt(preset) },
        tools({ model, cache }),
      );
    }
    assert.equal(model.requests.length, 2);
  });

  it('stops when it is cancelled while the model answers', async () => {
    const cancel = { aborted: false };
    const model = scriptedModel(() => {
      cancel.aborted = true;
      return goodAnswer('Too late.');
    });
    await assert.rejects(
      compressRun({ messages: session, frontier: [] }, settings, tools({ model, cancel })),
      Cancelled,
    );
  });

  it('knows what was spent even when it fails', async () => {
    const calls = new CallLog();
    const model = scriptedModel((_, call) => {
      if (call > 1) throw new Error('gone');
      return '';
    });
    await assert.rejects(compressRun({ messages: session, frontier: [] }, settings, tools({ model, calls })), /gone/);
    assert.equal(calls.count, 1);
    assert.ok(calls.inputTokens > 0);
  });

  it('summarizes several segments at once, but no more than it may', async () => {
    let open = 0;
    let most = 0;
    const model = scriptedModel(async () => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 2));
      open--;
      return goodAnswer('Retries.');
    });
    await compressRun(
      { messages: developerSession(60), frontier: [] },
      { ...settings, segmentTokens: 3_000, concurrency: 3 },
      tools({ model }),
    );
    assert.equal(most, 3);
  });

  it('says of many short segments together no more than one summary would of the same messages', async () => {
    const short = transcript(
      ...Array.from({ length: 180 }, (_, at) => {
        const berths = Array.from({ length: 5 }, (_, n) => `Berth ${at * 5 + n} is let to skipper${at * 5 + n}.`);
        const text = `${berths.join(' ')} The rope of bay${at} frayed at knot${at}, and mast${at} leans by ${at} degrees.`;
        return ['user', text] as const;
      }),
    );
    const { nodes } = await compressRun({ messages: short, frontier: [] }, settings, tools());
    const leaves = nodes.filter(({ depth }) => depth === 0);
    assert.equal(leaves.length, 3);
    assert.ok(leaves.every(({ tokens }) => tokens.source > 4_000));
    const said = leaves.reduce((sum, { tokens }) => sum + tokens.detailed, 0);
    assert.ok(said <= settings.ceilings.detailed, `${said} tokens`);
  });

  it('asks first for the segments of most messages, whose answers are the longest', async () => {
    const talk = transcript(
      ...Array.from({ length: 90 }, (_, at) => ['user', `The answer to question ${at} is ${at * 7}.`] as const),
    );
    const messages = [...developerSession(6), ...talk.map((one, at) => ({ ...one, id: messageId(`m${100 + at}`) }))];
    const model = scriptedModel(() => goodAnswer('Retries.'));
    const { nodes, covered } = await compressRun(
      { messages, frontier: [] },
      { ...settings, segmentTokens: 1_000, concurrency: 2 },
      tools({ model }),
    );
    assert.equal(covered, messages.length);
    const room = model.requests.map(({ maxTokens }) => maxTokens);
    assert.ok(new Set(room).size > 1);
    assert.deepEqual(
      room,
      room.toSorted((a, b) => b - a),
    );
    const leaves = nodes.filter(({ depth }) => depth === 0).map(({ first }) => Number(first.slice(1)));
    assert.ok(leaves.length > 4);
    assert.deepEqual(
      leaves,
      leaves.toSorted((a, b) => a - b),
    );
  });
});
