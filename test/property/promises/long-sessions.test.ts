import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { neutralizeTags } from '../../../src/core/text/prompt-sections.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { contentOf, type TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { syntheticSession } from '../../bench/data/synthetic.ts';
import { playTurn, turnsOf } from '../../bench/turn-feed.ts';
import { checkRequest, requestTokens } from './checks.ts';
import { checkPromises } from './run-step.ts';
import type { HardModel } from './summarizers.ts';
import { Simulation } from './simulation.ts';

const SIZE = process.env['THREADKEEPER_LONG'] ? 1_000 : 300;

async function importAll({ journal, state }: Conversation, messages: readonly TranscriptMessage[]): Promise<void> {
  let parent = state.head;
  const events = messages.map((one, n): SessionEvent => {
    const id = messageId(`long-${n}`);
    const message = { id, parent, role: one.role, content: contentOf(one), at: n };
    parent = id;
    return { type: 'message_added', message };
  });
  await journal.append(...events);
}

describe('a session of 10,000 messages', () => {
  let simulation: Simulation;
  beforeEach(async () => {
    simulation = await Simulation.open();
  });
  afterEach(() => simulation.close());

  it('keeps all promises when compressed, and can be continued', async () => {
    await simulation.do({ do: 'model', name: 'good' });
    await simulation.do({ do: 'budget', tokens: 120_000, ledgerShare: 0.15 });
    await importAll(simulation.conversation, syntheticSession(10_000));
    const before = simulation.conversation.context();
    assert.equal((await simulation.conversation.compressNow()).kind, 'committed');
    const context = simulation.conversation.context();
    checkPromises(simulation, context);
    assert.ok(context.total < 0.7 * simulation.conversation.meter.budget(), String(context.total));
    assert.ok(context.total < 0.1 * before.total);
    assert.ok(simulation.state.uncompressedCount <= 50);
    const [record] = simulation.state.compressions;
    assert.ok(simulation.calls <= 3 * (before.total / 12_000), `${simulation.calls} calls`);
    assert.ok(record!.calls.count <= simulation.calls);
    await simulation.do({ do: 'send', text: 'And what comes next?', attached: null });
    checkRequest(
      simulation.harness.requests.at(-1)!,
      'And what comes next?',
      simulation.conversation.meter.budget(),
      simulation.conversation.counter,
    );
  });
});

/** Maximum input for a useless summarizer, as a share of the messages. */
const MAX_ASKED = 0.4;

describe(`a session of ${SIZE} messages, turn by turn`, () => {
  const models: readonly (readonly [HardModel, string])[] = [
    ['throwing', 'fails on every call'],
    ['empty', 'returns nothing'],
    ['long', 'returns more than its input'],
  ];
  for (const [name, what] of models) {
    it(`completes every turn at little cost and loses no key event when the summarizer ${what}`, async () => {
      await using simulation = await Simulation.open();
      const { harness, conversation } = simulation;
      const { counter } = conversation;
      await simulation.do({ do: 'model', name });
      await simulation.do({ do: 'budget', tokens: 30_000, ledgerShare: 0.15 });
      let asked = 0;
      const script = harness.summarizer!;
      harness.summarizer = (request, signal) => {
        asked += requestTokens(request, counter);
        return script(request, signal);
      };
      const messages = syntheticSession(SIZE);
      for (const turn of turnsOf(messages)) {
        harness.requests.length = 0;
        await playTurn(harness, conversation, turn);
        assert.equal(harness.requests.length, 1, 'the turn proceeded');
        assert.ok(requestTokens(harness.requests[0]!, counter) <= conversation.meter.budget());
        const context = conversation.context();
        const text = [...context.system, ...context.messages.map((one) => messageText(one))].join('\n');
        for (const { status, quote } of conversation.state.events.values())
          assert.ok(status !== 'active' || text.includes(neutralizeTags(quote)), quote);
      }
      checkPromises(simulation, conversation.context());
      assert.ok(conversation.state.counters.compressions > 0);
      const said = messages.reduce((sum, one) => sum + counter.text(one.text) + 4, 0);
      // Failing calls aren't paid for.
      assert.ok(
        asked < (name === 'throwing' ? 1.5 : MAX_ASKED) * said,
        `${asked} tokens sent to it for ${said} tokens of messages`,
      );
    });
  }
});
