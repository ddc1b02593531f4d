import assert from 'node:assert/strict';
import { areSummariesAsWritten, summarizedShares } from '../../../src/core/context/summarized-events.ts';
import { messageId, nodeId } from '../../../src/core/model/ids.ts';
import { nodeWith, type Level } from '../../../src/core/model/summary.ts';
import { CancellableYielder } from '../../../src/core/pace/cancellable-yielder.ts';
import { keyEvent } from '../../support/key-events.ts';

const place = { first: messageId('m0'), last: messageId('m9'), messages: 10 };
const node = { ...nodeWith({ id: nodeId('n'), ...place }), detailed: 'Port 8401.' };

describe('key events that a model read before it summarized them', () => {
  const sharesOf = (read: string, quotes: readonly string[]) =>
    summarizedShares(
      quotes.map((quote) => keyEvent(quote)),
      new Map([[node.id, read]]),
      ({ quote }) => ({ node, role: quote.startsWith('$') ? 'tool' : 'user' }),
      new CancellableYielder(),
    );

  it('are summarized in the share of their words that the summary repeats, in which numbers count more', async () => {
    const quote = 'Gateway listens: 8401.';
    assert.deepEqual([...(await sharesOf(`user: ${quote}`, [quote])).values()], [3 / 5]);
  });

  it('include those of tools even if unread, but no others that weren’t read', async () => {
    const read = 'Port 8401.';
    const shares = await sharesOf(`user: ${read}`, [read, '$ npm test failed', 'Deploy on Mondays.']);
    assert.deepEqual([...shares.values()], [1, 1]);
  });

  it('count only while every summary is sent as it was written', () => {
    const sent = (children: readonly string[], level: Level): boolean =>
      areSummariesAsWritten({
        frontier: [{ node: { ...node, children: children.map(nodeId) }, from: 0, to: 9 }],
        levels: new Map([[node.id, level]]),
      });
    assert.deepEqual([sent([], 'detailed'), sent(['a', 'b'], 'detailed'), sent([], 'brief')], [true, false, false]);
  });
});
