import assert from 'node:assert/strict';
import { SessionSearch } from '../../../src/app/session-search.ts';
import { editSummary, expandNode, setLevel } from '../../../src/app/summary-changes.ts';
import { hitsOffBranch, isRelevant, contextStatuses, type ResultInContext } from '../../../src/app/context-status.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { messageId } from '../../../src/core/model/ids.ts';
import { fillAndCompress, Harness } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('context status of search results', () => {
  let harness: Harness;
  let conversation: Conversation;
  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.filled(4, (n) =>
      n === 0
        ? 'We will use port 8401 for the gateway.'
        : n === 2
          ? 'What about the purple dahlias of the aunt?'
          : 'All right.',
    );
    await fillAndCompress(conversation, 60);
  });

  const ask = async (query: string): Promise<ResultInContext | undefined> => {
    const search = new SessionSearch(() => conversation.state, harness.clock);
    await search.updateIndex();
    return contextStatuses(conversation.state, query, await search.search(query, 3), conversation.context())[0];
  };

  it('says whether a result is a key event, in a summary, only archived, or sent verbatim', async () => {
    assert.equal((await ask('gateway port 8401'))?.status.kind, 'ledger');
    const { id } = conversation.state.frontier[0]!.node;
    const { journal, counter } = conversation;
    await setLevel(journal, id, 'detailed');
    await editSummary(journal, counter, id, 'detailed', 'The aunt grows purple dahlias.');
    const told = await ask('purple dahlias aunt');
    assert.equal(told?.status.kind, 'summary');
    await editSummary(journal, counter, id, 'detailed', 'They talked about a listing.');
    assert.equal((await ask('purple dahlias aunt'))?.status.kind, 'archived');
    await expandNode(journal, id, 'always');
    assert.equal((await ask('purple dahlias aunt'))?.status.kind, 'verbatim');
  });

  it('says that a system message of an imported chat isn’t sent unless it’s summarized', async () => {
    const text = 'Always answer the marmalade questions in verse.';
    const message = { id: messageId('system'), parent: conversation.state.head, role: 'system', at: 1 } as const;
    await conversation.journal.append({
      type: 'message_added',
      message: { ...message, content: [{ type: 'text', text }] },
    });
    assert.ok(!JSON.stringify(conversation.context()).includes(text));
    assert.equal((await ask('marmalade questions verse'))?.status.kind, 'system');
  });

  it('finds a deleted message and reports it as off the branch', async () => {
    const message = conversation.state.path[2]!;
    await conversation.deleteMessage(message, true);
    const places = hitsOffBranch(conversation.state, 'purple dahlias aunt', 5).map((place) => [
      place.message,
      place.status.kind,
    ]);
    assert.deepEqual(places, [[message, 'off_branch']]);
    assert.deepEqual(hitsOffBranch(conversation.state, 'zebra crossing', 5), []);
  });

  it('treats a text as relevant if it contains half of the question’s content words, in any form', () => {
    const said = 'Mail day. I set up SMTP at her hoster; the reminders go out at nine.';
    for (const question of [
      'reminder mail SMTP timeout',
      'What did we say about the reminder mail?',
      'hosters',
      'SMTP',
    ])
      assert.ok(isRelevant(said, question), question);
    for (const question of ['zebra crossing in Timbuktu', 'mail zebra', 'What did we say about it?', 'port 8401'])
      assert.ok(!isRelevant(said, question), question);
    assert.ok(!isRelevant('It listens on port 84012.', 'gateway port 8401'));
  });
});
