import assert from 'node:assert/strict';
import { messageText } from '../../../src/core/model/message.ts';
import { compressPreserveEvents } from '../../../src/app/public-api.ts';
import { localModel } from '../../../src/providers/local.ts';
import { Harness, says } from './harness.ts';
import { summarizeRuns } from '../../../src/core/compress/summarize.ts';
import { message, SETTINGS, tools } from '../compress/summarize-fixtures.ts';
import { openForEachTest } from '../../support/per-test.ts';

const TURNS = 30;
const NOTICE = /model is configured|Nothing in this session/;

describe('the local provider’s replies', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  const session = async () => {
    harness.chat = localModel(() => Promise.resolve([]));
    const conversation = await harness.converse();
    for (let turn = 0; turn < TURNS; turn++)
      await conversation.send(`We decided to keep table ${turn} in region ${turn * 7}, because the reports read it.`);
    return conversation;
  };

  it('are neither summarized nor searched for key events', async () => {
    const conversation = await session();
    const outcome = await conversation.compressNow();
    assert.ok(outcome.kind === 'committed');
    const replies = new Set(
      [...conversation.state.messages.values()].filter(({ model }) => model === 'local').map(({ id }) => id),
    );
    assert.equal(replies.size, TURNS);
    const { nodes, events, tokens } = outcome.record;
    assert.ok(events.length > 0);
    assert.ok(events.every(({ message }) => !replies.has(message)));
    assert.doesNotMatch(JSON.stringify(nodes), NOTICE);
    assert.equal(tokens.after, conversation.context().total);
  });

  it('are not read to verify a summary', async () => {
    const conversation = await session();
    await conversation.compressNow();
    const [cover] = conversation.state.frontier;
    const quote = 'keep table 2 in region 14';
    harness.summarizer = says(JSON.stringify({ statements: [{ n: 1, verdict: 'told', quote }] }));
    const { statements } = await harness.checkSummary(conversation, cover!.node.id);
    assert.ok(harness.summaryRequests.length > 0);
    assert.doesNotMatch(JSON.stringify(harness.summaryRequests), NOTICE);
    const [source] = statements[0]!.sources;
    assert.ok(messageText(conversation.state.messages.get(source!.message)!).includes(quote));
  });

  it('leave only an ellipsis if nothing else is between two summaries', async () => {
    const reply = { ...message(1, 'assistant', 'No model is configured.'), model: 'local' };
    const run = { messages: [reply], tokens: [10], isBetween: true };
    const { leaves } = await summarizeRuns([run], SETTINGS, tools());
    const details = leaves[0]?.map(({ detailed }) => detailed);
    assert.deepEqual(details, ['…']);
  });

  it('are neither in the library, but sent while they are recent', async () => {
    const messages = Array.from({ length: TURNS }, (_, turn) => [
      { role: 'user' as const, content: `We decided to keep table ${turn} in region ${turn * 7}, as reports read it.` },
      { role: 'assistant' as const, content: `Turn ${turn}: no model is configured.`, model: 'local' },
    ]).flat();
    const { messages: sent, nodes, events } = await compressPreserveEvents(messages, 800, { keepRecent: 4 });
    assert.ok(nodes.length > 0 && events.length > 0);
    assert.doesNotMatch(JSON.stringify([nodes, events]), NOTICE);
    assert.equal(sent.at(-1)?.content, messages.at(-1)!.content);
  });
});
