import assert from 'node:assert/strict';
import { ModelFault } from '../../../src/app/fault.ts';
import { compressionWith } from '../../../src/core/journal/schema.ts';
import { compressionId, nodeId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { nodeWith } from '../../../src/core/model/summary.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { eventIndexAfter } from '../../../src/host/summaries/event-index.ts';
import { endTurn, fill, fillAndCompress, Harness, refuseWrites, says, texts, throws } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

const guest = (turn: number): string =>
  `Hello again, this is the Silva family. On 2026-07-${10 + turn} there will be ${turn} of us at the beach near the old harbour.`;
const DECISIONS = [
  'use port 8401 for the gateway',
  'keep invoices for ten years',
  'write the importer in Rust',
  'drop support for Safari 14',
  'name the release Heron',
];
const WORDS = 'anchor barrel candle drawer engine fender gasket hammer jigsaw kettle ladder mortar'.split(' ');
const booking = [
  'Thank you so much for writing to us, it is always lovely to hear from you and from the children.',
  'The weather has been very kind to us all this week, and the bay is as calm as a mirror in the mornings.',
  'Many guests tell us that they like the early hours best, before the wind comes up from the sea around noon.',
  'Our little house at the pier has been painted blue this spring, and the dog still sleeps in front of it.',
  'The coffee is as good as ever, and there is shade under the pine trees for those who stay on land.',
].join(' ');

describe('session compression', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  it('skips a short session', async () => {
    const conversation = await harness.filled(8);
    assert.deepEqual(await conversation.compressNow(), { kind: 'skipped', reason: 'recent_only' });
    assert.equal(conversation.state.counters.compressions, 0);
  });

  it('compresses the older recent messages at the user’s request if recent messages fill the context window', async () => {
    const conversation = await harness.filled(10, (n) => `${booking} That was part ${n}. `.repeat(12));
    assert.equal(await conversation.previewCompression(), 'recent_only');
    const filled = conversation.context().total;
    harness.set({ contextWindow: Math.round(filled / 0.6) + 4000 });
    assert.equal((await conversation.compressNow()).kind, 'committed');
    const { uncompressedCount } = conversation.state;
    assert.ok(uncompressedCount >= 4 && uncompressedCount <= 6, `${uncompressedCount} are sent verbatim`);
    assert.ok(conversation.context().total < 0.7 * filled);
  });

  it('summarizes all but the recent messages, keeps every message, and shrinks the request', async () => {
    const conversation = await harness.filled(100);
    const before = texts(conversation);
    const { total } = conversation.context();
    const outcome = await conversation.compressNow();
    assert.equal(outcome.kind, 'committed');
    assert.equal(conversation.state.uncompressedCount, 10);
    assert.deepEqual(texts(conversation), before);
    assert.ok(conversation.context().total < total / 2);
  });

  it('records the token count of the next request, for the first compression and later ones', async () => {
    const conversation = await harness.converse();
    for (const decision of DECISIONS.slice(0, 3)) {
      await fill(conversation, 60);
      await conversation.send(`We have decided: ${decision}.`);
      await fill(conversation, 20);
      const outcome = await conversation.compressNow();
      assert.equal(outcome.kind, 'committed');
      if (outcome.kind === 'committed') assert.equal(outcome.record.tokens.after, conversation.context().total);
    }
  });

  it('leaves as much room beside project rules as beside workspace memory of the same size', async () => {
    const text = Array.from({ length: 400 }, (_, n) => `Rule ${n}: use a ${WORDS[n % 12]} with each ${WORDS[n % 7]}.`);
    const step = (at: number): string =>
      Array.from({ length: 8 }, (_, n) => {
        const [a, b, c] = [at + n, at * 3 + n, at * 7 + n].map((one) => WORDS[one % 12]);
        return `The ${a} of step ${at}.${n} reads table t${at * 20 + n} and hands ${n + 3} rows to the ${b} of the ${c}${at}.`;
      }).join('\n');
    const sizes: number[] = [];
    for (const part of ['memory', 'rules'] as const) {
      harness.set({ memory: '', rules: '', [part]: text.join('\n') });
      harness.set({ contextWindow: 21_000, reservedTokens: 1_000 });
      const other = await harness.converse();
      for (let round = 0; round < 6; round++) {
        await fillAndCompress(other, 60, (n) => step(n + 60 * round));
      }
      sizes.push(other.context().total / other.meter.budget());
    }
    assert.deepEqual(sizes[1], sizes[0]);
  });

  it('compresses in the background above 50 messages under frugal, but not at 50 or under balanced', async () => {
    const conversation = await harness.filled(49);
    await conversation.send('And one more.');
    await conversation.settled();
    assert.equal(conversation.state.compressions.length, 0);
    harness.set({ policy: resolvePolicy('frugal') });
    await conversation.deleteMessage(conversation.state.path[0]!, true);
    await endTurn(conversation);
    assert.equal(conversation.state.path.length, 50);
    assert.equal(conversation.state.compressions.length, 0);
    await conversation.send('And another.');
    await conversation.settled();
    assert.equal(conversation.state.compressions[0]?.trigger, 'messages');
    assert.equal(conversation.state.compressions[0]?.threshold, 50);
    assert.deepEqual(harness.logged('history_compression_complete').length, 1);
  });

  it('logs the trigger and the result with numbers but no message text', async () => {
    const conversation = await harness.compressed(60);
    const [triggered] = harness.logged('history_compression_triggered');
    const [complete] = harness.logged('history_compression_complete');
    assert.equal(triggered?.fields['trigger'], 'command');
    assert.equal(triggered?.fields['session_id'], conversation.journal.id);
    const number = (name: string): number => Number(complete?.fields[name]);
    assert.equal(number('message_count_before'), 60);
    assert.equal(number('message_count_after'), 10);
    assert.equal(number('messages_reduced'), 50);
    assert.ok(number('tokens_after') < number('tokens_before'));
    assert.equal(number('calls') + number('cost_usd'), 0);
    assert.ok(!JSON.stringify(harness.log).includes('widths of the columns'));
  });

  it('reports kept and total key events, with those dropped by the first compression in the total', async () => {
    const conversation = await harness.filled(
      60,
      (n) =>
        `We decided to ${DECISIONS[n % 5]!.replace(/\S+$/, WORDS[n % 12]!)} at site ${WORDS[(n * 5 + 3) % 12]}${n}.`,
    );
    const record = await conversation.previewCompression();
    assert.ok(typeof record !== 'string');
    const previewed = eventIndexAfter(conversation.state, record);
    await conversation.compressNow();
    const events = [...conversation.state.events.values()];
    const dropped = events.filter(({ status }) => status === 'dropped');
    const active = events.filter(({ status }) => status === 'active');
    assert.ok(dropped.length > 0 && active.length > 0, `${dropped.length} dropped, ${active.length} kept`);
    const sent = conversation.context().system.join('\n');
    for (const { quote } of active) assert.ok(sent.includes(quote));
    for (const { quote } of dropped) assert.ok(!sent.includes(`] ${quote}`));
    const figures = { kept: active.length, total: active.length + dropped.length };
    assert.deepEqual(conversation.state.compressions[0]?.keyEvents, figures);
    assert.deepEqual(
      { kept: previewed.kept().length, total: previewed.kept().length + previewed.dropped().length },
      figures,
    );
    const { fields } = harness.logged('history_compression_complete')[0]!;
    assert.deepEqual({ kept: fields['key_events_kept'], total: fields['key_events'] }, figures);
  });

  it('commits nothing when the provider fails in the background, logs the failure, and the chat continues', async () => {
    const conversation = await harness.converse();
    harness.set({ policy: resolvePolicy('frugal') });
    harness.summarizer = throws(new ModelFault('overloaded', 'busy'));
    await fill(conversation, 60);
    await conversation.send('Go on?');
    await conversation.settled();
    assert.equal(conversation.state.counters.compressions, 0);
    const [failed] = harness.logged('history_compression_failed');
    assert.deepEqual([failed?.fields['error'], failed?.level], ['overloaded', 'error']);
    await conversation.send('Still there?');
    assert.equal(texts(conversation).at(-1), 'Fine.');
    // After a failure, the next turn doesn't try again immediately.
    assert.equal(harness.logged('history_compression_failed').length, 1);
  });

  it('never logs the provider’s message about a rejected request, because it may repeat the history', async () => {
    const conversation = await harness.converse();
    const rejected = throws(new ModelFault('bad_request', 'rejected', { details: 'The text “Row 7” is invalid.' }));
    await fill(conversation, 60);
    [harness.script, harness.summarizer] = [rejected, rejected];
    await assert.rejects(conversation.send('Go on?'), { details: /Row 7/ });
    await conversation.resetTask();
    assert.equal(harness.logged('history_compression_failed')[0]?.fields['error'], 'bad_request');
    assert.doesNotMatch(JSON.stringify(harness.log), /Row 7/);
  });

  it('records the usage of a compression that could not be recorded with that of the next one', async () => {
    const conversation = await harness.filled(60);
    const accept = refuseWrites(conversation, ({ type }) => type === 'usage_recorded');
    harness.summarizer = says('I cannot do that.');
    assert.equal((await conversation.compressNow()).kind, 'failed');
    const { counters } = conversation.state;
    assert.equal(counters.compressionTokens, 0);
    accept();
    harness.summarizer = undefined;
    await conversation.compressNow();
    assert.equal(counters.compressionTokens, harness.summaryRequests.length * 110);
  });

  it('reports that it is summarizing when a model is asked, and changes nothing when it is canceled', async () => {
    const conversation = await harness.filled(60);
    let stage: string | undefined;
    harness.summarizer = async function* (_request, signal) {
      stage = conversation.compressor.progress?.stage;
      conversation.compressor.cancel();
      await Promise.resolve();
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
      yield { type: 'text', text: '' };
    };
    const { total } = conversation.context();
    assert.equal((await conversation.compressNow()).kind, 'cancelled');
    assert.equal(stage, 'summarizing');
    assert.equal(conversation.context().total, total);
    assert.equal(conversation.state.nodes.size, 0);
  });

  it('looks up undone summaries a bounded number of times, however many messages they cover', async () => {
    const conversation = await harness.converse();
    const { state } = conversation;
    for (let n = 0; n < 3; n++) {
      await fillAndCompress(conversation, 40);
    }
    await conversation.undoNodes([...state.nodes.keys()], true);
    harness.set({ policy: resolvePolicy('frugal') });
    let looks = 0;
    const spanOf = state.spanOf.bind(state);
    state.spanOf = (node) => {
      looks++;
      return spanOf(node);
    };
    await endTurn(conversation);
    assert.ok(looks > 0 && looks <= 2 * state.nodes.size, `${looks} looks at ${state.nodes.size} summaries`);
  });

  it('succeeds in one session when it fails in another', async () => {
    const [good, bad] = [await harness.converse(), await harness.converse()];
    await fill(good, 60);
    await fill(bad, 60, (n) => `Unlucky number ${n}: ${'a long story that leads nowhere in particular '.repeat(8)}`);
    harness.set({ extractiveOnFault: false });
    harness.summarizer = (request, signal) =>
      JSON.stringify(request.messages).includes('Unlucky')
        ? throws(new ModelFault('overloaded', 'busy'))(request, signal)
        : says('They spoke of parts.')(request, signal);
    const [kept, failed] = await Promise.all([good.compressNow(), bad.compressNow()]);
    assert.equal(kept.kind, 'committed');
    assert.equal(failed.kind, 'failed');
    assert.equal(bad.state.nodes.size, 0);
  });

  it('commits before a task reset is stored', async () => {
    const conversation = await harness.converse();
    await conversation.setTask('Go through the listing', []);
    await fill(conversation, 60);
    const order: string[] = [];
    conversation.journal.onDidChange((events) => order.push(...events.map((event) => event.type)));
    await conversation.resetTask();
    assert.deepEqual(order, ['compressed', 'task_reset']);
  });

  it('logs a failure at a task reset, and the reset continues', async () => {
    const conversation = await harness.converse();
    harness.set({ extractiveOnFault: false });
    harness.summarizer = throws(new ModelFault('quota', 'empty'));
    await conversation.setTask('Go through the listing', []);
    await fill(conversation, 60);
    await conversation.resetTask();
    assert.equal(conversation.state.task, undefined);
    const [failed] = harness.logged('history_compression_failed');
    assert.deepEqual(
      [failed?.level, failed?.fields['session_id'], failed?.fields['error']],
      ['error', conversation.journal.id, 'quota'],
    );
    await conversation.send('And on we go.');
    assert.equal(texts(conversation).at(-1), 'Fine.');
  });

  it('leaves earlier context in place, and appends new summaries and quotes at the end', async () => {
    const conversation = await harness.converse();
    let before: readonly string[] = [];
    for (const decision of DECISIONS) {
      await conversation.send(`We decided to ${decision}.`);
      await fillAndCompress(conversation, 60);
      const { system } = conversation.context();
      // The newest summary block grows at its end, and the quotes move with it.
      const open = Math.max(0, before.length - 2);
      assert.deepEqual(system.slice(0, open), before.slice(0, open));
      const grown = before[open]?.slice(0, before[open].lastIndexOf('\n'));
      assert.ok(grown === undefined || system[open]?.startsWith(grown));
      assert.ok(system.slice(open).join('\n').includes(decision));
      before = system;
    }
  });

  it('leaves room for summaries, however many key events there are', async () => {
    const conversation = await harness.compressed(700, (n) =>
      n % 2 === 0
        ? `We decided to call district ${n} of the harbour Heron-${n}, and not Crane-${n}.`
        : `The map of district ${n} was drawn at low tide, and its ${n} buoys were counted twice from the boat.`,
    );
    const told = conversation.state.frontier.map(({ node }) => node.tokens);
    const shown = told.reduce((sum, { detailed }) => sum + detailed, 0);
    const source = told.reduce((sum, tokens) => sum + tokens.source, 0);
    assert.ok(shown > source * 0.04, `${shown} of ${source} tokens`);
  });

  it('drops key events from a full ledger in batches, and restores none at the next commit', async () => {
    harness.set({
      contextWindow: 8_000,
      reservedTokens: 1_000,
      policy: resolvePolicy('balanced', { ledgerShare: 0.05 }),
    });
    const conversation = await harness.converse();
    const dropped: number[] = [];
    for (let n = 0; n < 24; n++) {
      await conversation.send(`We decided to call the ${n}th district of the harbour Heron-${n}, and not Crane-${n}.`);
      await fillAndCompress(conversation, 20);
      const { events } = conversation.state;
      dropped.push([...events.values()].filter(({ status }) => status === 'dropped').length);
    }
    assert.ok(dropped.at(-1)! > 0);
    const changes = dropped.filter((count, at) => at > 0 && count !== dropped[at - 1]).length;
    assert.ok(changes > 0 && changes < dropped.filter((count) => count > 0).length / 2, dropped.join(' '));
  });

  it('supersedes a dropped key event, even after a restart', async () => {
    harness.set({
      contextWindow: 8_000,
      reservedTokens: 1_000,
      policy: resolvePolicy('balanced', { ledgerShare: 0.05 }),
    });
    let conversation = await harness.converse();
    for (const [n, name] of ['gateway', ...WORDS, 'needle', 'orange', 'pencil', 'rocket', 'saddle'].entries()) {
      await conversation.send(`We decided to use port ${8500 + n} for the ${name}.`);
      await fillAndCompress(conversation, 20);
    }
    const status = (port: number): string | undefined =>
      [...conversation.state.events.values()].find(({ quote }) => quote.includes(`${port} for the gateway`))?.status;
    assert.equal(status(8500), 'dropped');
    conversation = await harness.restart(conversation);
    await conversation.send('We decided to use port 9500 for the gateway.');
    await fillAndCompress(conversation, 20);
    assert.equal(status(8500), 'superseded');
  });

  it('sends a summarized message verbatim, with the task, when the user requests another reply to it', async () => {
    const conversation = await harness.filled(3);
    await conversation.send('And now?');
    const { state } = conversation;
    const [first, answer, asked] = state.path;
    const node = nodeWith({ id: nodeId('n1'), first: first!, last: asked!, messages: 3 });
    const compression = compressionWith({ id: compressionId('c1'), nodes: [node] });
    await conversation.journal.append({ type: 'compressed', compression });
    const end = state.head!;
    const summarized = conversation.context();
    assert.equal(summarized.messages.length, 2);
    await conversation.setTask('Describe the listing', []);
    await conversation.retry(asked!);
    const request = harness.requests.at(-1)!;
    const sent = request.messages.map((message) => messageText(message));
    const expected = [first, answer, asked].map((id) => messageText(state.messages.get(id!)!));
    assert.deepEqual(sent, expected);
    assert.match(request.messages.at(-1)!.turnOnly ?? '', /Describe the listing/);
    assert.equal(state.frontier.length, 1, 'with a reply, the summary replaces the message again');
    await conversation.moveHead(end);
    assert.deepEqual(conversation.context().system, summarized.system);
  });

  it('is restored after a restart, and message 31 is answered', async () => {
    harness.set({ policy: resolvePolicy('steady') });
    let conversation = await harness.converse();
    harness.script = says(booking);
    for (let turn = 1; turn <= 15; turn++) {
      await conversation.send(guest(turn));
      await conversation.settled();
    }
    const triggers = harness.logged('history_compression_complete').map((line) => line.fields['trigger']);
    assert.deepEqual(triggers, ['every', 'every']);
    assert.ok(conversation.context().total < 10_000);
    conversation = await harness.restart(conversation);
    assert.equal(conversation.state.counters.compressions, 2);
    assert.ok(conversation.state.frontier.length > 0);
    await conversation.send('And message 31?');
    assert.equal(texts(conversation).at(-1), booking);
    assert.match(harness.requests.at(-1)?.system.join('\n') ?? '', /Silva/);
  });
});
