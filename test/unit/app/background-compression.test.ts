import assert from 'node:assert/strict';
import type { CompressionOutcome } from '../../../src/app/compression-job.ts';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault } from '../../../src/app/fault.ts';
import { editSummary, expandNode, undoCompressions } from '../../../src/app/summary-changes.ts';
import { LOCAL_MODEL } from '../../../src/core/compress/node-content.ts';
import type { SummaryNode } from '../../../src/core/model/summary.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { endTurn, fill, fillAndCompress, Harness, refuseWrites, says, type Script, texts, throws } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { until } from '../../support/until.ts';

const SUMMARY = says(
  'They went through the parts of a listing one by one, and each part was explained at some length.',
);
const BUSY = throws(new ModelFault('overloaded', 'busy'));
const EXPLANATION = 'A loop goes over the rows, and a helper turns each row into an object of the list. '.repeat(4);
/** After the first backoff, in ms. */
const LATER_MS = 130_000;

describe('background compression', () => {
  let harness: Harness;
  let conversation: Conversation;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    harness.set({ contextWindow: 30_000 });
    conversation = await harness.filled(300);
  });

  const inBackground = (): Promise<void> => endTurn(conversation);
  const summaryModels = (): string[] => conversation.state.frontier.map(({ node }) => node.model);
  const outcomes = (): string[] =>
    harness.log.flatMap(({ name, fields }) =>
      /_(complete|skipped|failed)$/.test(name) ? `${String(fields['trigger'])} ${name.replace(/.*_/, '')}` : [],
    );

  const blockSummarizer = () => harness.blockSummarizer(SUMMARY);

  it('continues with the model once the provider answers again', async () => {
    harness.summarizer = BUSY;
    await inBackground();
    assert.equal(conversation.state.nodes.size, 0);
    harness.summarizer = SUMMARY;
    harness.clock.ahead += LATER_MS;
    await inBackground();
    assert.ok(conversation.state.uncompressedCount <= 10, `${conversation.state.uncompressedCount} messages are left`);
    assert.ok(summaryModels().length > 1);
    assert.deepEqual(new Set(summaryModels()), new Set(['test/summarizer']));
  });

  it('continues with the model even if the clock was set back meanwhile', async () => {
    harness.summarizer = BUSY;
    await inBackground();
    harness.summarizer = SUMMARY;
    harness.clock.ahead -= 24 * 3_600_000;
    await inBackground();
    assert.deepEqual(new Set(summaryModels()), new Set(['test/summarizer']));
  });

  it('replaces extractive summaries made while the provider was down', async () => {
    harness.summarizer = BUSY;
    const other = await harness.compressed(60);
    assert.deepEqual(new Set(other.state.frontier.map(({ node }) => node.model)), new Set([LOCAL_MODEL]));
    harness.summarizer = SUMMARY;
    await fillAndCompress(other, 60);
    assert.deepEqual(new Set(other.state.frontier.map(({ node }) => node.model)), new Set(['test/summarizer']));
  });

  it('replaces extractive summaries made before there was a model by as many as the model needs', async () => {
    harness.summarizerInput = 3_000;
    const other = await harness.converse();
    const part = (n: number): string =>
      Array.from({ length: 4 }, (_, m) => `Crate ${n}-${m} was moved behind shelf ${n + m} at ${m} past ${n}.`).join(
        ' ',
      );
    await fillAndCompress(other, 160, part);
    const extracted = other.state.frontier.length;
    harness.summarizer = SUMMARY;
    await fillAndCompress(other, 14, (n) => part(200 + n));
    const leaves = other.state.frontier.map(({ node }) => node);
    assert.equal(other.state.uncompressedCount, 10);
    assert.deepEqual(new Set(leaves.map(({ model }) => model)), new Set(['test/summarizer']));
    assert.ok(leaves.length > extracted, `${leaves.length} instead of ${extracted}`);
    await other.undoNodes(
      leaves.map(({ id }) => id),
      true,
    );
    assert.equal(other.state.uncompressedCount, 174);
    await undoCompressions(other.journal, [other.state.compressions[1]!.id], true);
    await other.undoNodes(
      leaves.map(({ id }) => id),
      false,
    );
    assert.deepEqual(new Set(other.state.frontier.map(({ node }) => node.model)), new Set([LOCAL_MODEL]));
  });

  it('replaces extractive summaries made before there was a model, once the provider answers again', async () => {
    await conversation.compressNow();
    harness.summarizer = BUSY;
    await fill(conversation, 300);
    await inBackground();
    assert.equal(outcomes().at(-1), 'share failed');
    harness.summarizer = SUMMARY;
    harness.clock.ahead += LATER_MS;
    await inBackground();
    assert.ok(conversation.state.uncompressedCount <= 10, `${conversation.state.uncompressedCount} messages are left`);
    assert.equal(summaryModels().at(-1), 'test/summarizer');
  });

  for (const [what, change, isTold] of [
    [
      'edits',
      (other: Conversation, node: SummaryNode) =>
        editSummary(other.journal, other.counter, node.id, 'detailed', 'The listing, by hand.'),
      (other: Conversation) => other.context().system.join('\n').includes('The listing, by hand.'),
    ],
    [
      'expands',
      (other: Conversation, node: SummaryNode) => expandNode(other.journal, node.id, 'always'),
      (other: Conversation) => other.context().messages[0]?.position === 0,
    ],
  ] as const)
    it(`does not replace an extractive summary that the user ${what} meanwhile`, async () => {
      const other = await harness.compressed(60);
      const { node } = other.state.frontier[0]!;
      assert.equal(node.model, LOCAL_MODEL);
      await fill(other, 300);
      const { asked, unblock } = blockSummarizer();
      await other.betweenTurns();
      await asked;
      await change(other, node);
      unblock();
      await other.settled();
      assert.ok(isTold(other));
      assert.equal(outcomes().at(-1), 'share skipped');
    });

  it('is skipped when stale, and the next request makes its own compression', async () => {
    const { asked, unblock } = blockSummarizer();
    await conversation.betweenTurns();
    await asked;
    const sent = conversation.editAndResend(
      conversation.state.path[280]!,
      'Some words of a long message. '.repeat(1_000),
    );
    unblock();
    await sent;
    await conversation.settled();
    assert.deepEqual(outcomes().slice(0, 2), ['share skipped', 'before_send complete']);
    assert.equal(texts(conversation).at(-1), 'Fine.');
  });

  it('is skipped when stale, and a request that the provider rejects makes its own compression', async () => {
    harness.set({ policy: resolvePolicy('balanced', { triggers: { beforeSend: null } }) });
    const { asked, unblock } = blockSummarizer();
    await conversation.betweenTurns();
    await asked;
    harness.script = () => {
      harness.script = says('Now it fits.');
      setTimeout(unblock);
      return throws(new ModelFault('context_too_long', 'too long'))(undefined as never, undefined as never);
    };
    await conversation.editAndResend(conversation.state.path[280]!, 'And what happens here?');
    assert.deepEqual(outcomes().slice(0, 2), ['share skipped', 'provider_overflow complete']);
    assert.equal(texts(conversation).at(-1), 'Now it fits.');
  });

  it('is not repeated by a compress command that comes while it is being committed', async () => {
    harness.summarizer = SUMMARY;
    const { journal } = conversation;
    const append = journal.append.bind(journal);
    let asked: Promise<CompressionOutcome> | undefined;
    journal.append = async (...events) => {
      if (events.some(({ type }) => type === 'compressed')) {
        await Promise.resolve();
        asked ??= conversation.compressNow();
        await new Promise((resolve) => setTimeout(resolve, 200));
      }
      return append(...events);
    };
    await inBackground();
    assert.equal((await asked)?.kind, 'committed');
    assert.deepEqual(outcomes(), ['share complete']);
    assert.equal(conversation.state.counters.compressions, 1);
  });

  it('waits, if the user requested it, for the end of a reply that started meanwhile', async () => {
    const other = await harness.filled(60);
    const { asked, unblock } = blockSummarizer();
    const compressed = other.compressNow();
    await asked;
    let during: number | undefined;
    harness.script = async function* (request, signal) {
      unblock();
      assert.equal((await compressed).kind, 'ready');
      during = other.state.compressions.length;
      yield* says('Fine.')(request, signal);
    };
    await other.send('And then?');
    assert.deepEqual([during, other.state.compressions[0]?.trigger], [0, 'command']);
  });

  it('is kept if it finishes during a reply and the session is closed before the reply ends', async () => {
    const { asked, unblock } = blockSummarizer();
    await conversation.betweenTurns();
    await asked;
    let close: Promise<void> | undefined;
    harness.script = async function* (_, signal) {
      yield { type: 'text', text: 'A long ' };
      unblock();
      await until(() => !conversation.compressor.isRunning);
      close = conversation.close();
      signal.throwIfAborted();
      yield { type: 'text', text: 'reply' };
    };
    await conversation.send('And then?').catch(() => undefined);
    await close;
    conversation = await harness.reopen(conversation.journal.id);
    assert.deepEqual(outcomes(), ['share complete']);
    assert.equal(conversation.state.compressions.length, 1);
  });

  it('does not hold up a turn that the user stops, and continues', async () => {
    const { asked, unblock } = blockSummarizer();
    await conversation.betweenTurns();
    await asked;
    const sent = conversation.send('Some words of a long message. '.repeat(600));
    await new Promise((resolve) => setTimeout(resolve, 20));
    conversation.stop();
    await sent;
    assert.equal(harness.requests.length, 0);
    unblock();
    await conversation.settled();
    assert.equal(outcomes()[0], 'share complete');
  });

  it('respects the provider’s backoff even if a request was compressed without a model meanwhile', async () => {
    const policy = resolvePolicy('balanced', { strategy: 'auto', triggers: { messages: 12 } });
    harness.set({ policy });
    harness.summarizer = BUSY;
    await inBackground();
    const before = harness.summaryRequests.length;
    assert.ok(before > 0);
    await fill(conversation, 60);
    await conversation.send('Go on.');
    await conversation.settled();
    await fill(conversation, 30);
    await inBackground();
    assert.ok(outcomes().includes('before_send complete'));
    assert.equal(harness.summaryRequests.length, before);
  });

  it('fails if its cost cannot be recorded, and the session can still be closed', async () => {
    harness.summarizerAtOnce = 1;
    let calls = 0;
    const { journal } = conversation;
    harness.summarizer = (request, signal) => {
      if (calls++ === 0) return SUMMARY(request, signal);
      refuseWrites(conversation, ({ type }) => type === 'usage_recorded');
      return BUSY(request, signal);
    };
    await inBackground();
    assert.deepEqual(outcomes(), ['share failed']);
    let isClosed = false;
    const close = journal.close.bind(journal);
    journal.close = async () => {
      isClosed = true;
      await close();
    };
    await conversation.close();
    assert.ok(isClosed);
  });

  it('leaves the session unchanged if it can’t be stored, and is repeated when it can', async () => {
    harness.summarizer = SUMMARY;
    const accept = refuseWrites(conversation, ({ type }) => type === 'compressed');
    await inBackground();
    assert.match(harness.warnings, /a finished compression was not committed/);
    assert.equal(conversation.state.compressions.length, 0);
    accept();
    harness.clock.ahead += LATER_MS;
    await inBackground();
    assert.equal(conversation.state.compressions.length, 1);
  });

  it('is committed even if the session was reloaded meanwhile, as after a full disk', async () => {
    const { journal } = conversation;
    harness.set({ contextWindow: 4_000, reservedTokens: 1_000 });
    const answer: Script = (request, signal) => {
      const { state } = journal;
      const nodes = structuredClone(state.nodes);
      const again = new Proxy(state, {
        get: (target, name): unknown => {
          const value: unknown = name === 'nodes' ? nodes : Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      });
      Object.defineProperty(journal, 'state', { configurable: true, get: () => again });
      const told = (n: number): string =>
        `Part ${n} of the listing was explained with its loop, its helper and its list.`;
      return says(Array.from({ length: 20 }, (_, n) => told(n)).join(' '))(request, signal);
    };
    harness.summarizer = answer;
    for (let n = 0; n < 6; n++) {
      assert.equal((await conversation.compressNow()).kind, 'committed');
      Reflect.deleteProperty(journal, 'state');
      await fill(conversation, 60, (m) => `In round ${n} part ${m} comes after part ${m - 1}. ${EXPLANATION}`);
    }
    assert.ok([...conversation.state.nodes.values()].some(({ children }) => children.length > 0));
  });
});
