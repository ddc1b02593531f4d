import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Conversation } from '../../../src/app/conversation.ts';
import { ModelFault, ContextOverflow, TurnRunning } from '../../../src/app/fault.ts';
import type { ChatModel } from '../../../src/app/ports.ts';
import type { MessageId } from '../../../src/core/model/ids.ts';
import type { Message } from '../../../src/core/model/message.ts';
import { Calibration } from '../../../src/core/tokens/calibration.ts';
import { withRetries } from '../../../src/providers/retry.ts';
import { cancelled, fill, fillAndCompress, Harness, refuseWrites, says, texts, throws } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';
import { until } from '../../support/until.ts';
import { textMessage } from '../../support/session-messages.ts';

/** The header of a PNG of 1920 × 1080 pixels. */
const FULL_HD = Buffer.from('89504e470d0a1a0a0000000d49484452000007800000043808020000', 'hex').toString('base64');

describe('conversation', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  /** Waits for a partial reply that ends with `end`, and returns the stored partial reply. */
  const partOf = async ({ state }: Conversation, end: string): Promise<string | undefined> => {
    await until(() => state.partials[0]?.text.endsWith(end) === true);
    return state.partials[0]?.text;
  };

  const onDisk = (conversation: Conversation): Promise<string> =>
    readFile(path.join(harness.folder, `${conversation.journal.id}.jsonl`), 'utf8');

  it('keeps the previous reply when a regeneration is stopped by “Stop and Send” before any text', async () => {
    let calls = 0;
    const { promise: isAsked, resolve: asked } = Promise.withResolvers<undefined>();
    harness.script = async function* (_, signal) {
      calls++;
      if (calls === 2) {
        asked(undefined);
        await cancelled(signal);
      }
      yield { type: 'text', text: `Answer ${calls}` };
      yield { type: 'end', ending: 'complete' };
    };
    const conversation = await harness.converse();
    await conversation.send('Question');
    const retried = conversation.retry(conversation.state.path[0]!);
    await isAsked;
    await conversation.queue.send({ text: 'Never mind' }, 'stopAndSend');
    await retried;
    assert.deepEqual(texts(conversation), ['Question', 'Answer 1', 'Never mind', 'Answer 3']);
  });

  it('sends a message after a running import has ended, on the same branch', async () => {
    const conversation = await harness.converse();
    harness.script = says('Fine.');
    let parent: MessageId | null = null;
    const add = async (text: string): Promise<void> => {
      const message: Message = textMessage('user', text, { parent });
      await conversation.journal.append({ type: 'message_added', message });
      parent = message.id;
    };
    let sent: Promise<void> | undefined;
    await conversation.import(async () => {
      await add('one');
      sent = conversation.send('hello');
      await new Promise((resolve) => setTimeout(resolve, 20));
      await add('two');
      return true;
    });
    await sent;
    assert.deepEqual(texts(conversation), ['one', 'two', 'hello', 'Fine.']);
  });

  it('stores a message at once while an import is counted, and requests the reply afterwards', async () => {
    const conversation = await harness.converse();
    const counted = Promise.withResolvers<undefined>();
    conversation.meter.countNew = () => counted.promise;
    const imported = conversation.import(() => Promise.resolve(true));
    const stored = Promise.withResolvers<undefined>();
    const sent = conversation.sendMessage({ text: 'hello' }, () => stored.resolve(undefined));
    await stored.promise;
    assert.deepEqual(texts(conversation), ['hello']);
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(harness.requests.length, 0);
    counted.resolve(undefined);
    await Promise.all([imported, sent]);
    assert.deepEqual(texts(conversation), ['hello', 'Fine.']);
  });

  it('counts the text of a stopped reply as output when the provider has reported less', async () => {
    harness.script = async function* (_, signal) {
      yield { type: 'usage', usage: { input: 500, output: 1 } };
      yield { type: 'text', text: 'word '.repeat(300) };
      await Promise.resolve();
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
    };
    const conversation = await harness.converse();
    conversation.onUpdate(({ type }) => type === 'reply_text' && conversation.stop());
    await conversation.send('Write.');
    const { usage } = conversation.state.messages.get(conversation.state.head!)!;
    assert.equal(usage?.input, 500);
    assert.ok(usage.output >= 300, String(usage.output));
  });

  it('records the usage of each attempt when a request is retried', async () => {
    let calls = 0;
    const model: ChatModel = {
      id: 'test/chat',
      provider: 'test',
      model: 'chat',
      async *stream() {
        calls++;
        await Promise.resolve();
        yield { type: 'usage', usage: { input: 1000, output: 1 } };
        if (calls === 1) throw new ModelFault('overloaded', 'overloaded');
        yield { type: 'text', text: 'Hello' };
        yield { type: 'usage', usage: { input: 1000, output: 5 } };
        yield { type: 'end', ending: 'complete' };
      },
    };
    harness.chat = withRetries(model, { sleep: () => Promise.resolve() });
    const conversation = await harness.converse();
    await conversation.send('Hi');
    assert.equal(conversation.state.counters.chatTokens, 1001 + 1005);
    assert.deepEqual(texts(conversation), ['Hi', 'Hello']);
  });

  it('persists the user’s message before the request is sent', async () => {
    const conversation = await harness.converse();
    let seen = '';
    harness.script = async function* (request, signal) {
      seen = await onDisk(conversation);
      yield* says('Yes.')(request, signal);
    };
    await conversation.send('Is the cache warm?');
    assert.match(seen, /Is the cache warm\?/);
    assert.deepEqual(texts(conversation), ['Is the cache warm?', 'Yes.']);
  });

  for (const [what, name, ...messages] of [
    ['after its first message', 'Why is the build slow?', '# Why is the build slow?\nIt took ten minutes.', 'And so?'],
    ['after the first message that contains words', 'Why is the build slow?', '???', 'Why is the build slow?'],
  ] as const)
    it(`names the session ${what}`, async () => {
      const conversation = await harness.converse();
      for (const message of messages) await conversation.send(message);
      assert.equal(conversation.state.title, name);
    });

  it('keeps a session name that the user chose before the first message', async () => {
    const conversation = await harness.converse();
    await conversation.journal.append({ type: 'session_renamed', title: 'Release 2' });
    await conversation.send('Why is the build slow?');
    assert.equal(conversation.state.title, 'Release 2');
  });

  it('sends the system prompt and then all messages when nothing is compressed', async () => {
    const conversation = await harness.converse();
    await conversation.send('One');
    await conversation.send('Two');
    const request = harness.requests.at(-1);
    assert.deepEqual(request?.system, ['You help with code.']);
    const texts = request?.messages.map((message) => message.content);
    const expected = ['One', 'Fine.', 'Two'].map((text) => [{ type: 'text', text }]);
    assert.deepEqual(texts, expected);
  });

  it('keeps the partial reply when the user stops it', async () => {
    const conversation = await harness.converse();
    harness.script = async function* (_request, signal) {
      yield { type: 'text', text: 'The first half' };
      conversation.stop();
      await Promise.resolve();
      if (signal.aborted) throw new ModelFault('cancelled', 'cancelled');
    };
    await conversation.send('Tell me all.');
    assert.deepEqual(texts(conversation), ['Tell me all.', 'The first half']);
    const reply = conversation.state.messages.get(conversation.state.head!);
    assert.equal(reply?.ending, 'stopped');
    // Input is paid for even if the provider reports no usage.
    assert.ok(reply.usage!.input > 10 && reply.usage!.output === 3);
    assert.equal(conversation.state.counters.chatCostUsd, 0.001);
  });

  it('keeps the partial reply when the stream is cut, and reports the error', async () => {
    const conversation = await harness.converse();
    harness.script = async function* () {
      yield { type: 'text', text: 'Half' };
      await Promise.resolve();
      throw new ModelFault('cut_stream', 'cut');
    };
    const ended: unknown[] = [];
    conversation.onUpdate((update) => update.type === 'turn_ended' && ended.push(update.id));
    await assert.rejects(conversation.send('Go on'), (error) => ModelFault.is(error, 'cut_stream'));
    assert.deepEqual(ended, [conversation.state.head]);
    assert.equal(conversation.state.messages.get(conversation.state.head!)?.ending, 'interrupted');
    harness.script = says('Again.');
    await conversation.retry(conversation.state.path[0]!);
    assert.deepEqual(texts(conversation), ['Go on', 'Again.']);
  });

  it('recovers the partial reply after a crash', async () => {
    const conversation = await harness.converse();
    const { journal, state } = conversation;
    await fill(conversation, 1);
    const { head } = state;
    const id = (n: string) => ({ id: `partial-${n}` as never, parent: head, model: 'test/chat' });
    await journal.append({ type: 'reply_partial', ...id('1'), offset: 0, text: 'It was ' });
    await journal.append({ type: 'reply_partial', ...id('1'), offset: 7, text: 'the lock.' });
    const again = await harness.restart(conversation);
    assert.equal(texts(again).at(-1), 'It was the lock.');
    assert.equal(again.state.messages.get(again.state.head!)?.ending, 'interrupted');
  });

  it('recovers an older partial reply without leaving the current branch', async () => {
    const conversation = await harness.filled(1);
    const { journal, state } = conversation;
    const partial = { id: 'partial-1' as never, parent: state.head, model: 'test/chat' };
    await journal.append({ type: 'reply_partial', ...partial, offset: 0, text: 'It was ' });
    await conversation.retry(state.head!);
    await conversation.send('And then?');
    const said = texts(conversation);
    const again = await harness.restart(conversation);
    assert.deepEqual(texts(again), said);
    assert.equal(again.state.messages.get(partial.id)?.ending, 'interrupted');
  });

  it('persists the complete partial reply despite a temporary disk error', async () => {
    const conversation = await harness.converse();
    let partials = 0;
    refuseWrites(conversation, ({ type }) => type === 'reply_partial' && ++partials === 2);
    let kept: string | undefined;
    harness.script = async function* () {
      for (const [before, text] of ['One. ', 'Two. ', 'Three.'].entries()) {
        harness.clock.ahead += 2000;
        yield { type: 'text', text };
        await until(() => partials > before);
      }
      kept = await partOf(conversation, 'Three.');
    };
    await conversation.send('Count');
    assert.equal(kept, 'One. Two. Three.');
  });

  it('persists the partial reply even if the clock is set back meanwhile', async () => {
    const conversation = await harness.converse();
    let kept: string | undefined;
    harness.script = async function* () {
      harness.clock.ahead -= 3_600_000;
      yield { type: 'text', text: 'As far as ' };
      kept = await partOf(conversation, 'As far as ');
    };
    await conversation.send('Go on');
    assert.equal(kept, 'As far as ');
  });

  it('recovers the partial reply of another window when taking over from it', async () => {
    const first = await harness.filled(1);
    const second = await harness.secondWindow(first);
    const partial = { id: 'partial-1' as never, parent: first.state.head, model: 'test/chat' };
    await first.journal.append({ type: 'reply_partial', ...partial, offset: 0, text: 'It was the lock.' });
    await second.journal.takeOver();
    await until(() => second.state.messages.has(partial.id));
    assert.equal(texts(second).at(-1), 'It was the lock.');
    assert.equal(second.state.messages.get(partial.id)?.ending, 'interrupted');
  });

  it('keeps the partial reply when halted, and starts nothing else', async () => {
    const conversation = await harness.converse();
    harness.script = async function* (_, signal) {
      yield { type: 'text', text: 'As far as ' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      throw new ModelFault('cancelled', 'stopped');
    };
    const turn = conversation.send('Go on');
    await new Promise((resolve) => conversation.onUpdate((update) => update.type === 'reply_text' && resolve(null)));
    await conversation.halt();
    await turn;
    assert.deepEqual(texts(conversation), ['Go on', 'As far as ']);
    assert.equal(conversation.state.messages.get(conversation.state.head!)?.ending, 'interrupted');
  });

  it('keeps a reply as stopped if the window closes right after the user stopped it', async () => {
    const conversation = await harness.converse();
    harness.script = async function* (_, signal) {
      yield { type: 'text', text: 'As far as ' };
      await new Promise((resolve) => signal.addEventListener('abort', () => setImmediate(resolve)));
      throw new ModelFault('cancelled', 'stopped');
    };
    const turn = conversation.send('Go on');
    await new Promise((resolve) => conversation.onUpdate((update) => update.type === 'reply_text' && resolve(null)));
    conversation.stop();
    await conversation.halt();
    await turn;
    assert.equal(conversation.state.messages.get(conversation.state.head!)?.ending, 'stopped');
  });

  it('performs a pending task reset when halted, without compressing', async () => {
    const conversation = await harness.filled(40);
    await conversation.setTask('Ship it', []);
    harness.summarizer = says('Parts were listed.');
    let halted: Promise<void> | undefined;
    harness.script = async function* (request, signal) {
      await conversation.resetTask();
      halted = conversation.halt();
      yield* says('Done.')(request, signal);
    };
    await conversation.send('Go on');
    await halted;
    assert.equal(conversation.state.task, undefined);
    assert.equal(harness.summaryRequests.length, 0);
  });

  it('runs one turn at a time', async () => {
    const conversation = await harness.converse();
    const first = conversation.send('First');
    await assert.rejects(conversation.send('Second'), TurnRunning);
    await first;
    assert.deepEqual(texts(conversation), ['First', 'Fine.']);
  });

  it('reports that it is waiting to retry only until the reply arrives', async () => {
    const conversation = await harness.converse();
    const seen: (number | null)[] = [];
    conversation.onUpdate((update) => {
      if (update.type === 'retry_pending') seen.push(update.until);
    });
    harness.script = async function* (request, signal) {
      conversation.setPendingRetry({ until: 5, fault: new ModelFault('overloaded', 'too many requests') });
      for await (const chunk of says('Here it is.')(request, signal)) {
        yield chunk;
        if (chunk.type === 'text') assert.equal(conversation.pendingRetry, null);
      }
    };
    await conversation.send('Why?');
    assert.deepEqual(texts(conversation), ['Why?', 'Here it is.']);
    assert.deepEqual(seen, [5, null]);
  });

  it('keeps the previous reply when regenerating fails or is stopped', async () => {
    const conversation = await harness.converse();
    await conversation.send('Why?');
    const [at] = conversation.state.path;
    harness.script = throws(new ModelFault('network', 'no connection'));
    await assert.rejects(conversation.retry(at!), ModelFault);
    assert.deepEqual(texts(conversation), ['Why?', 'Fine.']);
    harness.script = says('Never asked.');
    const turn = conversation.retry(at!);
    conversation.stop();
    await turn;
    assert.deepEqual(texts(conversation), ['Why?', 'Fine.']);
    harness.script = says('Since it is.');
    await conversation.retry(at!);
    assert.deepEqual(texts(conversation), ['Why?', 'Since it is.']);
  });

  it('keeps the previous reply when the regenerated one contains only blank lines', async () => {
    const conversation = await harness.converse();
    await conversation.send('Why?');
    harness.script = says('\n\n');
    await assert.rejects(conversation.retry(conversation.state.path[0]!), (error) =>
      ModelFault.is(error, 'empty_reply'),
    );
    assert.deepEqual(texts(conversation), ['Why?', 'Fine.']);
    assert.equal(conversation.state.messages.size, 2);
  });

  it('keeps the old branch when a message is edited, and switches to it only between turns', async () => {
    const conversation = await harness.converse();
    await conversation.send('Use tabs');
    const [first] = conversation.state.path;
    await conversation.editAndResend(first!, 'Use spaces');
    const other = conversation.state.childrenOf(first!)[0]!;
    harness.script = async function* () {
      yield { type: 'text', text: 'Half ' };
      await assert.rejects(conversation.moveHead(other), TurnRunning);
      yield { type: 'text', text: 'and half' };
    };
    await conversation.send('Go on');
    assert.deepEqual(texts(conversation), ['Use spaces', 'Fine.', 'Go on', 'Half and half']);
    await conversation.moveHead(other);
    assert.deepEqual(texts(conversation), ['Use tabs', 'Fine.']);
  });

  it('does not blame a short message for a long history, and counts tokens like the gauge', async () => {
    const conversation = await harness.converse();
    await conversation.send('word '.repeat(6000));
    harness.set({ contextWindow: 5000, reservedTokens: 1000, policy: { ...harness.settings.policy, strategy: 'off' } });
    harness.calibration = new Calibration(2);
    const overflow = await conversation.send('Go on.').catch((error: unknown) => error);
    assert.ok(overflow instanceof ContextOverflow);
    assert.equal(overflow.canShortenMessage, false);
    assert.equal(overflow.budget, conversation.meter.providerBudget());
    assert.equal(overflow.total, conversation.meter.providerTokens(conversation.context().total));
  });

  it('flags a message that does not fit and sends nothing, then clears the flag once one fits', async () => {
    const conversation = await harness.converse();
    harness.set({ contextWindow: 5000, reservedTokens: 1000 });
    await assert.rejects(conversation.send('word '.repeat(6000)), { name: 'ContextOverflow', canShortenMessage: true });
    assert.equal(harness.requests.length, 0);
    assert.equal(conversation.state.escalation, 'token_overflow');
    await conversation.deleteMessage(conversation.state.head!, true);
    await conversation.send('Short.');
    assert.equal(conversation.state.escalation, null);
    assert.equal(harness.requests.length, 1);
  });

  it('compresses and resends when the provider rejects the request as too long', async () => {
    const conversation = await harness.filled(60);
    let calls = 0;
    harness.script = (request, signal) =>
      ++calls === 1
        ? throws(new ModelFault('context_too_long', 'too long'))(request, signal)
        : says('Now it fits.')(request, signal);
    await conversation.send('Are you there?');
    assert.equal(calls, 2);
    assert.equal(texts(conversation).at(-1), 'Now it fits.');
    assert.equal(conversation.state.compressions.at(-1)?.trigger, 'provider_overflow');
  });

  it('uses the settings that a turn started with until it ends', async () => {
    const conversation = await harness.filled(60);
    harness.set({ temperature: 0.2 });
    harness.script = (request, signal) => {
      if (harness.requests.length > 1) return says('Now it fits.')(request, signal);
      harness.set({ temperature: 1.5 });
      return throws(new ModelFault('context_too_long', 'too long'))(request, signal);
    };
    await conversation.send('Are you there?');
    await conversation.send('And now?');
    const temperatures = harness.requests.map(({ temperature }) => temperature);
    assert.deepEqual(temperatures, [0.2, 0.2, 1.5]);
  });

  it('learns from reported usage how the provider counts tokens', async () => {
    const conversation = await harness.converse();
    harness.calibration = new Calibration(1);
    const counting = (factor: number) =>
      async function* (): AsyncGenerator<never> {
        await Promise.resolve();
        const { total } = conversation.context();
        yield { type: 'text', text: 'Counted.' } as never;
        yield { type: 'usage', usage: { input: Math.round(total * factor), output: 5 } } as never;
        yield { type: 'end', ending: 'complete' } as never;
      };
    harness.script = counting(1.4);
    assert.ok(conversation.meter.isApproximate);
    for (let turn = 0; turn < 5; turn++) await conversation.send(`Turn ${turn}: ${'some more words '.repeat(40)}`);
    assert.ok(!conversation.meter.isApproximate);
    const factor = conversation.meter.providerTokens(1000) / 1000;
    assert.ok(Math.abs(factor - 1.4) < 0.07, `factor ${factor}`);
  });

  it('never takes a compressed history that needs fewer of the server’s tokens for a truncated one', async () => {
    harness.set({ contextWindow: 16_384 });
    harness.calibration = new Calibration(1);
    const conversation = await harness.filled(12, (n) => `Notiz ${n}: ${'ein paar Wörter mehr '.repeat(40)}`);
    const told: string[] = [];
    conversation.onUpdate(({ type }) => told.push(type));
    let factor = 1.3;
    harness.script = async function* (request, signal) {
      yield* says('Noted.')(request, signal);
      yield { type: 'usage', usage: { input: Math.round(conversation.context().total * factor), output: 5 } };
    };
    for (let turn = 0; turn < 3; turn++) await conversation.send(`Frage ${turn}: ${'noch mehr Wörter '.repeat(40)}`);
    assert.equal((await conversation.compressNow()).kind, 'committed');
    factor = 1;
    for (let turn = 0; turn < 12; turn++)
      await conversation.send(`Question ${turn}: ${'some more English words '.repeat(60)}`);
    assert.ok(!told.includes('truncated'));
    assert.equal(harness.calibration.serverWindow, undefined);
  });

  it('ignores reported usage for images, which each vendor counts differently', async () => {
    harness.calibration = new Calibration(1.56);
    harness.set({ systemPrompt: 'You help with code. '.repeat(20) });
    harness.script = async function* (request, signal) {
      yield* says('It shows a table.')(request, signal);
      yield { type: 'usage', usage: { input: 1_900, output: 10 } };
    };
    const conversation = await harness.converse();
    const told: string[] = [];
    conversation.onUpdate(({ type }) => told.push(type));
    await conversation.sendMessage({
      text: 'What is this?',
      images: [{ type: 'image', mediaType: 'image/png', base64: FULL_HD }],
    });
    const shown = conversation.meter.providerTokens(conversation.context().total);
    assert.ok(shown > 2 * 1_900, `${shown} tokens were counted, the vendor reports 1,900`);
    assert.deepEqual(harness.calibration.export(), { observations: [] });
    assert.ok(!told.includes('truncated'));
    await conversation.send('And now?');
  });

  it('attributes reported usage to the model that replied, even if another is chosen meanwhile', async () => {
    const asked = new Calibration(1);
    const chosen = new Calibration(1);
    harness.calibration = asked;
    harness.script = async function* () {
      await Promise.resolve();
      yield { type: 'text', text: 'Part one and two.' };
      harness.calibration = chosen;
      yield { type: 'usage', usage: { input: 4_096, output: 10 } };
      yield { type: 'end', ending: 'complete' };
    };
    const conversation = await harness.converse();
    const told: string[] = [];
    conversation.onUpdate((update) => update.type === 'truncated' && told.push(update.model));
    await conversation.send(`Look at this log: ${'line of a log with some words in it '.repeat(2_000)}`);
    assert.deepEqual([asked.serverWindow, chosen.serverWindow], [4_096, undefined]);
    assert.deepEqual(told, ['test/chat']);
    assert.ok(conversation.meter.budget() > 100_000, 'the chosen model has its whole window');
  });

  it('asks the provider for token counts only while the gauge is approximate, and only if the user agreed', async () => {
    const conversation = await harness.converse();
    harness.calibration = new Calibration(1);
    let asked = 0;
    harness.countTokens = () => {
      asked++;
      return Promise.resolve(Math.round(conversation.context().total * 1.3));
    };
    await conversation.send('How large is this, by your own count?');
    assert.equal(asked, 0);
    harness.calibration = new Calibration(1);
    harness.set({ countWithProvider: true });
    await conversation.send('And now?');
    assert.equal(asked, 1);
    for (let turn = 0; turn < 4; turn++) await conversation.send(`Turn ${turn}`);
    assert.ok(!conversation.meter.isApproximate);
    const before = asked;
    await conversation.send('Enough?');
    assert.equal(asked, before);
  });

  it('continues and tells the others when a listener fails', async () => {
    const conversation = await harness.converse();
    conversation.onUpdate(() => {
      throw new Error('The webview is disposed.');
    });
    const updates: string[] = [];
    conversation.onUpdate(({ type }) => updates.push(type));
    await conversation.send('Are you there?');
    assert.deepEqual(texts(conversation), ['Are you there?', 'Fine.']);
    assert.equal(updates.at(-1), 'turn_ended');
    assert.match(harness.warnings, /a listener failed: Error: The webview is disposed\./);
  });

  it('sends a message even if the provider can’t count its tokens', async () => {
    const conversation = await harness.converse();
    harness.calibration = new Calibration(1);
    harness.countTokens = () => Promise.reject(new ModelFault('overloaded', 'busy'));
    harness.set({ countWithProvider: true });
    await conversation.send('Are you there?');
    assert.deepEqual(texts(conversation), ['Are you there?', 'Fine.']);
    assert.match(harness.warnings, /the provider did not return a token count \(overloaded\)/);
  });

  it('recalls excerpts of compressed history that match the new message, and reports them', async () => {
    const conversation = await harness.filled(2, (n) =>
      n === 0 ? 'The zebra crossing sensor reports on channel 42.' : 'I see.',
    );
    await fillAndCompress(conversation, 60);
    harness.set({ recallShare: 0.05 });
    const recalled: string[] = [];
    conversation.onUpdate((update) => {
      if (update.type === 'recalled') recalled.push(...update.excerpts.map((one) => one.text));
    });
    await conversation.send('Which channel does the zebra crossing sensor use?');
    assert.ok(recalled.some((text) => text.includes('channel 42')));
    const last = harness.requests.at(-1)?.messages.at(-1);
    const [question] = last?.content ?? [];
    assert.match(last?.turnOnly ?? '', /<recalled_excerpts-[^]*message 1, user[^]*channel 42/);
    assert.deepEqual(question, { type: 'text', text: 'Which channel does the zebra crossing sensor use?' });
  });

  it('postpones a task reset requested during a reply until the turn ends', async () => {
    const conversation = await harness.converse();
    await conversation.setTask('Ship it', [{ text: 'test', status: 'pending' }]);
    let waited = false;
    conversation.onUpdate((update) => (waited ||= update.type === 'reset_pending'));
    harness.script = async function* (request, signal) {
      await conversation.resetTask();
      assert.ok(conversation.state.task, 'still there in the middle of the turn');
      yield* says('Done.')(request, signal);
    };
    await conversation.send('Go.');
    assert.ok(waited);
    assert.equal(conversation.state.task, undefined);
    assert.equal(conversation.state.endedTasks[0]?.steps[0]?.status, 'skipped');
  });
});
