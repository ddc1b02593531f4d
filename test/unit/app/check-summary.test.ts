import assert from 'node:assert/strict';
import type { Conversation } from '../../../src/app/conversation.ts';
import { editSummary, setLevel, undoOrRedoChange, ChangeFault } from '../../../src/app/summary-changes.ts';
import { nodeId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import type { SummaryCheck, SummaryNode } from '../../../src/core/model/summary.ts';
import { Harness, cancelled, refuseWrites, says, type Script } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

/** Finds one statement of the first prompt contradicted, and all others supported. */
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

describe('verifying a summary with a model', () => {
  let harness: Harness;
  let conversation: Conversation;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.compressed(60, (n) =>
      `Part ${n} of the listing is called part_${n}, and comes after part ${n - 1}. `.repeat(4),
    );
    harness.summarizer = finds(1);
  });

  const first = (): SummaryNode => conversation.state.frontier[0]!.node;
  const check = (): SummaryCheck | undefined => conversation.state.summaries.checkOf(first());
  /** Verifies or regenerates a summary. */
  const run = (work: 'verification' | 'regeneration'): Promise<unknown> =>
    work === 'verification'
      ? harness.checkSummary(conversation, first().id)
      : harness.regenerateSummary(conversation, { node: first().id });
  const unsupported = (): readonly string[] =>
    (check()?.statements ?? []).flatMap(({ start, end, reason }) =>
      reason === 'supported' ? [] : [first()[check()!.level]!.slice(start, end)],
    );

  it('stores the result, also across a restart, and does not change what is sent', async () => {
    const before = conversation.context().system.join('\n');
    const costs: (number | null)[] = [];
    harness.spendGate = { state: () => 'open', recordCost: (costUsd) => void costs.push(costUsd) };
    const found = await harness.checkSummary(conversation, first().id);
    const wrong = found.statements[1]!;
    assert.deepEqual([wrong.reason, wrong.instead], ['told_otherwise', 'another part']);
    const said = first()[found.level]!.slice(wrong.start, wrong.end);
    assert.deepEqual(unsupported(), [said]);
    conversation = await harness.restart(conversation);
    assert.deepEqual(check(), found);
    assert.deepEqual(unsupported(), [said]);
    assert.equal(conversation.context().system.join('\n'), before);
    assert.equal(conversation.state.changes.length, 0, 'it is no change to be undone');
    assert.equal(conversation.state.stale.size, 0);
    assert.ok(conversation.state.counters.compressionTokens > 0, 'what it cost is on record');
    assert.ok(costs.length > 0 && costs.every((cost) => cost === 0.001), 'and is held against the limit');
  });

  it('drops the result when the verified text is edited, and restores it when the edit is undone', async () => {
    const { id } = first();
    const { level } = await harness.checkSummary(conversation, id);
    const other = level === 'brief' ? 'detailed' : 'brief';
    await editSummary(conversation.journal, conversation.counter, id, other, 'Another level, by hand.');
    assert.equal(unsupported().length, 1);
    await editSummary(conversation.journal, conversation.counter, id, level, 'The listing, by hand.');
    assert.deepEqual([check(), unsupported()], [undefined, []]);
    await undoOrRedoChange(conversation.journal, true);
    assert.equal(unsupported().length, 1);
  });

  it('keeps the result when a full summary is added, and drops it when the summary is regenerated', async () => {
    const { id } = first();
    await setLevel(conversation.journal, id, 'detailed');
    await harness.checkSummary(conversation, id);
    await harness.regenerateSummary(conversation, { node: id, finer: true });
    assert.equal(check()?.level, 'detailed');
    harness.summarizer = finds(0);
    await harness.checkSummary(conversation, id);
    assert.equal(check()?.level, 'full');
    harness.summarizer = undefined;
    await harness.regenerateSummary(conversation, { node: id });
    assert.equal(check(), undefined);
  });

  it('stores each source as a message ID and a text range', async () => {
    const quoting: Script = (request, signal) =>
      says(JSON.stringify({ statements: [{ n: 1, verdict: 'told', quote: 'the listing is called part_5' }] }))(
        request,
        signal,
      );
    harness.summarizer = quoting;
    const [one] = (await harness.checkSummary(conversation, first().id)).statements;
    const [source] = one!.sources;
    const text = messageText(conversation.state.messages.get(source!.message)!);
    assert.match(text.slice(source!.start, source!.end), /^the listing is called part_5/);
  });

  it('keeps earlier answers when a later request fails, and rejects with its error', async () => {
    const long = Array.from({ length: 60 }, () => 'The listing goes on with another part.').join('\n');
    await setLevel(conversation.journal, first().id, 'detailed');
    await editSummary(conversation.journal, conversation.counter, first().id, 'detailed', long);
    const finding = finds(1);
    let asked = 0;
    harness.summarizer = async function* (request, signal) {
      if (++asked === 2) throw new TypeError('gone');
      yield* finding(request, signal);
    };
    await assert.rejects(harness.checkSummary(conversation, first().id), TypeError);
    const statements = check()?.statements ?? [];
    assert.deepEqual([statements.length, statements.filter(({ isByCode }) => isByCode).length], [60, 24]);
  });

  it('sends no request to verify or regenerate a summary if another window is the writer', async () => {
    const other = await harness.secondWindow(conversation);
    harness.summarizer = finds(1);
    await assert.rejects(harness.checkSummary(other, first().id), { name: 'StoreFault', reason: 'not_writer' });
    await assert.rejects(harness.regenerateSummary(other, { node: first().id }), {
      name: 'StoreFault',
      reason: 'not_writer',
    });
    assert.equal(harness.summaryRequests.length, 0);
  });

  it('leaves the summary unchanged if the model fails, its answer is unusable, or the spend limit is reached', async () => {
    const before = first();
    const refused = async (name: object): Promise<void> => {
      await assert.rejects(harness.checkSummary(conversation, before.id), name);
      assert.equal(first(), before);
    };
    harness.summarizer = async function* () {
      await Promise.resolve();
      yield* [];
      throw new TypeError('gone');
    };
    await refused(TypeError);
    harness.summarizer = says('I would rather not.');
    await refused({ name: 'ChangeFault', reason: 'unanswered' });
    assert.ok(conversation.state.counters.compressionTokens > 0, 'what an answer of no use cost is on record');
    harness.spendGate = { state: () => 'spent', recordCost: () => undefined };
    await refused({ name: 'SpendLimitReached' });
    await assert.rejects(harness.checkSummary(conversation, nodeId('none')), (error) =>
      ChangeFault.is(error, 'unknown_node'),
    );
  });

  it('discards the result if the summary is edited in the meantime', async () => {
    const { id } = first();
    const finding = finds(1);
    harness.summarizer = async function* (request, signal) {
      await editSummary(conversation.journal, conversation.counter, id, 'detailed', 'By hand, in the meantime.');
      yield* finding(request, signal);
    };
    await setLevel(conversation.journal, id, 'detailed');
    await assert.rejects(harness.checkSummary(conversation, id), { reason: 'outdated' });
    assert.equal(check(), undefined);
  });

  it('stores no result when the user cancels the verification', async () => {
    const abort = new AbortController();
    const finding = finds(1);
    harness.summarizer = async function* (request, signal) {
      abort.abort();
      await Promise.resolve();
      yield* finding(request, signal);
    };
    await assert.rejects(harness.checkSummary(conversation, first().id, abort.signal));
    assert.equal(check(), undefined);
  });

  for (const work of ['verification', 'regeneration'] as const) {
    it(`records the usage of a ${work} that could not be recorded with that of the next compression`, async () => {
      const accept = refuseWrites(conversation, ({ type }) => type === 'usage_recorded', new Error('EIO'));
      harness.summarizer = says('I cannot do that.');
      const before = conversation.state.counters.compressionTokens;
      await assert.rejects(run(work), /EIO/);
      assert.equal(conversation.state.counters.compressionTokens, before);
      accept();
      harness.summarizer = undefined;
      await conversation.compressNow();
      assert.equal(conversation.state.counters.compressionTokens - before, harness.summaryRequests.length * 110);
    });

    it(`records the cost of a ${work} that is cut short because the session closes`, async () => {
      const isAsked = Promise.withResolvers<undefined>();
      harness.summarizer = async function* (_, signal) {
        yield { type: 'usage', usage: { input: 700, output: 1 } };
        isAsked.resolve(undefined);
        await cancelled(signal).finally(() => new Promise((resolve) => setTimeout(resolve, 50)));
      };
      const before = conversation.state.counters.compressionTokens;
      const ended = assert.rejects(run(work));
      await isAsked.promise;
      await conversation.close();
      await ended;
      const again = await harness.reopen(conversation.journal.id);
      assert.equal(again.state.counters.compressionTokens - before, harness.summaryRequests.length * 701);
      await again.close();
    });
  }
});
