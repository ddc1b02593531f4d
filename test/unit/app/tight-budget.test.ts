import assert from 'node:assert/strict';
import { messageText } from '../../../src/core/model/message.ts';
import { loadEncoding } from '../../../src/core/tokens/token-counter.ts';
import { factsIn, plantFacts } from '../../bench/data/facts.ts';
import { syntheticSession } from '../../bench/data/synthetic.ts';
import { metered } from '../../bench/models/metered.ts';
import { oracle } from '../../bench/models/oracle.ts';
import { playTurn, turnsOf } from '../../bench/turn-feed.ts';
import { Harness } from './harness.ts';

/** 2% of a session of 1,000 messages: about ten messages, or fifty facts and nothing else. */
const BUDGET = 3_400;
const SEEDS = process.env['THREADKEEPER_LONG'] ? [7, 8, 9, 12] : [7, 12];

describe('session with a small budget', () => {
  it('completes every turn and keeps facts that were stated once, whatever narration surrounds them', async () => {
    const counter = await loadEncoding('o200k_base');
    let kept = 0;
    let planted = 0;
    for (const seed of SEEDS) {
      const { transcript, facts } = plantFacts(syntheticSession(560), 30, seed);
      await using harness = await Harness.open();
      const { model, spent } = metered('oracle', counter, oracle({ counter, facts }));
      harness.summarizer = (request, signal) => model.stream(request, signal);
      harness.set({ contextWindow: BUDGET + harness.settings.reservedTokens });
      const conversation = await harness.converse();
      // Rejects if a turn fails.
      for (const turn of turnsOf(transcript)) await playTurn(harness, conversation, turn);
      const { system, messages, total } = conversation.context();
      const sent = [...system, ...messages.map((message) => messageText(message))].join('\n');
      const { compressions } = conversation.state.counters;
      await conversation.close();
      assert.ok(total <= BUDGET, `${total}`);
      // Changes that invalidate a plan are noticed before a model is called.
      assert.ok(spent.calls <= 1.1 * compressions, `${spent.calls} calls for ${compressions} compressions`);
      kept += factsIn(facts, sent).length;
      planted += facts.length;
    }
    assert.ok(kept >= 0.95 * planted, `${kept} of ${planted}`);
  });
});
