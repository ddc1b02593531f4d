import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { neutralizeTags } from '../../../src/core/text/fence.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import type { SessionEvent } from '../../../src/core/journal/schema.ts';
import { contentOf, type TranscriptMessage } from '../../../src/core/transcript/transcript-message.ts';
import { syntheticSession } from '../../bench/data/synthetic.ts';
import { playTurn, turnsOf } from '../../bench/turn-feed.ts';
import { checkRequest, requestTokens } from './checks.ts';
import { checkPromises } from './life.ts';
import type { HardModel } from './summarizers.ts';
import { World } from './world.ts';

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
  let world: World;
  beforeEach(async () => {
    world = await World.open();
  });
  afterEach(() => world.close());

  it('is compressed with all promises held, and answers on', async () => {
    await world.do({ do: 'model', name: 'good' });
    await world.do({ do: 'budget', tokens: 120_000, ledgerShare: 0.15 });
    await importAll(world.conversation, syntheticSession(10_000));
    const before = world.conversation.context();
    assert.equal((await world.conversation.compressNow()).kind, 'committed');
    const context = world.conversation.context();
    checkPromises(world, context);
    assert.ok(context.total < 0.7 * world.conversation.budget(), String(context.total));
    assert.ok(context.total < 0.1 * before.total);
    assert.ok(world.state.uncoveredCount <= 50);
    const [record] = world.state.compressions;
    assert.ok(world.calls <= 3 * (before.total / 12_000), `${world.calls} calls`);
    assert.ok(record!.calls.count <= world.calls);
    await world.do({ do: 'send', text: 'And what comes next?', attached: null });
    checkRequest(
      world.desk.requests.at(-1)!,
      'And what comes next?',
      world.conversation.budget(),
      world.conversation.counter,
    );
  });
});

/** Maximum input for a useless summarizer, as a share of the messages. */
const MAX_ASKED = 0.6;

describe(`a session of ${SIZE} messages, turn by turn, whose summarizer`, () => {
  const models: readonly (readonly [HardModel, string])[] = [
    ['throwing', 'fails at every call'],
    ['empty', 'answers nothing'],
    ['long', 'answers more than it was given'],
  ];
  for (const [name, what] of models) {
    it(`${what}: every turn proceeds, at little cost, and no key event is lost`, async () => {
      const world = await World.open();
      try {
        const { desk, conversation } = world;
        const { counter } = conversation;
        await world.do({ do: 'model', name });
        await world.do({ do: 'budget', tokens: 30_000, ledgerShare: 0.15 });
        let asked = 0;
        const script = desk.summarizer!;
        desk.summarizer = (request, signal) => {
          asked += requestTokens(request, counter);
          return script(request, signal);
        };
        const messages = syntheticSession(SIZE);
        for (const turn of turnsOf(messages)) {
          desk.requests.length = 0;
          await playTurn(desk, conversation, turn);
          assert.equal(desk.requests.length, 1, 'the turn proceeded');
          assert.ok(requestTokens(desk.requests[0]!, counter) <= conversation.budget());
          const context = conversation.context();
          const text = [...context.system, ...context.messages.map((one) => messageText(one))].join('\n');
          for (const { status, quote } of conversation.state.events.values())
            assert.ok(status !== 'active' || text.includes(neutralizeTags(quote)), quote);
        }
        checkPromises(world, conversation.context());
        assert.ok(conversation.state.counters.compressions > 0);
        const said = messages.reduce((sum, one) => sum + counter.text(one.text) + 4, 0);
        // Failing calls aren't paid for.
        assert.ok(asked < (name === 'throwing' ? 1.5 : MAX_ASKED) * said, `${asked} tokens asked of it, ${said} said`);
      } finally {
        await world.close();
      }
    });
  }
});
