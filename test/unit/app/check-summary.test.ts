import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { editSummary, setLevel, stepChange, SummaryFault } from '../../../src/app/summary-changes.ts';
import { nodeId } from '../../../src/core/model/ids.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { snapshotSession } from '../../../src/storage/snapshot.ts';
import { Desk, fill, says, type Script } from './desk.ts';

/** Finds one statement of the first that it is asked about told otherwise, and all others told. */
function finds(which: number): Script {
  let asked = 0;
  return (request, signal) => {
    const wrong = asked++ === 0 ? which : -1;
    const prompt = JSON.stringify(request.messages);
    const count = (prompt.match(/\\n\d+\. /g) ?? []).length;
    const statements = Array.from({ length: count }, (_, at) => ({
      n: at + 1,
      quote: '',
      verdict: at === wrong ? 'otherwise' : 'told',
      instead: at === wrong ? 'another part' : '',
    }));
    return says(JSON.stringify({ statements }))(request, signal);
  };
}

describe('a summary that a model holds against its messages', () => {
  let desk: Desk;
  let conversation: Conversation;

  beforeEach(async () => {
    desk = await Desk.open();
    conversation = await desk.converse();
    await fill(conversation, 60, (n) =>
      `Part ${n} of the listing is called part_${n}, and comes after part ${n - 1}. `.repeat(4),
    );
    assert.equal((await conversation.compressNow()).kind, 'committed');
    desk.summarizer = finds(1);
  });
  afterEach(() => desk.close());

  const first = (): SummaryNode => conversation.state.frontier[0]!.node;
  const unsupported = (): readonly string[] =>
    first().audit.faults.flatMap(({ kind, text }) => (kind === 'unsupported' ? [text] : []));

  it('has what was found noted with it, after a reload too, and sends what it sent before', async () => {
    const before = conversation.context().system.join('\n');
    const check = await desk.checkSummary(conversation, first().id);
    const wrong = check.statements[1]!;
    assert.deepEqual([wrong.reason, wrong.instead], ['told_otherwise', 'another part']);
    const said = first()[check.level]!.slice(wrong.start, wrong.end);
    assert.deepEqual(unsupported(), [said]);
    conversation = await desk.restart(conversation);
    assert.deepEqual(first().audit.check, check);
    assert.deepEqual(unsupported(), [said]);
    assert.equal(conversation.context().system.join('\n'), before);
    assert.equal(conversation.state.changes.length, 0, 'it is no change to be undone');
    assert.equal(conversation.state.stale.size, 0);
    assert.ok(conversation.state.counters.compressionTokens > 0, 'what it cost is on record');
  });

  it('is checked again in place of the first time', async () => {
    const { id } = first();
    const { faults } = first().audit;
    await desk.checkSummary(conversation, id);
    desk.summarizer = finds(0);
    const again = await desk.checkSummary(conversation, id);
    assert.deepEqual(unsupported(), [
      first()[again.level]!.slice(again.statements[0]!.start, again.statements[0]!.end),
    ]);
    desk.summarizer = finds(-1);
    await desk.checkSummary(conversation, id);
    assert.deepEqual(first().audit.faults, faults);
  });

  it('forgets what was found when its words are edited, and has it again when that is undone', async () => {
    const { id } = first();
    const { level } = await desk.checkSummary(conversation, id);
    const other = level === 'brief' ? 'detailed' : 'brief';
    await editSummary(conversation.journal, conversation.counter, id, other, 'Another level, by hand.');
    assert.equal(unsupported().length, 1);
    await editSummary(conversation.journal, conversation.counter, id, level, 'The listing, by hand.');
    assert.deepEqual([first().audit.check, unsupported()], [undefined, []]);
    await stepChange(conversation.journal, true);
    assert.equal(unsupported().length, 1);
  });

  it('is checked at the level that is sent', async () => {
    await setLevel(conversation.journal, first().id, 'brief');
    assert.equal((await desk.checkSummary(conversation, first().id)).level, 'brief');
    await setLevel(conversation.journal, first().id, 'detailed');
    assert.equal((await desk.checkSummary(conversation, first().id)).level, 'detailed');
  });

  it('does not fill the snapshot with what was found', async () => {
    await desk.checkSummary(conversation, first().id);
    const [kept] = snapshotSession(conversation.state)!.frontier;
    assert.equal(kept!.node.audit.check, undefined);
    assert.ok(kept!.node.audit.faults.every(({ kind }) => kind !== 'unsupported'));
  });

  it('is left as it was when the model fails, says nothing of use, or when nothing may be spent', async () => {
    const before = first();
    const refused = async (name: object): Promise<void> => {
      await assert.rejects(desk.checkSummary(conversation, before.id), name);
      assert.equal(first(), before);
    };
    desk.summarizer = async function* () {
      await Promise.resolve();
      yield* [];
      throw new TypeError('gone');
    };
    await refused(TypeError);
    desk.summarizer = says('I would rather not.');
    await refused({ name: 'SummaryFault', reason: 'unanswered' });
    assert.ok(conversation.state.counters.compressionTokens > 0, 'what an answer of no use cost is on record');
    desk.spendGate = { state: () => 'spent', spent: () => undefined };
    await refused({ name: 'SpendLimitReached' });
    await assert.rejects(desk.checkSummary(conversation, nodeId('none')), (error) =>
      SummaryFault.is(error, 'unknown_node'),
    );
  });

  it('that was edited meanwhile keeps the edit, and what was found of the words before is dropped', async () => {
    const { id } = first();
    const finding = finds(1);
    desk.summarizer = async function* (request, signal) {
      await editSummary(conversation.journal, conversation.counter, id, 'detailed', 'By hand, in the meantime.');
      yield* finding(request, signal);
    };
    await setLevel(conversation.journal, id, 'detailed');
    await assert.rejects(desk.checkSummary(conversation, id), { reason: 'outdated' });
    assert.equal(first().audit.check, undefined);
  });

  it('is left alone when the user ends the check', async () => {
    const abort = new AbortController();
    const finding = finds(1);
    desk.summarizer = async function* (request, signal) {
      abort.abort();
      await Promise.resolve();
      yield* finding(request, signal);
    };
    await assert.rejects(desk.checkSummary(conversation, first().id, abort.signal));
    assert.equal(first().audit.check, undefined);
  });
});
