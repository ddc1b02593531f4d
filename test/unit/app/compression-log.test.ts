import assert from 'node:assert/strict';
import { setImmediate as soon } from 'node:timers/promises';
import type { Conversation } from '../../../src/app/conversation.ts';
import { StoreFault } from '../../../src/app/ports.ts';
import { phrase } from '../../../src/core/text/phrase.ts';
import { cancelled, Harness, refuseWrites, says } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('log of compressions', () => {
  let harness: Harness;
  let conversation: Conversation;

  openForEachTest(async () => (harness = await Harness.open()));
  beforeEach(async () => {
    conversation = await harness.filled(60);
    harness.summarizer = says('They went through all the parts, and each part was explained at some length.');
  });

  const logged = (): string[] =>
    harness.log.flatMap(({ name }) => (name.startsWith('history_compression_') ? name.replace(/^.*_/, '') : []));

  it('has the end of a canceled one before the next one, even if its cost is recorded meanwhile', async () => {
    const summarize = harness.summarizer!;
    const isCalled = Promise.withResolvers<undefined>();
    harness.summarizer = async function* (_, signal) {
      yield { type: 'usage', usage: { input: 100, output: 10 } };
      isCalled.resolve(undefined);
      await cancelled(signal);
    };
    const first = conversation.compressNow();
    await isCalled.promise;
    harness.summarizer = summarize;
    conversation.compressor.cancel();
    while (conversation.compressor.isRunning) await soon();
    await Promise.all([first, conversation.compressNow()]);
    assert.deepEqual(logged(), ['triggered', 'skipped', 'triggered', 'complete']);
  });

  it('has the end of one that cannot be written', async () => {
    refuseWrites(conversation, ({ type }) => type === 'compressed');
    await assert.rejects(conversation.compressNow(), { reason: 'other' });
    assert.deepEqual(logged(), ['triggered', 'failed']);
  });

  it('has the end of one that is finished when the session is closed, but may not be written anymore', async () => {
    const isAsked = Promise.withResolvers<undefined>();
    harness.script = async function* (_, signal) {
      yield { type: 'text', text: 'Long' };
      isAsked.resolve(undefined);
      await cancelled(signal);
    };
    const reply = conversation.send('Why?');
    await isAsked.promise;
    const compressed = await conversation.compressNow();
    assert.equal(compressed.kind, 'ready');
    Object.defineProperty(conversation.journal, 'readOnly', { value: new StoreFault('not_writer', phrase('other')) });
    await conversation.close();
    await Promise.allSettled([reply]);
    assert.deepEqual(logged(), ['triggered', 'skipped']);
  });
});
