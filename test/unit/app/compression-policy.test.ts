import assert from 'node:assert/strict';
import { messageId } from '../../../src/core/model/ids.ts';
import { messageText } from '../../../src/core/model/message.ts';
import { resolvePolicy } from '../../../src/core/policy/policy.ts';
import { fill, fillAndCompress, Harness, says } from './harness.ts';
import { openForEachTest } from '../../support/per-test.ts';

describe('compression under a policy and a budget', () => {
  let harness: Harness;
  openForEachTest(async () => (harness = await Harness.open()));

  it('uses the policy’s temperature and length, and requests two or three sentences under steady', async () => {
    const conversation = await harness.converse();
    harness.set({ policy: resolvePolicy('steady') });
    const asked: { temperature: number | undefined; maxOutputTokens: number; prompt: string }[] = [];
    harness.summarizer = (request, signal) => {
      const prompt = request.messages.map((one) => messageText(one)).join('\n');
      asked.push({ temperature: request.temperature, maxOutputTokens: request.maxOutputTokens, prompt });
      return says('They went through the parts of a listing, one after the other.')(request, signal);
    };
    await fillAndCompress(conversation, 60);
    assert.ok(asked.length > 0);
    for (const { temperature, maxOutputTokens, prompt } of asked) {
      assert.match(prompt, /in two or three sentences of plain running text/);
      assert.equal(temperature, 0.3);
      assert.ok(maxOutputTokens <= 300);
    }
  });

  it('marks what is cut of a huge message without line breaks, and logs a warning', async () => {
    const conversation = await harness.converse();
    let record = '';
    harness.summarizer = (request, signal) => {
      record = request.messages.map((one) => messageText(one)).join('\n');
      return says('They went through the berths one by one.')(request, signal);
    };
    const berths = Array.from(
      { length: 1_500 },
      (_, at) => `Berth ${at} closes at ${at % 24} for ships of line ${at * 3}.`,
    );
    await fillAndCompress(conversation, 30, (n) => (n === 0 ? berths.join(' ') : `Message ${n} is about berth ${n}.`));
    assert.match(record, /… \d{2,} lines omitted/);
    assert.match(
      harness.warnings,
      /A message of \d{5} characters was cut: the summarizer read \d+ characters of its part/,
    );
  });

  it('logs no warning about long tool output, of which only informative lines are read anyway', async () => {
    const conversation = await harness.converse();
    harness.summarizer = says('They went through the berths one by one.');
    const { state, journal } = conversation;
    const rows = Array.from({ length: 1_500 }, (_, at) => `berth ${at} closes at ${at % 24} for ships of line ${at}`);
    const content = [{ type: 'text' as const, text: rows.join('\n') }];
    await fill(conversation, 2);
    const message = { id: messageId('listing'), parent: state.head, role: 'tool' as const, content, at: 1 };
    await journal.append({ type: 'message_added', message });
    await fillAndCompress(conversation, 28);
    assert.equal(harness.warnings, '');
  });

  it('truncates input that is too large for the summarizer, and logs a warning', async () => {
    const conversation = await harness.converse();
    harness.summarizerInput = 1_500;
    const inputs: number[] = [];
    harness.summarizer = (request, signal) => {
      const texts = [...request.system, ...request.messages.map((one) => messageText(one))];
      inputs.push(texts.reduce((sum, text) => sum + conversation.counter.text(text), 0));
      return says('They went through the harbour rules one by one.')(request, signal);
    };
    const rule = (n: number): string =>
      Array.from(
        { length: 30 },
        (_, at) => `Rule ${n}.${at}: berth ${n * at} closes at ${at} for ships of line ${n}.`,
      ).join('\n');
    await fillAndCompress(conversation, 30, rule);
    assert.ok(inputs.length > 0);
    for (const tokens of inputs) assert.ok(tokens <= 1_500, `${tokens} tokens`);
    assert.match(harness.warnings, /summarizer's context window is too small: it reads \d+ of up to \d+ tokens/);
    assert.doesNotMatch(harness.warnings, /berth/);

    const roomy = await harness.converse();
    harness.log.length = 0;
    harness.summarizerInput = 100_000;
    await fillAndCompress(roomy, 30, rule);
    assert.equal(harness.warnings, '');
  });

  it('keeps half of the recent messages if the request would still exceed 70% of the budget', async () => {
    const conversation = await harness.filled(60);
    const perMessage = conversation.context().tokens.recent / 60;
    harness.set({ contextWindow: Math.ceil(perMessage * 15) + 400, reservedTokens: 400 });
    await conversation.compressNow();
    const kept = conversation.state.uncompressedCount;
    assert.ok(kept < 10 && kept >= 5, `${kept} messages stay word for word`);
  });
});
