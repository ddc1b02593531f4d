import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { expandNode, newestActiveCompression, undoCompressions } from '../../../src/app/summary-changes.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { snapshotEvents, snapshotSession } from '../../../src/storage/snapshot.ts';
import { fillAndCompress, Harness, says } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('session whose file was lost, restored from its snapshot', () => {
  let harness: Harness;
  let restored: Conversation;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    const lost = await harness.compressed(60);
    restored = await harness.converse();
    await restored.journal.append(...snapshotEvents(snapshotSession(lost.state)!).slice(1));
  });

  const summary = () => restored.state.frontier[0]!.node;

  /** The next request has the summary instead of the lost messages. */
  function assertSummarySent(): void {
    const { system, messages } = restored.context();
    assert.match(system.join('\n'), /What happens in part 2\?/);
    assert.deepEqual(
      messages.filter((message) => messageText(message).includes('lost')),
      [],
    );
  }

  const changes: Record<string, () => Promise<unknown>> = {
    'the summary is undone': () => restored.undoNodes([summary().id], true),
    'the summary is reverted for a turn': () => expandNode(restored.journal, summary().id, 'turn'),
    'the compression is undone': () => undoCompressions(restored.journal, [restored.state.compressions[0]!.id], true),
    'one of its messages is deleted': () => restored.deleteMessage(summary().first, true),
    'the summary is regenerated': () => harness.regenerateSummary(restored, { node: summary().id }),
  };
  for (const [what, change] of Object.entries(changes)) {
    it(`keeps the summary when ${what}, and the user is told why`, async () => {
      assertSummarySent();
      await assert.rejects(change(), { reason: 'lost' });
      assertSummarySent();
    });
  }

  it('keeps the summary when it is compressed again, now with a model', async () => {
    harness.summarizer = says('They went through all the parts, and each part was explained at some length.');
    await fillAndCompress(restored, 60);
    assertSummarySent();
    const read = harness.summaryRequests.map(({ messages }) => messages.map(messageText).join('\n')).join('\n');
    assert.doesNotMatch(read, /was lost/);
  });

  it('keeps the summary when the newest compression is undone, which can be', async () => {
    assert.equal(newestActiveCompression(restored.state), undefined);
    await fillAndCompress(restored, 60);
    await undoCompressions(restored.journal, [newestActiveCompression(restored.state)!], true);
    assertSummarySent();
    assert.equal(restored.state.frontier.length, 1);
  });
});
